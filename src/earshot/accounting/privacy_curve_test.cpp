#include "earshot/accounting/privacy_curve.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/basic_curves.hpp"
#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/sampled_curves.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// One of each kind that has a hockey-stick curve.
std::vector<ReleasePointer> all_kinds() {
  const auto gaussian = make_release(GaussianRelease{0.8});
  const auto laplace = make_release(LaplaceRelease{1.25});
  return {gaussian,
          make_release(GaussianRelease{20}),
          laplace,
          make_release(DiscreteGaussianRelease{3, 2, 1}),
          make_release(DiscreteLaplaceRelease{2.5, 4}),
          make_release(FinitePairRelease{"3-ary response", {0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}}),
          make_release(FinitePairRelease{"lopsided", {0.6, 0.3, 0.1}, {0.2, 0.2, 0.6}}),
          make_release(CurveRelease{"own", {0, 1, 2}, {0.3, 0.05, 0.001}}),
          make_release(PureRelease{"poll", 1.5}),
          poisson_sampled(0.01, gaussian),
          poisson_sampled(0.7, gaussian),
          poisson_sampled(0.3, laplace),
          poisson_sampled(0.3, make_release(DiscreteLaplaceRelease{2.5, 4})),
          poisson_sampled(0.2, make_release(DiscreteGaussianRelease{3, 2, 1})),
          make_release(SampledWithoutReplacementRelease{100, 20, gaussian}),
          make_release(SampledWithoutReplacementRelease{100, 20, laplace})};
}

constexpr Direction kBoth[] = {Direction::kRemove, Direction::kAdd};
Direction other(Direction d) {
  return d == Direction::kRemove ? Direction::kAdd : Direction::kRemove;
}

TEST(PrivacyCurve, FallsFromOneToZeroAndIsConvexInItsLikelihoodRatio) {
  for (const ReleasePointer& release : all_kinds()) {
    SCOPED_TRACE(describe(*release));
    const auto curve = curve_of(*release);
    for (const Direction d : kBoth) {
      EXPECT_NEAR(curve->delta(d, -60), 1, 1e-9);
      double previous = 1;
      for (double e = -6; e <= 6; e += 0.01) {
        const double delta = curve->delta(d, e);
        EXPECT_LE(delta, previous + 1e-15);
        EXPECT_GE(delta, std::max(0.0, -std::expm1(e)) - 1e-15);
        const double left = curve->delta(d, e - 0.3);
        const double right = curve->delta(d, e + 0.2);
        const double share = (std::exp(e) - std::exp(e - 0.3)) / (std::exp(e + 0.2) - std::exp(e - 0.3));
        EXPECT_LE(delta, (1 - share) * left + share * right + 1e-14);
        previous = delta;
      }
    }
  }
}

/// H_g(P|Q) = 1 - g + g H_{1/g}(Q|P): the two directions are one pair of distributions.
TEST(PrivacyCurve, DirectionsMirrorEachOther) {
  for (const ReleasePointer& release : all_kinds()) {
    SCOPED_TRACE(describe(*release));
    const auto curve = curve_of(*release);
    for (const Direction d : kBoth) {
      for (double e = -3; e <= 3; e += 0.37)
        EXPECT_NEAR(curve->delta(d, e), -std::expm1(e) + std::exp(e) * curve->delta(other(d), -e), 1e-12);
    }
    if (curve->symmetric()) {
      EXPECT_NEAR(curve->delta(Direction::kAdd, 0.5), curve->delta(Direction::kRemove, 0.5), 1e-15);
    }
  }
}

TEST(PrivacyCurve, SlopeIsTheReferenceTail) {
  for (const ReleasePointer& release : all_kinds()) {
    SCOPED_TRACE(describe(*release));
    const auto curve = curve_of(*release);
    for (const Direction d : kBoth) {
      for (double e = -2.9137; e <= 3; e += 0.241) {
        // A curve with atoms bends at them, so the slope lies between those on either side.
        const double step = 1e-6;
        const double slope =
            (curve->delta(d, e) - curve->delta(d, e + step)) / (std::exp(e + step) - std::exp(e));
        EXPECT_LE(slope, curve->reference_tail(d, e) + 1e-8);
        EXPECT_GE(slope, curve->reference_tail(d, e + step) - 1e-8);
      }
    }
  }
}

/// Two independent routes to the same divergence: closed form against integration of the curve.
TEST(PrivacyCurve, RenyiDivergenceIsThatOfTheCurve) {
  for (const ReleasePointer& release : all_kinds()) {
    const auto curve = curve_of(*release);
    if (std::isinf(curve->renyi(2))) continue;
    SCOPED_TRACE(describe(*release));
    const bool discrete_gaussian = std::holds_alternative<DiscreteGaussianRelease>(release->kind);
    for (const double order : {1.1, 2.0, 3.7, 9.0}) {
      const double integrated = renyi_by_quadrature(*curve, order);
      ASSERT_TRUE(std::isfinite(integrated));
      if (discrete_gaussian) {  // known by its continuous bound only
        EXPECT_LE(integrated, curve->renyi(order) * (1 + 1e-3));
        EXPECT_GE(integrated, curve->renyi(order) * 0.8);
      } else {
        EXPECT_NEAR(integrated, curve->renyi(order), 1e-4 * integrated) << order;
      }
    }
    if (const auto rho = curve->concentrated()) {
      for (const double order : {1.001, 1.1, 2.0, 10.0, 100.0})
        EXPECT_LE(curve->renyi(order), *rho * order * (1 + 1e-9));
    }
  }
}

/// integral of f over [from, to], Simpson's rule.
double simpson(const std::function<double(double)>& f, double from, double to, int intervals) {
  const double h = (to - from) / intervals;
  double sum = f(from) + f(to);
  for (int i = 1; i < intervals; ++i) sum += f(from + i * h) * (i % 2 == 0 ? 2 : 4);
  return sum * h / 3;
}

double normal_density(double x, double mean, double sigma) {
  return std::exp(-(x - mean) * (x - mean) / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI));
}

/// The definition itself: integral of (p - e^epsilon q)^+ over the outcomes.
TEST(PrivacyCurve, SampledGaussianIsTheHockeyStickOfItsMixture) {
  for (const double rate : {0.01, 0.3, 0.9}) {
    for (const double sigma : {0.6, 1.0, 4.0}) {
      const auto curve = curve_of(*poisson_sampled(rate, make_release(GaussianRelease{sigma})));
      for (const double e : {-0.5, -0.05, 0.0, 0.01, 0.2, 1.0}) {
        const auto without = [&](double x) { return normal_density(x, 0, sigma); };
        const auto with = [&](double x) {
          return (1 - rate) * without(x) + rate * normal_density(x, 1, sigma);
        };
        const double g = std::exp(e);
        const auto remove = [&](double x) { return std::max(0.0, with(x) - g * without(x)); };
        const auto add = [&](double x) { return std::max(0.0, without(x) - g * with(x)); };
        EXPECT_NEAR(curve->delta(Direction::kRemove, e), simpson(remove, -12 * sigma, 12 * sigma + 1, 40000),
                    1e-7);
        EXPECT_NEAR(curve->delta(Direction::kAdd, e), simpson(add, -12 * sigma, 12 * sigma + 1, 40000), 1e-7);
      }
    }
  }
}

TEST(PrivacyCurve, LaplaceIsTheHockeyStickOfItsShift) {
  const double shift = 1.7;
  const LaplaceCurve curve(shift);
  const auto density = [](double x) { return 0.5 * std::exp(-std::abs(x)); };
  for (const double e : {-2.0, -1.0, 0.0, 0.4, 1.5, 1.69, 2.0}) {
    const auto difference = [&](double x) {
      return std::max(0.0, density(x) - std::exp(e) * density(x - shift));
    };
    EXPECT_NEAR(curve.delta(Direction::kRemove, e), simpson(difference, -40, 40, 160000), 1e-6);
  }
  // The divergence of order a at shift t is ln(a/(2a-1) e^((a-1)t) + (a-1)/(2a-1) e^(-at)) / (a-1).
  EXPECT_NEAR(LaplaceCurve(0.5).renyi(2), 0.200304, 1e-6);
  EXPECT_NEAR(LaplaceCurve(1).renyi(2), 0.619124, 1e-6);
  EXPECT_NEAR(LaplaceCurve(0.1).renyi(8), 0.0356768, 1e-7);
  EXPECT_NEAR(LaplaceCurve(0.05).renyi(32), 0.0294605, 1e-7);
}

/// Spreading the L1 sensitivity over two coordinates never tells more than moving one: checked on the
/// convolution of two shifted Laplace pairs, by summing over a fine grid of both losses.
TEST(PrivacyCurve, OneCoordinateDominatesLaplaceOnSeveral) {
  const double a = 0.4;
  const double b = 1.1;
  const LaplaceCurve first(a), second(b), joined(a + b);
  for (const double e : {0.0, 0.2, 0.7, 1.2, 1.45}) {
    // delta of the product: E over the first loss l under P of delta_2(e - l).
    const auto tail = [&](double l) {  // P[first loss > l]
      return first.delta(Direction::kRemove, l) + std::exp(l) * first.reference_tail(Direction::kRemove, l);
    };
    double product = 0;
    double above = tail(-a - 1e-12);
    constexpr int kCells = 4000;
    product += (1 - above) * second.delta(Direction::kRemove, e + a);
    for (int i = 0; i < kCells; ++i) {
      const double l = -a + 2 * a * (i + 1) / kCells;
      const double next = i + 1 == kCells ? 0 : tail(l);
      product += (above - next) * second.delta(Direction::kRemove, e - l);
      above = next;
    }
    EXPECT_LE(product, joined.delta(Direction::kRemove, e) + 1e-3);
  }
}

TEST(PrivacyCurve, DiscreteNoiseIsTheSumOverItsOutcomes) {
  const int shift = 3;
  const double sigma = 2.2;
  const double scale = 1.9;
  const auto check = [&](const PrivacyCurve& curve, const std::function<double(int)>& weight) {
    double total = 0;
    for (int k = -400; k <= 400; ++k) total += weight(k);
    for (double e = -4; e <= 4; e += 0.173) {
      double delta = 0;
      for (int k = -400; k <= 400; ++k)
        delta += std::max(0.0, weight(k) - std::exp(e) * weight(k - shift)) / total;
      EXPECT_NEAR(curve.delta(Direction::kRemove, e), delta, 1e-13) << curve.name() << " at " << e;
    }
    for (const double order : {1.5, 2.0, 6.0}) {
      double moment = 0;
      for (int k = -40; k <= 40; ++k)
        moment += weight(k) * std::pow(weight(k) / weight(k - shift), order - 1) / total;
      EXPECT_LE(std::log(moment) / (order - 1), curve.renyi(order) + 1e-12);
    }
  };
  check(DiscreteGaussianCurve(sigma, shift), [&](int k) { return std::exp(-k * k / (2 * sigma * sigma)); });
  check(DiscreteLaplaceCurve(scale, shift), [&](int k) { return std::exp(-std::abs(k) / scale); });
}

TEST(PrivacyCurve, SamplingWithoutReplacementAmplifiesAsProven) {
  // Balle, Barthe & Gaboardi 2018, Theorem 9, at a few epsilons of the base.
  const double rate = 0.2;
  const auto base = curve_of(*make_release(GaussianRelease{1}));
  const auto sampled =
      curve_of(*make_release(SampledWithoutReplacementRelease{10, 2, make_release(GaussianRelease{1})}));
  for (const double e : {0.1, 1.0, 3.0}) {
    const double amplified = std::log1p(rate * std::expm1(e));
    EXPECT_NEAR(sampled->delta(Direction::kAdd, amplified), rate * base->delta(Direction::kAdd, e), 1e-14);
  }
}

TEST(PrivacyCurve, ACurveThroughPointsMeetsThemAndNothingLess) {
  const CurveRelease points{"own", {0, 1, 2}, {0.3, 0.05, 0.001}};
  const FinitePairCurve curve = curve_through(points);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(curve.delta(Direction::kRemove, points.epsilon[i]), points.delta[i], 1e-12);
  EXPECT_NEAR(curve.delta(Direction::kRemove, 50), 0.001, 1e-12);  // never better than the last point
  EXPECT_TRUE(std::isinf(curve.renyi(2)));
  // One point is (epsilon, delta)-DP at its worst: the pair of Kairouz, Oh & Viswanath 2015.
  const FinitePairCurve single = curve_through({"eps-delta", {1}, {0.1}});
  EXPECT_NEAR(single.delta(Direction::kAdd, 0), 0.1 + 0.9 * std::tanh(0.5), 1e-12);
  // A point above the chord of its neighbours says nothing new.
  const FinitePairCurve slack = curve_through({"slack", {0, 1, 2}, {0.3, 0.3, 0.001}});
  EXPECT_LT(slack.delta(Direction::kRemove, 1), 0.25);
}

TEST(PrivacyCurve, FractionalOrdersLieBetweenWholeOnes) {
  for (const double rate : {1e-4, 0.01, 0.5, 0.95}) {
    for (const double sigma : {0.4, 1.0, 5.0}) {
      for (const int order : {2, 3, 7, 20}) {
        const double whole = poisson_gaussian_renyi(rate, sigma, order);
        EXPECT_NEAR(poisson_gaussian_renyi(rate, sigma, order + 1e-9), whole, 1e-6 * whole);
        EXPECT_LE(poisson_gaussian_renyi(rate, sigma, order - 0.5), whole);
      }
    }
  }
  EXPECT_DOUBLE_EQ(poisson_gaussian_renyi(1, 2, 3), 3.0 / 8);
}

/// At high orders the curve underflows before the integral converges: then the unsampled divergence stands.
TEST(PrivacyCurve, DivergencesOfHighOrderStayUpperBounds) {
  const auto base = curve_of(*make_release(GaussianRelease{0.5}));
  const auto sample =
      curve_of(*make_release(SampledWithoutReplacementRelease{100, 50, make_release(GaussianRelease{0.5})}));
  double last = 0;
  for (const double order : {2.0, 8.0, 20.0, 40.0, 100.0}) {
    EXPECT_LE(sample->renyi(order), base->renyi(order));
    EXPECT_GE(sample->renyi(order), last);  // divergences grow with their order
    last = sample->renyi(order);
  }
  EXPECT_GT(last, 0.9 * base->renyi(100));
}

TEST(PrivacyCurve, WhatHasNoCurveIsRefusedByName) {
  const auto refuses = [](const ReleasePointer& release, const std::string& sentence) {
    EXPECT_THAT([&] { curve_of(*release)->delta(Direction::kAdd, 1); },
                ThrowsMessage<Error>(HasSubstr(sentence)));
  };
  refuses(make_release(MetricRelease{"place", 1, 0, "km"}), "a \"metric\" release has no privacy curve");
  refuses(repeated(2, make_release(GaussianRelease{1})), "a \"repeated\" release");
  refuses(make_release(NotPrivateRelease{"x"}), "a \"not_private\" release");
  refuses(make_release(DiscreteGaussianRelease{1, 2, 5}), "known by its Renyi divergence only");
  refuses(make_release(ConcentratedRelease{"sketch", 1}), "sketch is known by its Renyi divergence only");
}

}  // namespace
}  // namespace earshot
