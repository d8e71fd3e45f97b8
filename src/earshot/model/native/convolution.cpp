// Convolution as matrix products: the patches under the kernel become the columns of a matrix (Chellapilla et
// al. 2006), a cache-sized tile at a time.
#include <algorithm>
#include <cmath>
#include <vector>

#include "earshot/model/native/gemm.hpp"
#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/line.hpp"
#include "earshot/model/native/patches.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {
namespace {

/// Columns of a product: enough to feed the matrix kernels, few enough to stay in the cache.
constexpr std::size_t kFewColumns = 96;
constexpr std::size_t kManyColumns = 512;
/// A sum this small against its terms has lost two digits.
constexpr double kCancelled = 1e-2;

template <class Real>
class Convolution final : public NativeLayer<Real> {
 public:
  Convolution(const Convolve& layer, const PlacedLayer& place)
      : bias_(layer.bias), in_(place.in), out_(place.out), patches_(layer, place) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> to = output_panel(tile, out);
      set_bias(tile, state.parameters.of(problem), to);
      add_product(tile, state.parameters.of(problem), patches_.unfold(tile, state.in), to);
      scatter(tile, to, out);
    });
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    start_folding(call, in_adjoint);
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> patches = patches_.to_fold(tile, in_adjoint);
      transposed_product(tile, state.parameters.of(problem), gather(tile, state.out_adjoint), 0, patches);
      patches_.fold(tile, patches, in_adjoint);
    });
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    for (std::size_t k = 0; k < call.count; ++k) std::fill_n(gradient.of(k), parameters(), Real{0});
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      add_gradient(tile, state, gradient.of(problem));
    });
  }

  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    // Bu et al. 2022 ("Scalable and efficient training of large convolutional neural networks with
    // differential privacy"), section 4: the Gram matrices of T positions against the gradient itself.
    const bool gram = 2 * out_.plane() * out_.plane() < patches_.taps() * out_.channels;
    for (std::size_t record = 0; record < call.all_rows(); ++record) {
      squared_norms[record] += gram ? gram_norm(record, state) : gradient_norm(record, state);
    }
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> to = output_panel(tile, out_tangent);
      set_bias(tile, state.direction.of(problem), to);
      add_product(tile, state.direction.of(problem), patches_.unfold(tile, state.in), to);
      if (state.in_tangent != nullptr) {
        add_product(tile, state.parameters.of(problem), patches_.unfold(tile, state.in_tangent), to);
      }
      scatter(tile, to, out_tangent);
    });
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    start_folding(call, in_adjoint_tangent);
    each_tile(call, [&](std::size_t problem, const Tile& tile) {
      const Panel<Real> patches = patches_.to_fold(tile, in_adjoint_tangent);
      transposed_product(tile, state.direction.of(problem), gather(tile, state.out_adjoint), 0, patches);
      transposed_product(tile, state.parameters.of(problem), gather(tile, state.out_adjoint_tangent), 1,
                         patches);
      patches_.fold(tile, patches, in_adjoint_tangent);
    });
  }

 private:
  template <class Body>
  void each_tile(const Call<Real>& call, Body body) {
    for (std::size_t problem = 0; problem < call.count; ++problem) {
      each_tile_of(problem * call.rows, call.rows, [&](const Tile& tile) { body(problem, tile); });
    }
  }

  template <class Body>
  void each_tile_of(std::size_t first, std::size_t count, Body body) {
    const std::size_t records =
        patches_.in_place() ? 1 : std::max<std::size_t>(1, kFewColumns / out_.plane());
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

  /// Folding adds, unless it happens in place.
  void start_folding(const Call<Real>& call, Real* in) const {
    if (!patches_.in_place()) std::fill_n(in, call.all_rows() * in_.size(), Real{0});
  }

  /// Where a tile of an output lies in memory: in place for one record, side by side in scratch for several.
  template <class Value>
  Panel<Value> in_place(const Tile& tile, Value* out) const {
    return {out + tile.record * out_.size() + tile.line * out_.width, out_.plane()};
  }
  Panel<Real> output_panel(const Tile& tile, Real* out) {
    if (tile.records == 1) return in_place(tile, out);
    return {room(outputs_, out_.channels * patches_.positions(tile)), patches_.positions(tile)};
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
    const Real* bias = parameters + out_.channels * patches_.taps();
    for (std::size_t d = 0; d < out_.channels; ++d) {
      fill_line(bias_ ? bias[d] : Real{0}, patches_.positions(tile), to.data + d * to.stride);
    }
  }

  void add_product(const Tile& tile, const Real* weights, const Panel<const Real>& columns,
                   const Panel<Real>& to) const {
    gemm(false, false, out_.channels, patches_.positions(tile), patches_.taps(), Real{1}, weights,
         patches_.taps(), columns.data, columns.stride, Real{1}, to.data, to.stride);
  }
  void transposed_product(const Tile& tile, const Real* weights, const Panel<const Real>& adjoint, Real keep,
                          const Panel<Real>& patches) const {
    gemm(true, false, patches_.taps(), patches_.positions(tile), out_.channels, Real{1}, weights,
         patches_.taps(), adjoint.data, adjoint.stride, keep, patches.data, patches.stride);
  }

  std::size_t parameters() const { return out_.channels * (patches_.taps() + (bias_ ? 1 : 0)); }
  void add_gradient(const Tile& tile, const LayerState<Real>& state, Real* gradient) {
    const Panel<const Real> adjoint = gather(tile, state.out_adjoint);
    const Panel<const Real> patches = patches_.unfold(tile, state.in);
    gemm(false, true, out_.channels, patches_.taps(), patches_.positions(tile), Real{1}, adjoint.data,
         adjoint.stride, patches.data, patches.stride, Real{1}, gradient, patches_.taps());
    if (!bias_) return;
    for (std::size_t d = 0; d < out_.channels; ++d) {
      gradient[out_.channels * patches_.taps() + d] +=
          sum_line(adjoint.data + d * adjoint.stride, patches_.positions(tile));
    }
  }

  double gradient_norm(std::size_t record, const LayerState<Real>& state) {
    const std::size_t size = parameters();
    Real* gradient = room(gradient_, size);
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
    const Panel<const Real> adjoint = gather(tile, state.out_adjoint),
                            patches = patches_.unfold(tile, state.in);
    Real* gram_patches = room(gradient_, 2 * positions * positions);
    Real* gram_adjoints = gram_patches + positions * positions;
    gemm(true, false, positions, positions, patches_.taps(), Real{1}, patches.data, patches.stride,
         patches.data, patches.stride, Real{0}, gram_patches, positions);
    gemm(true, false, positions, positions, out_.channels, Real{1}, adjoint.data, adjoint.stride,
         adjoint.data, adjoint.stride, Real{0}, gram_adjoints, positions);
    const double bias = bias_ ? 1 : 0;
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

  bool bias_;
  Shape in_;
  Shape out_;
  Patches<Real> patches_;
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
