// What a convolution's kernel sees at each position, as the columns of a matrix, and the way back.
#pragma once

#include <algorithm>
#include <vector>

#include "earshot/model/architecture.hpp"
#include "earshot/model/native/line.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {

/// Rows of a matrix in memory, `stride` apart.
template <class Real>
struct Panel {
  Real* data = nullptr;
  std::size_t stride = 0;
};

/// Output positions treated by one matrix product: some lines of one record, or all lines of several.
struct Tile {
  std::size_t record = 0;  // among all rows of the call
  std::size_t records = 1;
  std::size_t line = 0;
  std::size_t lines = 0;
};

/// A tile's input lines are first copied into a strip with room for the padding, and there sorted by their
/// place modulo the stride, so that every line of every patch row is one run of numbers in the strip.
template <class Real>
class Patches {
 public:
  Patches(const Convolve& layer, const PlacedLayer& place)
      : layer_(layer),
        in_(place.in),
        out_(place.out),
        run_((in_.width + 2 * layer.padding_width + layer.stride - 1) / layer.stride) {}

  /// Numbers the kernel sees at one position.
  std::size_t taps() const { return in_.channels * layer_.kernel_height * layer_.kernel_width; }
  std::size_t positions(const Tile& tile) const { return tile.records * tile.lines * out_.width; }
  /// A kernel of one cell sees the input as it lies in memory: nothing is copied. Tiles must be of one
  /// record.
  bool in_place() const { return plain() && layer_.kernel_height * layer_.kernel_width == 1; }

  /// taps x positions.
  Panel<const Real> unfold(const Tile& tile, const Real* in) {
    if (in_place()) return place_of(tile, in);
    const Panel<Real> patches = matrix(tile);
    for (std::size_t nth = 0; nth < tile.records; ++nth) {
      const Panel<const Real> strip = fill_strip(tile, in + (tile.record + nth) * in_.size());
      each_line(tile, nth, patches, strip,
                [this](Real* patch, const Real* source) { copy_line(source, out_.width, patch); });
    }
    return {patches.data, patches.stride};
  }

  /// Where to write what is to be folded into `in`.
  Panel<Real> to_fold(const Tile& tile, Real* in) { return in_place() ? place_of(tile, in) : matrix(tile); }
  /// Adds every number to the cell it came from (in place: it is there already).
  void fold(const Tile& tile, const Panel<Real>& patches, Real* in) {
    if (in_place()) return;
    for (std::size_t nth = 0; nth < tile.records; ++nth) {
      Real* record = in + (tile.record + nth) * in_.size();
      const Panel<Real> strip = plain() ? lines_of(tile, record) : empty_strip(tile);
      each_line(tile, nth, patches, strip,
                [this](const Real* patch, Real* source) { add_line(patch, out_.width, source); });
      if (!plain()) add_strip(tile, strip, record);
    }
  }

 private:
  bool plain() const { return layer_.stride == 1 && layer_.padding_height + layer_.padding_width == 0; }
  std::size_t pitch() const { return plain() ? in_.width : run_ * layer_.stride; }
  std::size_t strip_lines(const Tile& tile) const {
    return (tile.lines - 1) * layer_.stride + layer_.kernel_height;
  }

  template <class Value>
  Panel<Value> place_of(const Tile& tile, Value* in) const {
    return {in + tile.record * in_.size() + tile.line * in_.width, in_.plane()};
  }
  /// The lines of a plain tile, `stride` between channels.
  template <class Value>
  Panel<Value> lines_of(const Tile& tile, Value* record) const {
    return {record + tile.line * in_.width, in_.plane()};
  }
  /// Rows an odd number of cache lines apart: the rows under one another that a product walks along would
  /// otherwise compete for a few places of the cache.
  Panel<Real> matrix(const Tile& tile) {
    constexpr std::size_t kLine = 64 / sizeof(Real);
    const std::size_t stride = ((positions(tile) + kLine - 1) / kLine | 1) * kLine;
    return {room(matrix_, taps() * stride), stride};
  }

  /// body(line of patches, the run in the strip it corresponds to).
  template <class Value, class Source, class Body>
  void each_line(const Tile& tile, std::size_t nth, const Panel<Value>& patches, const Panel<Source>& strip,
                 Body body) const {
    const std::size_t s = layer_.stride, line_step = s * pitch();
    Value* row = patches.data + nth * out_.plane();
    for (std::size_t c = 0; c < in_.channels; ++c) {
      for (std::size_t ky = 0; ky < layer_.kernel_height; ++ky) {
        for (std::size_t kx = 0; kx < layer_.kernel_width; ++kx, row += patches.stride) {
          Source* source = strip.data + c * strip.stride + ky * pitch() + kx % s * run_ + kx / s;
          Value* patch = row;
          for (std::size_t i = 0; i < tile.lines; ++i, patch += out_.width, source += line_step) {
            body(patch, source);
          }
        }
      }
    }
  }

  /// body(line of the strip, cell of the record where the input line starts) for lines inside the picture,
  /// outside(line) for the others.
  template <class Inside, class Outside>
  void each_strip_line(const Tile& tile, const Panel<Real>& strip, Inside inside, Outside outside) const {
    for (std::size_t c = 0; c < in_.channels; ++c) {
      Real* line = strip.data + c * strip.stride;
      for (std::size_t i = 0; i < strip_lines(tile); ++i, line += pitch()) {
        const std::size_t y = tile.line * layer_.stride + i;  // with padding
        if (y < layer_.padding_height || y >= layer_.padding_height + in_.height) {
          outside(line);
        } else {
          inside(line, (c * in_.height + y - layer_.padding_height) * in_.width);
        }
      }
    }
  }
  /// body(run of the strip, input column of its first number, count): columns a stride apart.
  template <class Body>
  void each_run(Real* line, Body body) const {
    const std::size_t s = layer_.stride;
    for (std::size_t phase = 0; phase < s; ++phase) {
      const std::size_t skipped =
          layer_.padding_width > phase ? (layer_.padding_width - phase + s - 1) / s : 0;
      const std::size_t x = skipped * s + phase - layer_.padding_width;
      if (x < in_.width) body(line + phase * run_ + skipped, x, (in_.width - x - 1) / s + 1);
    }
  }

  Panel<const Real> fill_strip(const Tile& tile, const Real* record) {
    if (plain()) return lines_of(tile, record);
    // The padding beside the lines is zero from the start and never written.
    const Panel<Real> strip{room(strip_, in_.channels * strip_lines(tile) * pitch()),
                            strip_lines(tile) * pitch()};
    const std::size_t s = layer_.stride;
    each_strip_line(
        tile, strip,
        [&](Real* line, std::size_t first) {
          each_run(line, [&](Real* run, std::size_t x, std::size_t count) {
            const Real* from = record + first + x;
            if (s == 1) return copy_line(from, count, run);
            for (std::size_t i = 0; i < count; ++i) run[i] = from[i * s];
          });
        },
        [this](Real* line) { fill_line(Real{0}, pitch(), line); });
    return {strip.data, strip.stride};
  }

  Panel<Real> empty_strip(const Tile& tile) {
    const std::size_t size = in_.channels * strip_lines(tile) * pitch();
    Real* strip = room(folded_, size);
    std::fill_n(strip, size, Real{0});
    return {strip, strip_lines(tile) * pitch()};
  }
  void add_strip(const Tile& tile, const Panel<Real>& strip, Real* record) const {
    const std::size_t s = layer_.stride;
    each_strip_line(
        tile, strip,
        [&](Real* line, std::size_t first) {
          each_run(line, [&](const Real* run, std::size_t x, std::size_t count) {
            Real* to = record + first + x;
            if (s == 1) return add_line(run, count, to);
            for (std::size_t i = 0; i < count; ++i) to[i * s] += run[i];
          });
        },
        [](Real*) {});
  }

  Convolve layer_;
  Shape in_;
  Shape out_;
  std::size_t run_;  // numbers of a padded line with the same place modulo the stride
  std::vector<Real> matrix_;
  std::vector<Real> strip_;
  std::vector<Real> folded_;
};

}  // namespace earshot
