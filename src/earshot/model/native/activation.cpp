#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "earshot/core/error.hpp"
#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {
namespace {

// Functions of one number z with value h: h(z), and its first and second derivative from z and h, whichever
// is cheaper; `kStraight` if the second is zero. NaN stays NaN.

template <class Real>
struct SigmoidFunction {
  static constexpr bool kStraight = false;
  static void values(std::size_t count, const Real* z, Real* h) { kernels<Real>().sigmoid(count, z, h); }
  static Real first(Real, Real h) { return h * (1 - h); }
  static Real second(Real, Real h) { return h * (1 - h) * (1 - 2 * h); }
};
template <class Real>
struct TanhFunction {
  static constexpr bool kStraight = false;
  static void values(std::size_t count, const Real* z, Real* h) { kernels<Real>().tanh(count, z, h); }
  static Real first(Real, Real h) { return 1 - h * h; }
  static Real second(Real, Real h) { return -2 * h * (1 - h * h); }
};

/// Those computed number by number.
template <class Function, class Real>
struct Pointwise {
  static constexpr bool kStraight = false;
  static void values(std::size_t count, const Real* z, Real* h) {
    for (std::size_t i = 0; i < count; ++i) h[i] = Function::value(z[i]);
  }
};
template <class Real>
struct ReluFunction : Pointwise<ReluFunction<Real>, Real> {
  static Real value(Real z) { return z < 0 ? Real(0) : z; }
  static Real first(Real z, Real) { return z > 0 ? Real(1) : Real(0); }
  static constexpr bool kStraight = true;
};
template <class Real>
struct LeakyFunction : Pointwise<LeakyFunction<Real>, Real> {
  static constexpr Real kSlope = Real(0.2);
  static Real value(Real z) { return z < 0 ? kSlope * z : z; }
  static Real first(Real z, Real) { return z > 0 ? Real(1) : kSlope; }
  static constexpr bool kStraight = true;
};
template <class Real>
struct EluFunction : Pointwise<EluFunction<Real>, Real> {
  static Real value(Real z) { return z < 0 ? std::expm1(z) : z; }
  static Real first(Real z, Real h) { return z > 0 ? Real(1) : h + 1; }
  static Real second(Real z, Real h) { return z > 0 ? Real(0) : h + 1; }
};
/// log(1 + e^z); e^-h = 1 / (1 + e^z), so the derivative is 1 - e^-h.
template <class Real>
struct SoftplusFunction : Pointwise<SoftplusFunction<Real>, Real> {
  static Real value(Real z) { return (z < 0 ? Real(0) : z) + std::log1p(std::exp(-std::abs(z))); }
  static Real first(Real, Real h) { return -std::expm1(-h); }
  static Real second(Real z, Real h) { return first(z, h) * std::exp(-h); }
};
/// z Phi(z), Phi and phi the standard normal distribution and density (Hendrycks & Gimpel 2016).
template <class Real>
struct GeluFunction : Pointwise<GeluFunction<Real>, Real> {
  static Real distribution(Real z) {
    return Real(0.5) * std::erfc(-z * static_cast<Real>(std::numbers::sqrt2 / 2));
  }
  static Real density(Real z) {
    return std::exp(Real(-0.5) * z * z) *
           static_cast<Real>(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  }
  static Real value(Real z) { return z * distribution(z); }
  static Real first(Real z, Real) { return distribution(z) + z * density(z); }
  static Real second(Real z, Real) { return density(z) * (2 - z * z); }
};

/// h' = f'(z) z', d(z) = f'(z) d, d'(z) = f'(z) d' + f''(z) z' d.
template <class Real, template <class> class Function>
class ActivationLayer final : public NativeLayer<Real> {
  using F = Function<Real>;

 public:
  explicit ActivationLayer(const PlacedLayer& place) : size_(place.in.size()) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    F::values(call.all_rows() * size_, state.in, out);
  }
  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    times_slope(call, state, state.out_adjoint, in_adjoint);
  }
  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (state.in_tangent == nullptr) {
      std::fill_n(out_tangent, call.all_rows() * size_, Real(0));
    } else {
      times_slope(call, state, state.in_tangent, out_tangent);
    }
  }
  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    times_slope(call, state, state.out_adjoint_tangent, in_adjoint_tangent);
    if constexpr (!F::kStraight) {
      if (state.in_tangent == nullptr) return;
      const std::size_t count = call.all_rows() * size_;
      for (std::size_t i = 0; i < count; ++i) {
        in_adjoint_tangent[i] +=
            F::second(state.in[i], state.out[i]) * state.in_tangent[i] * state.out_adjoint[i];
      }
    }
  }

 private:
  void times_slope(const Call<Real>& call, const LayerState<Real>& state, const Real* numbers,
                   Real* out) const {
    const std::size_t count = call.all_rows() * size_;
    for (std::size_t i = 0; i < count; ++i) out[i] = F::first(state.in[i], state.out[i]) * numbers[i];
  }

  std::size_t size_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_activation(const Activate& layer, const PlacedLayer& place) {
  switch (layer.kind) {
    case ActivationKind::kSigmoid:
      return std::make_unique<ActivationLayer<Real, SigmoidFunction>>(place);
    case ActivationKind::kTanh:
      return std::make_unique<ActivationLayer<Real, TanhFunction>>(place);
    case ActivationKind::kRelu:
      return std::make_unique<ActivationLayer<Real, ReluFunction>>(place);
    case ActivationKind::kSoftplus:
      return std::make_unique<ActivationLayer<Real, SoftplusFunction>>(place);
    case ActivationKind::kGelu:
      return std::make_unique<ActivationLayer<Real, GeluFunction>>(place);
    case ActivationKind::kElu:
      return std::make_unique<ActivationLayer<Real, EluFunction>>(place);
    case ActivationKind::kLeakyRelu:
      return std::make_unique<ActivationLayer<Real, LeakyFunction>>(place);
  }
  fail(Fault::kInternal, "no such activation");
}
template LayerPointer<float> make_activation(const Activate&, const PlacedLayer&);
template LayerPointer<double> make_activation(const Activate&, const PlacedLayer&);

}  // namespace earshot
