#include "earshot/attack/leak/primal_dual_rounds.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

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

std::vector<VectorXd> values(const VictimDifferences& victim, double s) {
  std::vector<VectorXd> all;
  for (const SteppedDifference& one : victim.differences) all.push_back(one.value(s));
  return all;
}
double error(const OverheardRun& run, NodeId victim, const std::optional<std::vector<double>>& input) {
  return (Eigen::Map<const VectorXd>(input->data(), 2) - run.input(victim)).norm();
}

Architecture network(int kind) {
  if (kind == 0) return testing::logistic();
  if (kind == 1) return {"", {2}, {Dense{2}}};
  return {"", {2}, {Dense{8}, Activate{}, Dense{2}}};
}

TEST(PrimalDualRounds, LeastSquaresOverRoundsIsExactWithoutNoise) {
  for (const int kind : {0, 1, 2}) {
    const Architecture model = network(kind);
    const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), testing::geometric(8, 0.5),
                           testing::tapping_all(8, {}), 8, 1, model);
    for (const VictimDifferences& victim : stepped_differences(run.view(), {.rounds = 5})) {
      ASSERT_EQ(victim.differences.size(), 5U);
      EXPECT_LT(error(run, victim.victim, input_over_rounds(model, values(victim, 10))), 1e-10) << kind;
    }
  }
}

/// Rounded messages: many rounds and all links are better than one of each.
TEST(PrimalDualRounds, AveragingWeakensQuantisation) {
  const Graph graph = testing::geometric(30, 0.4);
  const OverheardRun run(pdmm_component(), with(with(testing::one_step(), kHidden), {{"cell_width", 1e-4}}),
                         graph, testing::tapping_all(30, {}), 40);
  const auto median_error = [&](Links links, std::uint64_t rounds) {
    std::vector<double> errors;
    for (const VictimDifferences& victim :
         stepped_differences(run.view(), {.links = links, .rounds = rounds}))
      errors.push_back(error(run, victim.victim, input_over_rounds(testing::logistic(), values(victim, 10))));
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
      const PrimalDualFacts facts = primal_dual_facts(run.view().told());
      EXPECT_FALSE(facts.step);
      const double truth = facts.rule == LocalRule::kOneStep ? 0.1 : 2;
      std::size_t found = 0;
      for (const VictimDifferences& victim : stepped_differences(run.view(), {.rounds = 6})) {
        const auto step = fit_step(model, facts.rule, victim.differences);
        ASSERT_TRUE(step);
        if (std::abs(*step / truth - 1) > 1e-6) continue;
        ++found;
        const auto input = input_over_rounds(model, values(victim, bend_factor(facts.rule, *step)));
        EXPECT_LT(error(run, victim.victim, input), 1e-4);
      }
      EXPECT_GE(found, 7U) << kind;
    }
  }
}

TEST(PrimalDualRounds, SaysNothingWhereNothingShows) {
  const Architecture plain{"", {2}, {Dense{2, false}}};
  const std::vector<VectorXd> differences{VectorXd::Ones(4)};
  EXPECT_FALSE(input_over_rounds(plain, differences));
  EXPECT_FALSE(input_over_rounds(testing::logistic(), std::vector<VectorXd>{VectorXd::Zero(3)}));
  EXPECT_FALSE(input_over_rounds(testing::logistic(), {}));
  const std::vector<SteppedDifference> flat{{VectorXd::Ones(3), VectorXd::Zero(3)},
                                            {VectorXd::Ones(3), VectorXd::Zero(3)}};
  EXPECT_FALSE(fit_step(testing::logistic(), LocalRule::kOneStep, flat));
  EXPECT_THROW(fit_step(testing::logistic(), LocalRule::kExact, flat), Error);
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
