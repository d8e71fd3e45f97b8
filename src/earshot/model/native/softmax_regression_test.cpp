#include "earshot/model/native/softmax_regression.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace earshot {
namespace {

struct Problem {
  SoftmaxRegression model{7, 4};
  std::size_t size = 3;
  std::vector<double> parameters, inputs, targets, direction;

  explicit Problem(std::uint64_t seed, bool soft) {
    Stream stream({seed, Purpose::kTest});
    auto fill = [&](std::vector<double>& v, std::size_t count) {
      v.resize(count);
      stream.fill_normal(v, 0.7);
    };
    fill(parameters, model.parameter_count());
    fill(inputs, size * 7);
    fill(direction, model.parameter_count());
    targets.assign(size * 4, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      if (!soft) targets[4 * i + stream.below(4)] = 1;
      for (std::size_t k = 0; soft && k < 4; ++k)
        targets[4 * i + k] = stream.uniform();  // need not sum to one
    }
  }
  Batch batch() const { return {size, inputs, targets}; }
  double loss() const {
    std::vector<double> p(size * 4);
    model.predict(parameters, size, inputs, p);
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) total -= targets[i] * std::log(p[i]);
    return total / static_cast<double>(size);
  }
  double pulled() const {
    std::vector<double> g(model.parameter_count());
    model.gradient(parameters, batch(), g);
    double sum = 0;
    for (std::size_t i = 0; i < g.size(); ++i) sum += g[i] * direction[i];
    return sum;
  }
};

/// Central difference with the step that balances truncation and rounding in double: error about 1e-10.
template <class Function>
double derivative(double& at, Function f) {
  const double centre = at;
  const double h = 1e-5;
  at = centre + h;
  const double above = f();
  at = centre - h;
  const double below = f();
  at = centre;
  return (above - below) / (2 * h);
}

class SoftmaxRegressionDerivatives : public testing::TestWithParam<bool> {};

TEST_P(SoftmaxRegressionDerivatives, GradientEqualsFiniteDifferences) {
  Problem problem(1, GetParam());
  std::vector<double> g(problem.model.parameter_count());
  EXPECT_NEAR(problem.model.gradient(problem.parameters, problem.batch(), g), problem.loss(), 1e-12);
  for (std::size_t i = 0; i < g.size(); ++i) {
    EXPECT_NEAR(g[i], derivative(problem.parameters[i], [&] { return problem.loss(); }), 1e-8);
  }
}

TEST_P(SoftmaxRegressionDerivatives, PullbackEqualsFiniteDifferencesOfTheGradient) {
  Problem problem(2, GetParam());
  std::vector<double> dx(problem.inputs.size()), dq(problem.targets.size());
  problem.model.pullback(problem.parameters, problem.batch(), problem.direction, {dx, dq});
  for (std::size_t i = 0; i < dx.size(); ++i) {
    EXPECT_NEAR(dx[i], derivative(problem.inputs[i], [&] { return problem.pulled(); }), 1e-8);
  }
  for (std::size_t i = 0; i < dq.size(); ++i) {
    EXPECT_NEAR(dq[i], derivative(problem.targets[i], [&] { return problem.pulled(); }), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(HardAndSoftLabels, SoftmaxRegressionDerivatives, testing::Bool());

TEST(SoftmaxRegression, LargeLogitsStayFinite) {
  SoftmaxRegression model(1, 2);
  const std::vector<double> parameters = {1e4, -1e4, 0, 0}, input = {1}, target = {0, 1};
  std::vector<double> g(4);
  EXPECT_DOUBLE_EQ(model.gradient(parameters, {1, input, target}, g), 2e4);
  EXPECT_DOUBLE_EQ(g[0], 1);
  EXPECT_DOUBLE_EQ(g[1], -1);
}

TEST(SoftmaxRegression, EmptyBatchHasZeroGradient) {
  SoftmaxRegression model(2, 2);
  const std::vector<double> parameters(6, 0.5);
  std::vector<double> g(6, 9.0);
  EXPECT_EQ(model.gradient(parameters, {}, g), 0);
  EXPECT_EQ(g, std::vector<double>(6, 0.0));
}

}  // namespace
}  // namespace earshot
