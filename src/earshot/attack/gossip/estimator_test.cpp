#include "earshot/attack/gossip/estimator.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/gossip/target_system.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  Eigen::MatrixXd matrix(rows, columns);
  for (auto& entry : matrix.reshaped()) entry = stream.normal();
  return matrix;
}

TEST(PseudoInverse, SatisfiesMoorePenroseForAnyRank) {
  for (const Eigen::Index rank : {2, 4, 5}) {
    const Eigen::MatrixXd a = random_matrix(9, rank, 1) * random_matrix(rank, 5, 2);
    const Eigen::MatrixXd p = pseudo_inverse(a, rank);
    EXPECT_LT((a * p * a - a).norm(), 1e-10);
    EXPECT_LT((p * a * p - p).norm(), 1e-10);
    EXPECT_LT(((a * p).transpose() - a * p).norm(), 1e-10);
    EXPECT_LT(((p * a).transpose() - p * a).norm(), 1e-10);
  }
}

TEST(Estimators, AllAgreeOnAWellPosedSystemWithWhiteNoise) {
  LinearSystem system{random_matrix(8, 4, 3), Eigen::MatrixXd::Identity(8, 8), 4};
  const Eigen::MatrixXd reference = system.knowledge.completeOrthogonalDecomposition().pseudoInverse();
  for (const auto kind : {EstimatorKind::kLeastSquares, EstimatorKind::kGeneralisedLeastSquares,
                          EstimatorKind::kTruncatedSvd}) {
    EXPECT_LT((make_estimator(system, kind).weights - reference).norm(), 1e-10);
  }
}

TEST(Estimators, GeneralisedLeastSquaresHasTheTextbookCovarianceAndIsNeverWorse) {
  const Eigen::MatrixXd k = random_matrix(10, 4, 5);
  const Eigen::MatrixXd root = random_matrix(10, 10, 6);
  const LinearSystem system{k, root * root.transpose() + Eigen::MatrixXd::Identity(10, 10), 4};
  const Estimator gls = make_estimator(system, EstimatorKind::kGeneralisedLeastSquares);
  const Estimator ols = make_estimator(system, EstimatorKind::kLeastSquares);
  const Eigen::MatrixXd textbook = (k.transpose() * system.covariance.inverse() * k).inverse();
  for (Eigen::Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(gls.standard_error[i], std::sqrt(textbook(i, i)), 1e-9);
    EXPECT_LE(gls.standard_error[i], ols.standard_error[i] + 1e-12);
  }
}

TEST(DgdMatrices, PathOfThree) {
  // Path 0-1-2 with W = I - L/2 and member 0, worked by hand.
  const Graph graph = testing::make_graph("line", {{"nodes", 3}});
  const TargetSystem system = make_target_system(max_degree_weights(graph), make_adversary(graph, {0}));
  Eigen::MatrixXd knowledge(3, 2), covariance(3, 3);
  knowledge << 1, 0, 1, .5, 1.25, .75;
  covariance << 1, 0, .25, 0, 1.25, .125, .25, .125, 1.375;
  EXPECT_LT((dgd_knowledge_matrix(system, 3) - knowledge).norm(), 1e-15);
  EXPECT_LT((dgd_noise_covariance(system, 3) - covariance).norm(), 1e-15);
}

TEST(DgdMatrices, CovarianceEqualsItsDefinitionForNonSymmetricWeights) {
  const Graph graph = testing::make_graph("florentine");
  const TargetSystem system =
      make_target_system(uniform_neighbour_weights(graph), make_adversary(graph, {2}));
  const Eigen::MatrixXd w = system.among_targets;
  const std::size_t rounds = 4;
  const Eigen::MatrixXd fast = dgd_noise_covariance(system, rounds);
  const auto power = [&](std::size_t t) {
    Eigen::MatrixXd p = Eigen::MatrixXd::Identity(w.rows(), w.cols());
    for (std::size_t i = 0; i < t; ++i) p = p * w;
    return p;
  };
  const Eigen::Index h = system.heard_count();
  for (std::size_t t1 = 0; t1 < rounds; ++t1) {
    for (std::size_t t2 = 0; t2 < rounds; ++t2) {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(w.rows(), w.cols());
      for (std::size_t s = 0; s <= std::min(t1, t2); ++s) sum += power(t1 - s) * power(t2 - s).transpose();
      for (Eigen::Index i = 0; i < h; ++i) {
        for (Eigen::Index j = 0; j < h; ++j) {
          EXPECT_NEAR(fast(static_cast<Eigen::Index>(t1) * h + i, static_cast<Eigen::Index>(t2) * h + j),
                      sum(system.heard[i], system.heard[j]), 1e-13);
        }
      }
    }
  }
}

TEST(ErrorAmplification, EqualsTheRowNormsOfThePseudoInverse) {
  const Eigen::MatrixXd k = random_matrix(12, 5, 9);
  const Eigen::VectorXd amplification = error_amplification(k);
  const Eigen::MatrixXd inverse = pseudo_inverse(k, 5);
  for (Eigen::Index i = 0; i < 5; ++i) EXPECT_NEAR(amplification[i], inverse.row(i).norm(), 1e-10);
}

TEST(ErrorAmplification, IsInfiniteForColumnsOutsideTheRowSpace) {
  Eigen::MatrixXd k(2, 3);
  k << 1, 0, 0, 0, 1, 1;
  const Eigen::VectorXd amplification = error_amplification(k);
  EXPECT_NEAR(amplification[0], 1, 1e-12);
  EXPECT_TRUE(std::isinf(amplification[1]));
  EXPECT_TRUE(std::isinf(amplification[2]));
}

TEST(ErrorAmplification, GrowsAlongALineUntilDoublesCanNoLongerResolveIt) {
  const Graph graph = testing::make_graph("line", {{"nodes", 40}});
  const auto amplification = gossip_amplification(metropolis_weights(graph), make_adversary(graph, {0}), 39);
  EXPECT_EQ(amplification[0], 0);
  EXPECT_LE(amplification[1], 1.0 + 1e-12);
  EXPECT_GT(amplification[10], amplification[5]);
  EXPECT_GT(amplification[10], 10);
  EXPECT_TRUE(std::isinf(amplification[30])) << "exactly reconstructible, but not from 64-bit messages";
}

}  // namespace
}  // namespace earshot
