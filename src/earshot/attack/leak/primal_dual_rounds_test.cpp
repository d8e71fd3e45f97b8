#include "earshot/attack/leak/primal_dual_rounds.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/dense_inversion.hpp"
#include "earshot/attack/leak/primal_dual_leak.hpp"
#include "earshot/attack/leak/primal_dual_test_run.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::OverheardRun;
using testing::with;

const Json kHidden{{"messages", "differential"}, {"z_deviation", 1}};

double error(const OverheardRun& run, const Leak& leak, const Architecture& model) {
  const auto part = first_dense(model, leak.observation.values);
  const auto found = invert_dense(*part, DenseFit::kRankOne);
  return (Eigen::Map<const VectorXd>(found->input.data(), 2) - run.input(leak.victim)).norm();
}

Architecture network(int kind) {
  if (kind == 0) return testing::logistic();
  if (kind == 1) return {"", {2}, {Dense{2}}};
  return {"", {2}, {Dense{8}, Activate{}, Dense{2}}};
}

TEST(PrimalDualRounds, ManyRoundsAreExactWithoutNoise) {
  for (const int kind : {0, 1, 2}) {
    const Architecture model = network(kind);
    const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), testing::geometric(8, 0.5),
                           testing::tapping_all(8, {}), 8, 1, model);
    const auto leaks = primal_dual_leaks(run.view(), {.rounds = 5, .together = true});
    ASSERT_EQ(leaks.size(), 8U);
    for (const Leak& leak : leaks) {
      EXPECT_LT(error(run, leak, model), 1e-10) << kind;
      EXPECT_EQ(leak.rounds, 7U);
    }
  }
}

/// Multiples of one vector with noise: the sum of least squares, found here by a search over directions.
TEST(PrimalDualRounds, TheSumIsInTheDirectionOfLeastSquares) {
  Stream stream({3, Purpose::kTest});
  const Eigen::Vector2d truth(1, 2);
  std::vector<VectorXd> noisy;
  for (int t = 0; t < 12; ++t) {
    const double size = stream.normal();
    noisy.emplace_back(size * truth + 0.2 * Eigen::Vector2d(stream.normal(), stream.normal()));
  }
  const VectorXd sum = aligned_sum(noisy);
  double best = 0, angle = 0;
  for (int k = 0; k < 200'000; ++k) {
    const double at = std::numbers::pi * k / 200'000;
    double along = 0;
    for (const VectorXd& one : noisy)
      along += std::pow(one.dot(Eigen::Vector2d(std::cos(at), std::sin(at))), 2);
    if (along > best) best = along, angle = at;
  }
  EXPECT_NEAR(std::atan(sum[1] / sum[0]), std::atan(std::tan(angle)), 1e-4);
  EXPECT_NEAR(sum.norm(), best, 1e-6 * best);
}

/// Rounded messages: many rounds and all links are better than one of each.
TEST(PrimalDualRounds, AveragingWeakensQuantisation) {
  const Graph graph = testing::geometric(30, 0.4);
  const OverheardRun run(pdmm_component(), with(with(testing::one_step(), kHidden), {{"cell_width", 1e-4}}),
                         graph, testing::tapping_all(30, {}), 40);
  const auto median_error = [&](Links links, std::uint64_t rounds) {
    std::vector<double> errors;
    for (const Leak& leak :
         primal_dual_leaks(run.view(), {.links = links, .rounds = rounds, .together = true}))
      errors.push_back(error(run, leak, testing::logistic()));
    std::ranges::sort(errors);
    return errors[errors.size() / 2];
  };
  const double one = median_error(Links::kOne, 1), links = median_error(Links::kAll, 1),
               both = median_error(Links::kAll, 30);
  EXPECT_GT(one, 1e-3);
  EXPECT_LT(links, one / 1.5);
  EXPECT_LT(both, links / 1.5);
}

TEST(PrimalDualRounds, ASecretStepIsFittedFromAFewRounds) {
  for (const int kind : {0, 1, 2}) {
    for (const Json& rule : {testing::one_step(), testing::parabola()}) {
      const Architecture model = network(kind);
      const OverheardRun run(pdmm_component(), with(with(rule, kHidden), {{"private_step", true}}),
                             testing::geometric(8, 0.5), testing::tapping_all(8, {}), 10, 1, model);
      const auto leaks = primal_dual_leaks(run.view(), {.fit_step = &model});
      ASSERT_EQ(leaks.size(), 8U);
      for (const Leak& leak : leaks) EXPECT_LT(error(run, leak, model), 1e-6) << kind;
    }
  }
}

TEST(PrimalDualRounds, AStepIsNotFittedWhereNothingTellsIt) {
  const Architecture model = testing::logistic();
  const std::vector<SteppedDifference> flat{{VectorXd::Ones(3), VectorXd::Zero(3)},
                                            {VectorXd::Ones(3), VectorXd::Zero(3)}};
  EXPECT_FALSE(fit_step(model, LocalRule::kOneStep, flat));
  EXPECT_FALSE(fit_step(model, LocalRule::kOneStep, {}));
  EXPECT_THROW(fit_step(model, LocalRule::kExact, flat), Error);
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), testing::ring(5),
                         testing::tapping_all(5, {}), 8, 2);
  EXPECT_THROW(primal_dual_leaks(run.view(), {.fit_step = &model}), Error);  // two records each
}

/// I(X; A) of jointly normal variables, from their covariances.
double information(const MatrixXd& x, const MatrixXd& a) {
  const auto log_det = [](const MatrixXd& m) {
    return 2 * MatrixXd(m.llt().matrixL()).diagonal().array().log().sum();
  };
  MatrixXd both(x.rows() + a.rows(), x.cols());
  both << x, a;
  return (log_det(x * x.transpose()) + log_det(a * a.transpose()) - log_det(both * both.transpose())) / 2;
}

/// Yu 2026, appendix: all gradients tell at least as much of the records as their differences over two
/// rounds, I(X; A_c) - I(X; A_d) = I(X; first two gradients | A_d) >= 0. Least squares with one normal target
/// per node, gradient descent and noise on every gradient: everything is linear in normal variables (rows
/// below are coefficients), so all three are determinants.
TEST(PrimalDualRounds, DifferencesTellNoMoreThanGradients) {
  constexpr int kNodes = 4, kRounds = 6;
  constexpr int kVariables = kNodes + kNodes * kRounds;
  Stream stream({5, Purpose::kTest});
  double gap = 0;
  for (int trial = 0; trial < 20; ++trial) {
    VectorXd slope(kNodes);
    for (double& one : slope) one = 1 + stream.uniform();
    MatrixXd targets = MatrixXd::Zero(kNodes, kVariables);
    targets.leftCols(kNodes).setIdentity();
    MatrixXd gradients(kNodes * kRounds, kVariables), w = MatrixXd::Zero(1, kVariables);
    for (int t = 0; t < kRounds; ++t) {
      for (int i = 0; i < kNodes; ++i) {
        auto gradient = gradients.row(t * kNodes + i);
        gradient = slope[i] * (slope[i] * w - targets.row(i));
        gradient[kNodes + t * kNodes + i] += 0.1;
      }
      w -= 0.1 * gradients.middleRows(t * kNodes, kNodes).colwise().sum();
    }
    const MatrixXd differences =
        gradients.topRows(kNodes * (kRounds - 2)) - gradients.bottomRows(kNodes * (kRounds - 2));
    MatrixXd differences_and_first(kNodes * kRounds, kVariables);
    differences_and_first << differences, gradients.topRows(2 * kNodes);
    const double centralised = information(targets, gradients);
    const double decentralised = information(targets, differences);
    EXPECT_GT(centralised, decentralised);
    EXPECT_NEAR(information(targets, differences_and_first), centralised, 1e-8);
    gap += (centralised - decentralised) / 20;
  }
  EXPECT_GT(gap, 1);
}

}  // namespace
}  // namespace earshot
