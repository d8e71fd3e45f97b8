#include "earshot/attack/inversion/descent.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/lbfgs.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using Function = double (*)(std::span<const double>, std::span<double>);

/// Rosenbrock 1960 in pairs of variables: minimum 0 at (1, ..., 1) behind a curved valley.
double rosenbrock(std::span<const double> x, std::span<double> g) {
  double value = 0;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    const double bend = x[i + 1] - x[i] * x[i];
    value += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    g[i] = -400 * bend * x[i] - 2 * (1 - x[i]);
    g[i + 1] = 200 * bend;
  }
  return value;
}

/// Powell 1962: the Hessian at the minimum 0 is singular.
double powell(std::span<const double> x, std::span<double> g) {
  const double a = x[0] + 10 * x[1];
  const double b = x[2] - x[3];
  const double c = x[1] - 2 * x[2];
  const double d = x[0] - x[3];
  g[0] = 2 * a + 40 * d * d * d;
  g[1] = 20 * a + 4 * c * c * c;
  g[2] = 10 * b - 8 * c * c * c;
  g[3] = -10 * b - 40 * d * d * d;
  return a * a + 5 * b * b + c * c * c * c + 10 * d * d * d * d;
}

/// A quadratic bowl with condition number 10^4 and minimum 0 at (1, ..., 1).
double bowl(std::span<const double> x, std::span<double> g) {
  double value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double steepness = std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1));
    value += 0.5 * steepness * (x[i] - 1) * (x[i] - 1);
    g[i] = steepness * (x[i] - 1);
  }
  return value;
}

/// Not defined for x <= 0; minimum 1 at x = 1.
double logarithm(std::span<const double> x, std::span<double> g) {
  g[0] = 1 - 1 / x[0];
  return x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::quiet_NaN();
}

void run(Descent& descent, Function function) {
  std::vector<double> gradient(descent.wanted().size());
  while (!descent.finished()) {
    const double value = function(descent.wanted(), gradient);
    descent.tell(value, gradient);
  }
}

std::unique_ptr<Descent> descended(const DescentOptions& options, std::vector<double> start,
                                   Function function) {
  auto descent = make_descent(options, start);
  run(*descent, function);
  return descent;
}

TEST(Descent, LbfgsFindsTheMinimaOfStandardProblems) {
  const LbfgsOptions options{.iterations = 500};
  std::vector<double> start(20);
  for (std::size_t i = 0; i < 20; ++i) start[i] = i % 2 == 0 ? -1.2 : 1.0;
  const auto valley = descended(options, start, rosenbrock);
  EXPECT_LT(valley->best_value(), 1e-25);
  for (const double x : valley->best()) EXPECT_NEAR(x, 1, 1e-11);
  EXPECT_LT(valley->evaluations(), 200U);
  EXPECT_LT(descended(options, {3, -1, 0, 1}, powell)->best_value(), 1e-12);
  EXPECT_LT(descended(LbfgsOptions{.iterations = 3000}, std::vector<double>(50, -3.0), bowl)->best_value(),
            1e-20);
}

TEST(Descent, LbfgsStepsBackFromWhereNothingIsDefined) {
  const auto descent = descended(LbfgsOptions{}, {0.001}, logarithm);  // the first step would overshoot
  EXPECT_NEAR(descent->best()[0], 1, 1e-7);
  EXPECT_NEAR(descended(LbfgsOptions{}, {50.0}, logarithm)->best()[0], 1, 1e-7);
}

TEST(Descent, LbfgsEndsWhereItIsToldTo) {
  EXPECT_LE(descended(LbfgsOptions{.iterations = 7}, std::vector<double>(50, -3.0), bowl)->iterations(), 7U);
  const auto enough = descended(LbfgsOptions{.target = 1e-3}, std::vector<double>(50, -3.0), bowl);
  EXPECT_LE(enough->best_value(), 1e-3);
  EXPECT_GT(enough->best_value(), 1e-12);
  const auto at_minimum = descended(LbfgsOptions{}, std::vector<double>(50, 1.0), bowl);
  EXPECT_EQ(at_minimum->evaluations(), 1U);
}

TEST(Descent, AStartWithoutAFiniteValueEndsWithoutAPoint) {
  const auto descent = descended(LbfgsOptions{}, {-1.0}, logarithm);
  EXPECT_TRUE(descent->best().empty());
  EXPECT_EQ(descent->evaluations(), 1U);
}

/// In exact arithmetic BFGS with exact steps ends a quadratic problem of n variables in n steps; the limited
/// memory keeps all of them here.
TEST(Descent, TheInverseHessianReproducesItsSecants) {
  Stream stream({3});
  InverseHessian hessian(6, 4);
  std::vector<double> step(6), change(6), out(6);
  for (int k = 0; k < 9; ++k) {  // more than it keeps
    stream.fill_normal(step, 1);
    for (std::size_t i = 0; i < 6; ++i) change[i] = static_cast<double>(i + 1) * step[i];
    hessian.add(step, change);
  }
  hessian.descent_direction(change, out);  // the newest secant: H y = s
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], -step[i], 1e-12);
  const std::vector<double> backwards(6, -1.0), ones(6, 1.0);
  hessian.add(backwards, ones);  // negative curvature is not learnt
  hessian.descent_direction(change, out);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], -step[i], 1e-12);
}

TEST(Descent, AdamFollowsItsRuleStepByStep) {
  // Kingma & Ba 2015, algorithm 1, by hand for two steps of f(x) = x^2 from 3 at rate 0.5.
  auto descent = make_descent(FirstOrderOptions{.iterations = 10, .rate = 0.5, .decay = false},
                              std::vector<double>{3.0});
  descent->tell(9, std::vector<double>{6.0});
  EXPECT_NEAR(descent->wanted()[0], 2.5, 1e-8);  // the first step is the rate, whatever the gradient
  descent->tell(6.25, std::vector<double>{5.0});
  const double m = (0.9 * 0.6 + 0.5) / (1 - 0.81);
  const double v = (0.999 * 0.036 + 0.025) / (1 - 0.998001);
  EXPECT_NEAR(descent->wanted()[0], 2.5 - 0.5 * m / (std::sqrt(v) + 1e-8), 1e-9);
}

TEST(Descent, FirstOrderMethodsReachTheBowl) {
  const auto square = [](std::span<const double> x, std::span<double> g) {
    g[0] = 2 * (x[0] - 2);
    return (x[0] - 2) * (x[0] - 2);
  };
  EXPECT_NEAR(descended(FirstOrderOptions{}, {-3.0}, square)->best()[0], 2, 1e-4);
  EXPECT_NEAR(descended(FirstOrderOptions{.signs = true}, {-3.0}, square)->best()[0], 2, 1e-3);
  EXPECT_NEAR(descended(FirstOrderOptions{.rule = StepRule::kGradient}, {-3.0}, square)->best()[0], 2, 1e-9);
  const auto signs =
      descended(FirstOrderOptions{.rule = StepRule::kGradient, .rate = 0.1, .signs = true}, {-3.0}, square);
  EXPECT_NEAR(signs->best()[0], 2, 1e-3);
  EXPECT_EQ(signs->evaluations(), 2001U);
}

TEST(Descent, RatesFallToATenthThreeTimes) {
  const auto slope = [](std::span<const double> x, std::span<double> g) {
    g[0] = 1;
    return x[0];
  };
  // 800 steps: 300 of 1, 200 of 0.1, 200 of 0.01, 100 of 0.001, then the last point is told.
  const auto descent =
      descended(FirstOrderOptions{.rule = StepRule::kGradient, .iterations = 800, .rate = 1}, {0.0}, slope);
  EXPECT_NEAR(descent->best()[0], -(300 + 20 + 2 + 0.1), 1e-9);
}

TEST(Descent, ABoxHoldsItsVariablesAndNoOthers) {
  const auto down = [](std::span<const double> x, std::span<double> g) {
    g[0] = g[1] = 1;
    return x[0] + x[1];
  };
  const Box box{1, 0.25, 1};
  for (const DescentOptions& options :
       {DescentOptions{FirstOrderOptions{.iterations = 50, .box = box}},
        DescentOptions{FirstOrderOptions{.rule = StepRule::kGradient, .iterations = 50, .box = box}}}) {
    const auto descent = descended(options, {7.0, 7.0}, down);
    EXPECT_EQ(descent->best()[0], 0.25);
    EXPECT_LT(descent->best()[1], 6.0);
  }
}

TEST(Descent, TogetherIsTheSameAsOneByOne) {
  const std::vector<DescentOptions> kinds{LbfgsOptions{.iterations = 60}, LbfgsOptions{.iterations = 5},
                                          FirstOrderOptions{.iterations = 40}};
  std::vector<std::unique_ptr<Descent>> together;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    together.push_back(make_descent(kinds[i], std::vector<double>{-1.2, 1.0 + static_cast<double>(i)}));
  std::size_t batches = 0;
  descend_together(
      together,
      [](std::span<const std::size_t> which, std::span<const double> points, std::span<double> values,
         std::span<double> gradients) {
        for (std::size_t k = 0; k < which.size(); ++k)
          values[k] = rosenbrock(points.subspan(2 * k, 2), gradients.subspan(2 * k, 2));
      },
      {}, [&](const SearchStep& step) { batches = step.batches; });
  std::size_t longest = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto alone = descended(kinds[i], {-1.2, 1.0 + static_cast<double>(i)}, rosenbrock);
    EXPECT_EQ(together[i]->best_value(), alone->best_value());
    EXPECT_EQ(together[i]->evaluations(), alone->evaluations());
    longest = std::max(longest, alone->evaluations());
  }
  EXPECT_EQ(batches, longest);
}

/// Descends a parabola (x - 0)^2 from x = 1, 2, 3 ... by small steps, so that the order never changes.
std::vector<std::unique_ptr<Descent>> raced(std::size_t count, const std::optional<Race>& race, double target,
                                            std::size_t* batches = nullptr) {
  std::vector<std::unique_ptr<Descent>> descents;
  for (std::size_t i = 0; i < count; ++i) {
    const FirstOrderOptions options{
        .rule = StepRule::kGradient, .iterations = 64, .rate = 0.05, .decay = false, .target = target};
    descents.push_back(make_descent(options, std::vector<double>{static_cast<double>(count - i)}));
  }
  descend_together(
      descents,
      [](std::span<const std::size_t> which, std::span<const double> x, std::span<double> values,
         std::span<double> gradients) {
        for (std::size_t k = 0; k < which.size(); ++k) {
          values[k] = x[k] * x[k];
          gradients[k] = 2 * x[k];
        }
      },
      race,
      [&](const SearchStep& step) {
        if (batches != nullptr) *batches = step.batches;
      });
  return descents;
}

TEST(Race, TheWorseHalfEndsFourTimesAndTheBestIsThatOfAll) {
  constexpr std::size_t kCount = 64;
  const auto all = raced(kCount, {}, 0);
  const auto descents = raced(kCount, Race{.steps = 64}, 0);
  std::size_t evaluations = 0, whole = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    evaluations += descents[i]->evaluations();
    whole += all[i]->evaluations();
    // The last ones began nearest to the minimum.
    EXPECT_EQ(descents[i]->evaluations(), i < 32 ? 4U : i < 48 ? 8U : i < 56 ? 16U : i < 60 ? 32U : 65U) << i;
    EXPECT_EQ(descents[i]->dropped(), i < 60) << i;
  }
  EXPECT_EQ(descents.back()->best_value(), all.back()->best_value());
  EXPECT_LT(5 * evaluations, whole);
}

TEST(Race, FewGoOnToTheEnd) {
  for (const auto& descent : raced(4, Race{.steps = 64}, 0)) EXPECT_FALSE(descent->dropped());
  const auto five = raced(5, Race{.steps = 64}, 0);
  EXPECT_TRUE(five.front()->dropped());
  for (std::size_t i = 1; i < 5; ++i) EXPECT_FALSE(five[i]->dropped()) << i;
}

TEST(Race, AllEndWhenOneIsAtTheTarget) {
  std::size_t batches = 0;
  const auto descents = raced(3, Race{.steps = 64, .target = 0.5}, 0.5, &batches);
  EXPECT_LE(descents.back()->best_value(), 0.5);
  EXPECT_FALSE(descents.back()->dropped());
  EXPECT_EQ(descents.back()->evaluations(), batches);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(descents[i]->dropped());
    EXPECT_EQ(descents[i]->evaluations(), batches);
    EXPECT_GT(descents[i]->best_value(), 0.5);
  }
}

TEST(Descent, NoHistoryIsRefused) {
  EXPECT_THROW(make_descent(LbfgsOptions{.history = 0}, std::vector<double>{1.0}), Error);
}

}  // namespace
}  // namespace earshot
