#include <algorithm>
#include <memory>
#include <string>

#include "earshot/model/dropout_mask.hpp"
#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {
namespace {

/// Multiplies each row by its mask, in every sweep the same; all problems share the masks of a row, so that a
/// problem's result does not depend on its neighbours.
template <class Real>
class DropoutLayer final : public NativeLayer<Real> {
 public:
  DropoutLayer(const Dropout& layer, const PlacedLayer& place)
      : rate_(layer.rate), name_(place.name), size_(place.in.size()), row_(size_) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    if (call.dropout) draw(*call.dropout, call.rows);
    apply(call, state.in, out);
  }
  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    apply(call, state.out_adjoint, in_adjoint);
  }
  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (state.in_tangent == nullptr) {
      std::fill_n(out_tangent, call.all_rows() * size_, Real(0));
    } else {
      apply(call, state.in_tangent, out_tangent);
    }
  }
  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    apply(call, state.out_adjoint_tangent, in_adjoint_tangent);
  }

 private:
  void draw(std::uint64_t seed, std::size_t rows) {
    Real* mask = room(mask_, rows * size_);
    for (std::size_t i = 0; i < rows; ++i) {
      dropout_mask(seed, name_, i, rate_, row_);
      std::transform(row_.begin(), row_.end(), mask + i * size_,
                     [](double m) { return static_cast<Real>(m); });
    }
  }
  void apply(const Call<Real>& call, const Real* numbers, Real* out) const {
    const std::size_t problem = call.rows * size_;
    if (!call.dropout) {
      std::copy_n(numbers, call.count * problem, out);
      return;
    }
    for (std::size_t k = 0; k < call.count; ++k) {
      std::transform(numbers + k * problem, numbers + (k + 1) * problem, mask_.data(), out + k * problem,
                     std::multiplies<>());
    }
  }

  double rate_;
  std::string name_;
  std::size_t size_;
  std::vector<double> row_;
  std::vector<Real> mask_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_dropout(const Dropout& layer, const PlacedLayer& place) {
  return std::make_unique<DropoutLayer<Real>>(layer, place);
}
template LayerPointer<float> make_dropout(const Dropout&, const PlacedLayer&);
template LayerPointer<double> make_dropout(const Dropout&, const PlacedLayer&);

}  // namespace earshot
