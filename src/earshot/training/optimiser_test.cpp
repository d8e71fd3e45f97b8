#include "earshot/training/optimiser.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// On f(w) = c w^2 / 2 plain descent multiplies w by 1 - rate (c + decay).
TEST(Sgd, FollowsTheClosedFormOnAParabola) {
  Sgd sgd(2, {0.1, 0, 0.5});
  std::vector<double> w{3, -2};
  const std::vector<double> curvature{1, 4};
  for (int t = 1; t <= 20; ++t) {
    const std::vector<double> g{curvature[0] * w[0], curvature[1] * w[1]};
    sgd.step(w, g);
    EXPECT_NEAR(w[0], 3 * std::pow(1 - 0.1 * 1.5, t), 1e-12);
    EXPECT_NEAR(w[1], -2 * std::pow(1 - 0.1 * 4.5, t), 1e-12);
  }
}

/// With a constant gradient the velocity is the geometric sum (1 - mu^t) / (1 - mu).
TEST(Sgd, MomentumAddsUpGeometrically) {
  Sgd sgd(1, {0.01, 0.9, 0});
  std::vector<double> w{0};
  double expected = 0;
  for (int t = 1; t <= 30; ++t) {
    sgd.step(w, std::vector<double>{2});
    expected -= 0.01 * 2 * (1 - std::pow(0.9, t)) / (1 - 0.9);
    EXPECT_NEAR(w[0], expected, 1e-12);
  }
}

TEST(Adam, FirstStepIsTheRateInTheGradientsDirection) {
  Adam adam(3, {0.25, 0, false});
  std::vector<double> w{1, 1, 1};
  adam.step(w, std::vector<double>{7, -1e-3, 0});
  EXPECT_THAT(w, ElementsAre(DoubleNear(0.75, 1e-6), DoubleNear(1.25, 1e-5), 1));
}

/// Algorithm 1 of Kingma & Ba 2015 as printed, with bias-corrected moments; AMSGrad keeps the largest second
/// moment before correction.
TEST(Adam, FollowsThePaperStepByStep) {
  for (const bool amsgrad : {false, true}) {
    Adam adam(1, {0.05, 0.1, amsgrad});
    std::vector<double> w{2};
    double theta = 2, m = 0, v = 0, largest = 0;
    for (int t = 1; t <= 50; ++t) {
      const double raw = std::sin(3.0 * t) * std::exp(-0.05 * t);
      adam.step(w, std::vector<double>{raw});
      const double g = raw + 0.1 * theta;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      largest = amsgrad ? std::max(largest, v) : v;
      const double m_hat = m / (1 - std::pow(0.9, t));
      const double v_hat = largest / (1 - std::pow(0.999, t));
      theta -= 0.05 * m_hat / (std::sqrt(v_hat) + 1e-8);
      ASSERT_NEAR(w[0], theta, 1e-12);
    }
  }
}

/// Whatever the vectors of the processor: a parameter's steps do not depend on its neighbours, to the bit.
TEST(Adam, MovesEveryParameterAsIfItWereAlone) {
  constexpr std::size_t kSize = 37;
  for (const bool amsgrad : {false, true}) {
    const AdamOptions options{0.05, 0.1, amsgrad};
    Adam together(kSize, options);
    std::vector<Adam> alone(kSize, Adam(1, options));
    std::vector<double> w(kSize, 2), g(kSize), single(kSize, 2);
    for (int t = 1; t <= 50; ++t) {
      for (std::size_t i = 0; i < kSize; ++i) g[i] = std::sin(3.0 * t + static_cast<double>(i * i));
      together.step(w, g);
      for (std::size_t i = 0; i < kSize; ++i)
        alone[i].step(std::span(single).subspan(i, 1), std::span(g).subspan(i, 1));
    }
    EXPECT_EQ(w, single);
  }
}

TEST(Adam, AmsgradRemembersTheLargestGradient) {
  const auto last_step = [](bool amsgrad) {
    Adam adam(1, {0.1, 0, amsgrad});
    std::vector<double> x{0};
    adam.step(x, std::vector<double>{100});
    for (int i = 0; i < 5000; ++i) adam.step(x, std::vector<double>{0.01});
    const double before = x[0];
    adam.step(x, std::vector<double>{0.01});
    return std::abs(x[0] - before);
  };
  EXPECT_LT(last_step(true), 0.1 * last_step(false));
}

TEST(Optimisers, RefuseImpossibleRates) {
  EXPECT_THROW(Sgd(1, {0}), Error);
  EXPECT_THROW(Sgd(1, {std::nan("")}), Error);
  EXPECT_THROW(Sgd(1, {0.1, 1}), Error);
  EXPECT_THROW(Sgd(1, {0.1, 0, -1}), Error);
  EXPECT_THROW(Adam(1, {INFINITY}), Error);
  Sgd sgd(2, {0.1});
  std::vector<double> w(2);
  EXPECT_THROW(sgd.step(w, std::vector<double>(3)), Error);
}

}  // namespace
}  // namespace earshot
