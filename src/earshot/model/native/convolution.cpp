// Convolution as matrix products: the patches under the kernel become the columns of a matrix (Chellapilla et
// al. 2006), a cache-sized tile at a time.
#include <algorithm>
#include <cmath>
#include <vector>

#include "earshot/model/native/gemm.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {
namespace {

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

/// Columns of a product: enough to feed the matrix kernels, few enough to stay in the cache.
constexpr std::size_t kFewColumns = 96;
constexpr std::size_t kManyColumns = 512;
/// A sum this small against its terms has lost two digits.
constexpr double kCancelled = 1e-2;

/// The outputs x in [first, last) for which x * stride + tap - padding lies inside [0, size).
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};
Range inside(std::size_t outputs, std::size_t stride, std::size_t tap, std::size_t padding,
             std::size_t size) {
  const std::size_t first = tap >= padding ? 0 : (padding - tap + stride - 1) / stride;
  const std::size_t last = size + padding > tap ? (size + padding - tap - 1) / stride + 1 : 0;
  return {std::min(first, outputs), std::clamp(last, std::min(first, outputs), outputs)};
}

template <class Real>
class Convolution final : public NativeLayer<Real> {
 public:
  Convolution(const Convolve& layer, const PlacedLayer& place)
      : layer_(layer),
        in_(place.in),
        out_(place.out),
        taps_(place.in.channels * layer.kernel_height * layer.kernel_width),
        pointwise_(layer.kernel_height * layer.kernel_width * layer.stride == 1 &&
                   layer.padding_height + layer.padding_width == 0) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> to = output_panel(tile, out);
      set_bias(tile, state.parameters.of(problem), to);
      add_product(tile, state.parameters.of(problem), columns(tile, state.in), to);
      scatter(tile, to, out);
    });
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    std::fill_n(in_adjoint, call.all_rows() * in_.size(), Real{0});
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> patches = patch_panel(tile, in_adjoint);
      transposed_product(tile, state.parameters.of(problem), gather(tile, state.out_adjoint), 0, patches);
      fold(tile, patches, in_adjoint);
    });
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      add_gradient(tile, state, gradient.of(problem));
    });
  }

  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    // Bu et al. 2022 ("Scalable and efficient training of large convolutional neural networks with
    // differential privacy"), section 4: the Gram matrices of T positions against the gradient itself.
    const bool gram = 2 * out_.plane() * out_.plane() < taps_ * out_.channels;
    for (std::size_t record = 0; record < call.all_rows(); ++record) {
      squared_norms[record] += gram ? gram_norm(record, state) : gradient_norm(record, state);
    }
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> to = output_panel(tile, out_tangent);
      set_bias(tile, state.direction.of(problem), to);
      add_product(tile, state.direction.of(problem), columns(tile, state.in), to);
      if (state.in_tangent != nullptr) {
        add_product(tile, state.parameters.of(problem), columns(tile, state.in_tangent), to);
      }
      scatter(tile, to, out_tangent);
    });
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    std::fill_n(in_adjoint_tangent, call.all_rows() * in_.size(), Real{0});
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> patches = patch_panel(tile, in_adjoint_tangent);
      transposed_product(tile, state.direction.of(problem), gather(tile, state.out_adjoint), 0, patches);
      transposed_product(tile, state.parameters.of(problem), gather(tile, state.out_adjoint_tangent), 1,
                         patches);
      fold(tile, patches, in_adjoint_tangent);
    });
  }

 private:
  std::size_t width_of(const Tile& tile) const { return tile.records * tile.lines * out_.width; }

  template <class Body>
  void each_tile(const Call<Real>& call, Body body) {
    for (std::size_t problem = 0; problem < call.count; ++problem) {
      each_tile_of(problem * call.rows, call.rows, [&](const Tile& tile) { body(problem, tile); });
    }
  }

  template <class Body>
  void each_tile_of(std::size_t first, std::size_t count, Body body) {
    const std::size_t records = std::max<std::size_t>(1, kFewColumns / out_.plane());
    const std::size_t lines = std::max<std::size_t>(1, kManyColumns / out_.width);
    for (std::size_t record = 0; record < count; record += records) {
      if (records > 1) {
        body(Tile{first + record, std::min(records, count - record), 0, out_.height});
        continue;
      }
      for (std::size_t line = 0; line < out_.height; line += lines) {
        body(Tile{first + record, 1, line, std::min(lines, out_.height - line)});
      }
    }
  }

  static Real* grown(std::vector<Real>& scratch, std::size_t size) {
    if (scratch.size() < size) scratch.resize(size);
    return scratch.data();
  }

  /// Where a tile of an output lies in memory: in place for one record, side by side in scratch for several.
  template <class Value>
  Panel<Value> in_place(const Tile& tile, Value* out) const {
    return {out + tile.record * out_.size() + tile.line * out_.width, out_.plane()};
  }
  Panel<Real> output_panel(const Tile& tile, Real* out) {
    if (tile.records == 1) return in_place(tile, out);
    return {grown(outputs_, out_.channels * width_of(tile)), width_of(tile)};
  }

  Panel<const Real> gather(const Tile& tile, const Real* out) {
    if (tile.records == 1) return in_place(tile, out);
    const Panel<Real> panel = output_panel(tile, nullptr);
    const std::size_t plane = out_.plane();
    for (std::size_t i = 0; i < tile.records; ++i) {
      const Real* from = out + (tile.record + i) * out_.size();
      for (std::size_t d = 0; d < out_.channels; ++d) {
        std::copy_n(from + d * plane, plane, panel.data + d * panel.stride + i * plane);
      }
    }
    return {panel.data, panel.stride};
  }

  void scatter(const Tile& tile, const Panel<Real>& panel, Real* out) const {
    if (tile.records == 1) return;
    const std::size_t plane = out_.plane();
    for (std::size_t i = 0; i < tile.records; ++i) {
      Real* to = out + (tile.record + i) * out_.size();
      for (std::size_t d = 0; d < out_.channels; ++d) {
        std::copy_n(panel.data + d * panel.stride + i * plane, plane, to + d * plane);
      }
    }
  }

  void set_bias(const Tile& tile, const Real* parameters, const Panel<Real>& to) const {
    const Real* bias = parameters + out_.channels * taps_;
    for (std::size_t d = 0; d < out_.channels; ++d) {
      std::fill_n(to.data + d * to.stride, width_of(tile), layer_.bias ? bias[d] : Real{0});
    }
  }

  void add_product(const Tile& tile, const Real* weights, const Panel<const Real>& columns,
                   const Panel<Real>& to) const {
    gemm(false, false, out_.channels, width_of(tile), taps_, Real{1}, weights, taps_, columns.data,
         columns.stride, Real{1}, to.data, to.stride);
  }
  void transposed_product(const Tile& tile, const Real* weights, const Panel<const Real>& adjoint, Real keep,
                          const Panel<Real>& patches) const {
    gemm(true, false, taps_, width_of(tile), out_.channels, Real{1}, weights, taps_, adjoint.data,
         adjoint.stride, keep, patches.data, patches.stride);
  }

  void add_gradient(const Tile& tile, const LayerState<Real>& state, Real* gradient) {
    const Panel<const Real> adjoint = gather(tile, state.out_adjoint);
    const Panel<const Real> patches = columns(tile, state.in);
    gemm(false, true, out_.channels, taps_, width_of(tile), Real{1}, adjoint.data, adjoint.stride,
         patches.data, patches.stride, Real{1}, gradient, taps_);
    if (!layer_.bias) return;
    for (std::size_t d = 0; d < out_.channels; ++d) {
      gradient[out_.channels * taps_ + d] += sum(adjoint.data + d * adjoint.stride, width_of(tile));
    }
  }

  static Real sum(const Real* values, std::size_t size) {
    Real total = 0;
    for (std::size_t i = 0; i < size; ++i) total += values[i];
    return total;
  }

  /// Calls body(values at the tile's patches, input line, range of outputs, first input of the range) for
  /// every kernel position and output line whose inputs are inside the picture, and outside(values, count)
  /// where they are padding.
  template <class Value, class Inside, class Outside>
  void each_line(const Tile& tile, const Panel<Value>& patches, Inside in_picture, Outside outside) const {
    const std::size_t s = layer_.stride;
    Value* patch = patches.data;
    for (std::size_t c = 0; c < in_.channels; ++c) {
      for (std::size_t ky = 0; ky < layer_.kernel_height; ++ky) {
        const Range ys = inside(out_.height, s, ky, layer_.padding_height, in_.height);
        for (std::size_t kx = 0; kx < layer_.kernel_width; ++kx, patch += patches.stride) {
          const Range xs = inside(out_.width, s, kx, layer_.padding_width, in_.width);
          const std::size_t x = xs.first * s + kx - layer_.padding_width;
          Value* line = patch;
          for (std::size_t i = 0; i < tile.records; ++i) {
            const std::size_t plane = ((tile.record + i) * in_.channels + c) * in_.plane();
            for (std::size_t oy = tile.line; oy < tile.line + tile.lines; ++oy, line += out_.width) {
              if (oy < ys.first || oy >= ys.last || xs.first == xs.last) {
                outside(line, out_.width);
                continue;
              }
              const std::size_t y = oy * s + ky - layer_.padding_height;
              outside(line, xs.first);
              in_picture(line + xs.first, plane + y * in_.width + x, xs.last - xs.first);
              outside(line + xs.last, out_.width - xs.last);
            }
          }
        }
      }
    }
  }

  /// taps x positions: what the kernel sees, zeros in the padding.
  Panel<const Real> columns(const Tile& tile, const Real* in) {
    if (pointwise_ && tile.records == 1) return pointwise_panel(tile, in);
    const Panel<Real> patches{grown(columns_, taps_ * width_of(tile)), width_of(tile)};
    const std::size_t s = layer_.stride;
    each_line(
        tile, patches,
        [in, s](Real* to, std::size_t from, std::size_t count) {
          if (s == 1) {
            std::copy_n(in + from, count, to);
          } else {
            for (std::size_t x = 0; x < count; ++x) to[x] = in[from + x * s];
          }
        },
        [](Real* to, std::size_t count) { std::fill_n(to, count, Real{0}); });
    return {patches.data, patches.stride};
  }

  /// The reverse: patch entries are added where they came from.
  void fold(const Tile& tile, const Panel<Real>& patches, Real* in_adjoint) const {
    if (pointwise_ && tile.records == 1) return;
    const std::size_t s = layer_.stride;
    each_line(
        tile, patches,
        [in_adjoint, s](const Real* from, std::size_t to, std::size_t count) {
          if (s == 1) {
            for (std::size_t x = 0; x < count; ++x) in_adjoint[to + x] += from[x];
          } else {
            for (std::size_t x = 0; x < count; ++x) in_adjoint[to + x * s] += from[x];
          }
        },
        [](const Real*, std::size_t) {});
  }

  /// A kernel of one cell sees the input as it lies in memory.
  template <class Value>
  Panel<Value> pointwise_panel(const Tile& tile, Value* in) const {
    return {in + tile.record * in_.size() + tile.line * in_.width, in_.plane()};
  }
  Panel<Real> patch_panel(const Tile& tile, Real* in_adjoint) {
    if (pointwise_ && tile.records == 1) return pointwise_panel(tile, in_adjoint);
    return {grown(columns_, taps_ * width_of(tile)), width_of(tile)};
  }

  double gradient_norm(std::size_t record, const LayerState<Real>& state) {
    const std::size_t size = out_.channels * (taps_ + (layer_.bias ? 1 : 0));
    Real* gradient = grown(gradient_, size);
    std::fill_n(gradient, size, Real{0});
    each_tile_of(record, 1, [&](const Tile& tile) { add_gradient(tile, state, gradient); });
    double norm = 0;
    for (std::size_t i = 0; i < size; ++i) norm += static_cast<double>(gradient[i]) * gradient[i];
    return norm;
  }

  /// |D X^T|^2 = <X^T X, D^T D> for adjoints D and patches X of one record; the bias sees patches of 1.
  double gram_norm(std::size_t record, const LayerState<Real>& state) {
    const Tile tile{record, 1, 0, out_.height};
    const std::size_t positions = out_.plane();
    const Panel<const Real> adjoint = gather(tile, state.out_adjoint), patches = columns(tile, state.in);
    Real* gram_patches = grown(gradient_, 2 * positions * positions);
    Real* gram_adjoints = gram_patches + positions * positions;
    gemm(true, false, positions, positions, taps_, Real{1}, patches.data, patches.stride, patches.data,
         patches.stride, Real{0}, gram_patches, positions);
    gemm(true, false, positions, positions, out_.channels, Real{1}, adjoint.data, adjoint.stride,
         adjoint.data, adjoint.stride, Real{0}, gram_adjoints, positions);
    const double bias = layer_.bias ? 1 : 0;
    double norm = 0, magnitude = 0;
    for (std::size_t i = 0; i < positions * positions; ++i) {
      const double term = (static_cast<double>(gram_patches[i]) + bias) * gram_adjoints[i];
      norm += term;
      magnitude += std::abs(term);
    }
    // Where the terms cancel, the sum is mostly rounding: too small a norm would let a gradient pass
    // unclipped.
    return norm > kCancelled * magnitude ? norm : gradient_norm(record, state);
  }

  Convolve layer_;
  Shape in_;
  Shape out_;
  std::size_t taps_;
  bool pointwise_;
  std::vector<Real> columns_;
  std::vector<Real> outputs_;
  std::vector<Real> gradient_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_convolution(const Convolve& layer, const PlacedLayer& place) {
  return std::make_unique<Convolution<Real>>(layer, place);
}

template LayerPointer<double> make_convolution(const Convolve& layer, const PlacedLayer& place);
template LayerPointer<float> make_convolution(const Convolve& layer, const PlacedLayer& place);

}  // namespace earshot
