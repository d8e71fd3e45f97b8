#include <cmath>
#include <limits>

#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

constexpr ActivationKind kKinds[] = {ActivationKind::kSigmoid,  ActivationKind::kTanh, ActivationKind::kRelu,
                                     ActivationKind::kSoftplus, ActivationKind::kGelu, ActivationKind::kElu,
                                     ActivationKind::kLeakyRelu};

TEST(Activation, KeepsTheContractOfLayers) {
  for (const ActivationKind kind : kKinds) {
    const PlacedLayer place = at(Shape{5, 1, 1}, Shape{5, 1, 1}, 0);
    check_layer({.place = place, .count = 2, .rows = 3, .spread = 1.5},
                [&](auto real) { return make_activation<decltype(real)>(Activate{kind}, place); });
  }
}

/// Value and slope at one number.
template <class Real>
std::pair<Real, Real> at_number(ActivationKind kind, Real z) {
  const auto layer = make_activation<Real>(Activate{kind}, at(Shape{1, 1, 1}, Shape{1, 1, 1}, 0));
  Call<Real> call;
  call.rows = 1;
  Real h = 0, slope = 0;
  const Real one = 1;
  LayerState<Real> state;
  state.in = &z;
  layer->forward(call, state, &h);
  state.out = &h;
  state.out_adjoint = &one;
  layer->backward(call, state, &slope);
  return {h, slope};
}

TEST(Activation, ValuesAreThoseOfTheDefinitions) {
  for (double z = -30; z < 30; z += 0.37) {
    const auto value = [&](ActivationKind kind) { return at_number(kind, z).first; };
    EXPECT_NEAR(value(ActivationKind::kSigmoid), 1 / (1 + std::exp(-z)), 1e-15);
    EXPECT_NEAR(value(ActivationKind::kTanh), std::tanh(z), 1e-15);
    EXPECT_EQ(value(ActivationKind::kRelu), std::max(z, 0.0));
    EXPECT_NEAR(value(ActivationKind::kSoftplus), std::log(1 + std::exp(z)), 1e-13);
    EXPECT_NEAR(value(ActivationKind::kGelu), z * (1 + std::erf(z / std::sqrt(2.0))) / 2, 1e-14);
    EXPECT_NEAR(value(ActivationKind::kElu), z > 0 ? z : std::exp(z) - 1, 1e-15);
    EXPECT_EQ(value(ActivationKind::kLeakyRelu), z > 0 ? z : 0.2 * z);
  }
}

TEST(Activation, SlopeOfReluAtZeroIsZero) {
  EXPECT_EQ(at_number(ActivationKind::kRelu, 0.0), std::pair(0.0, 0.0));
}

TEST(Activation, ExtremesStayFiniteAndNanStaysNan) {
  for (const ActivationKind kind : kKinds) {
    for (const float z : {-1e30F, -200.0F, 200.0F, 1e30F}) {
      const auto [value, slope] = at_number(kind, z);
      EXPECT_TRUE(std::isfinite(value) && std::isfinite(slope)) << static_cast<int>(kind) << " at " << z;
    }
    EXPECT_TRUE(std::isnan(at_number(kind, std::nan("")).first)) << static_cast<int>(kind);
    EXPECT_TRUE(std::isnan(at_number(kind, std::nanf("")).first)) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace earshot
