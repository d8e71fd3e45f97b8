#include "earshot/protocol/primal_dual_theory.hpp"

#include <Eigen/Dense>

#include <gtest/gtest.h>

#include "earshot/protocol/primal_dual_solver.hpp"
#include "earshot/protocol/primal_dual_test_setting.hpp"

namespace earshot {
namespace {

using testing::StackedEdges;

TEST(PrimalDualTheory, HiddenDimensionIsTheRankMissingFromCAndPC) {
  std::vector<Graph> graphs = {testing::ring(3),     testing::ring(4),     testing::ring(7),
                               testing::complete(2), testing::complete(4), testing::complete(5),
                               testing::star(5),     testing::path(6),     testing::geometric(12, 0.5)};
  for (const Graph& graph : graphs) {
    const StackedEdges stacked(graph, 1);
    Eigen::MatrixXd both(stacked.c.rows(), 2 * stacked.c.cols());
    both << stacked.c, stacked.p * stacked.c;
    const auto rank = Eigen::FullPivLU<Eigen::MatrixXd>(both).rank();
    EXPECT_EQ(hidden_dimension(graph), static_cast<std::size_t>(stacked.c.rows() - rank));
  }
  EXPECT_EQ(hidden_dimension(testing::path(6)), 0U);
  EXPECT_EQ(hidden_dimension(testing::ring(4)), 2U);
  EXPECT_EQ(hidden_dimension(testing::complete(4)), 5U);
}

/// Squared errors have one Hessian, which differences of gradients give exactly: 2 scale / n sum x x^T.
TEST(PrimalDualTheory, CurvatureOfLeastSquaresIsThatOfItsInputs) {
  const testing::SmallTask small(1, 9, 3, testing::least_squares());
  const Eigen::MatrixXd inputs = testing::inputs_with_one(small);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(2 * inputs.transpose() * inputs).eigenvalues();
  const Curvature curvature = loss_curvature(*small.task, small.shards[0], small.start, 9);
  ASSERT_TRUE(curvature.m);
  EXPECT_NEAR(*curvature.m, values[0], 1e-5 * values[2]);
  EXPECT_NEAR(curvature.beta, values[2], 1e-5 * values[2]);
}

TEST(PrimalDualTheory, RecordsThatDoNotSpanHaveNoStrongConvexity) {
  const testing::SmallTask one(1, 1, 3, testing::logistic());
  EXPECT_EQ(loss_curvature(*one.task, one.shards[0], one.start, 1).m, 0);
  // Softmax outputs can all be shifted together.
  const testing::SmallTask many(1, 30, 3);
  EXPECT_EQ(loss_curvature(*many.task, many.shards[0], many.start, 1).m, 0);
}

/// Larger than is decomposed: against the Hessian of the same loss, column by column.
TEST(PrimalDualTheory, PowerIterationFindsTheLargestCurvature) {
  const testing::SmallTask small(1, 12, 3, {"", {2}, {Dense{40}, Activate{}, Dense{2}}});
  const std::size_t size = small.task->parameter_count();
  ASSERT_GT(size, 128U);
  const Curvature curvature = loss_curvature(*small.task, small.shards[0], small.start, 1);
  EXPECT_FALSE(curvature.m);
  Eigen::MatrixXd hessian(size, size);
  std::vector<double> point = small.start, ahead(size), behind(size);
  for (std::size_t k = 0; k < size; ++k) {
    point[k] = small.start[k] + 1e-5;
    small.task->gradient(point, {small.shards[0]}, ahead);
    point[k] = small.start[k] - 1e-5;
    small.task->gradient(point, {small.shards[0]}, behind);
    point[k] = small.start[k];
    for (std::size_t i = 0; i < size; ++i) {
      hessian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (ahead[i] - behind[i]) / 2e-5;
    }
  }
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((hessian + hessian.transpose()) / 2).eigenvalues();
  EXPECT_NEAR(curvature.beta, values.cwiseAbs().maxCoeff(), 0.05 * values.cwiseAbs().maxCoeff());
}

TEST(GradientSolver, SolvesBadlyConditionedSystems) {
  Stream stream({2, Purpose::kTest});
  for (const double condition : {1.0, 1e3, 1e6}) {
    const Eigen::Index size = 12;
    Eigen::MatrixXd random(size, size);
    for (Eigen::Index i = 0; i < random.size(); ++i) random.data()[i] = stream.normal();
    const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ();
    Eigen::VectorXd values(size), right(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      values[i] = std::pow(condition, static_cast<double>(i) / static_cast<double>(size - 1));
      right[i] = stream.normal();
    }
    const Eigen::MatrixXd matrix = q * values.asDiagonal() * q.transpose();
    std::vector<double> x(static_cast<std::size_t>(size));
    const auto oracle = [&](std::span<const double> at, std::span<double> out) {
      Eigen::Map<Eigen::VectorXd>(out.data(), size) =
          matrix * Eigen::Map<const Eigen::VectorXd>(at.data(), size) - right;
    };
    GradientSolver solver(x.size());
    EXPECT_TRUE(solver.minimise(oracle, 1, 1e-9, 2000, x));
    const Eigen::VectorXd expected = matrix.ldlt().solve(right);
    for (Eigen::Index i = 0; i < size; ++i) EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected[i], 1e-8);
    std::vector<double> again(x.size());
    EXPECT_EQ(solver.minimise(oracle, 1, 1e-9, 3, again), condition == 1);
  }
}

}  // namespace
}  // namespace earshot
