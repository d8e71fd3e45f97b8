#include <memory>

#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/projection.hpp"

namespace earshot {
namespace {

/// y = W x + b. With R and rho the parts of the direction: y' = W x' + R x + rho and d'(x) = W^T d' + R^T d.
template <class Real>
class DenseLayer final : public NativeLayer<Real> {
 public:
  DenseLayer(const Dense& layer, const PlacedLayer& place)
      : map_{place.in.size(), layer.outputs}, bias_(layer.bias) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    write_bias(call, bias_of(state.parameters), map_.outputs, out);
    map_.forward(call, state.in, state.parameters, Write::kAdd, out);
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    map_.backward(call, state.out_adjoint, state.parameters, Write::kOver, in_adjoint);
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    map_.gradient(call, state.out_adjoint, state.in, gradient);
    if (bias_) bias_gradient(call, state.out_adjoint, map_.outputs, part(gradient, bias_offset()));
  }

  /// A row's gradient is the outer product d x^T, and d for the bias: |d|^2 (|x|^2 + 1).
  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    for (std::size_t i = 0; i < call.all_rows(); ++i) {
      const double inputs = squared_norm(state.in + i * map_.inputs, map_.inputs);
      squared_norms[i] +=
          squared_norm(state.out_adjoint + i * map_.outputs, map_.outputs) * (bias_ ? inputs + 1 : inputs);
    }
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    write_bias(call, bias_of(state.direction), map_.outputs, out_tangent);
    map_.forward(call, state.in, state.direction, Write::kAdd, out_tangent);
    if (state.in_tangent != nullptr) {
      map_.forward(call, state.in_tangent, state.parameters, Write::kAdd, out_tangent);
    }
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    map_.backward(call, state.out_adjoint_tangent, state.parameters, Write::kOver, in_adjoint_tangent);
    map_.backward(call, state.out_adjoint, state.direction, Write::kAdd, in_adjoint_tangent);
  }

 private:
  static double squared_norm(const Real* row, std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(row[i]) * row[i];
    return sum;
  }
  std::size_t bias_offset() const { return map_.inputs * map_.outputs; }
  ParameterBlock<const Real> bias_of(ParameterBlock<const Real> parameters) const {
    return bias_ ? part(parameters, bias_offset()) : ParameterBlock<const Real>{};
  }

  Projection map_;
  bool bias_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_dense(const Dense& layer, const PlacedLayer& place) {
  return std::make_unique<DenseLayer<Real>>(layer, place);
}
template LayerPointer<float> make_dense(const Dense&, const PlacedLayer&);
template LayerPointer<double> make_dense(const Dense&, const PlacedLayer&);

}  // namespace earshot
