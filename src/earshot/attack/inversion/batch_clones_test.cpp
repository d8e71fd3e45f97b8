#include "earshot/attack/inversion/batch_clones.hpp"

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/weight_only.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

RowMatrixXd random_probabilities(Eigen::Index k, Eigen::Index m, Stream& stream) {
  const double sharpness = 3 * stream.uniform();
  RowMatrixXd p(k, m);
  for (double& entry : p.reshaped()) entry = std::exp(sharpness * stream.normal());
  for (Eigen::Index s = 0; s < k; ++s) p.row(s) /= p.row(s).sum();
  return p;
}

RowMatrixXd normal_matrix(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  RowMatrixXd matrix(rows, columns);
  for (double& entry : matrix.reshaped()) entry = stream.normal();
  return matrix;
}

// The conjecture of Biswas 2024, Remark 6.4.7, for every k < m: right invertible on 10^4 random batches.
TEST(BatchClones, ErrorsOfDistinctLabelsAreRightInvertibleBelowTheNumberOfClasses) {
  Stream stream({1, Purpose::kTest});
  for (int trial = 0; trial < 10000; ++trial) {
    const std::size_t m = 2 + stream.below(6);
    const std::size_t k = 1 + stream.below(m - 1);
    const auto labels = stream.sample_without_replacement(k, m);
    const RowMatrixXd p =
        random_probabilities(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(m), stream);
    const RowMatrixXd pi = error_matrix(p, labels);
    double dominance = 1;
    Eigen::MatrixXd block(k, k);
    for (std::size_t s = 0; s < k; ++s) {
      for (std::size_t t = 0; t < k; ++t) block(s, t) = pi(s, labels[t]);
      dominance = std::min(dominance, 2 * std::abs(block(s, s)) - block.row(s).cwiseAbs().sum());
    }
    EXPECT_NEAR(diagonal_dominance(p, labels), dominance, 1e-14);
    ASSERT_GT(diagonal_dominance(p, labels), 0);
    if (dominance < 1e-9) continue;  // dominant, but not in double precision
    EXPECT_NE(block.determinant(), 0);
    EXPECT_LT((pi * right_inverse(pi) - Eigen::MatrixXd::Identity(k, k)).norm(), 1e-5);
  }
}

TEST(BatchClones, AsManyRecordsAsClassesAreNotRightInvertible) {
  Stream stream({2, Purpose::kTest});
  const std::vector<std::size_t> labels{0, 1, 2};
  const RowMatrixXd p = random_probabilities(3, 3, stream);
  EXPECT_EQ(diagonal_dominance(p, labels), 0);
  EXPECT_THROW(right_inverse(error_matrix(p, labels)), Error);
}

TEST(BatchClones, MapsABatchToItsClone) {
  Stream stream({3, Purpose::kTest});
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<std::size_t> labels{4, 1, 2};
    const RowMatrixXd clone_pi = error_matrix(random_probabilities(3, 6, stream), labels);
    const RowMatrixXd map = normal_matrix(3, 3, stream);
    const RowMatrixXd pi = map * clone_pi;
    const RowMatrixXd records = normal_matrix(8, 3, stream);
    const RowMatrixXd found = clone_map(pi, clone_pi);
    EXPECT_LT((found - map).norm(), 1e-9);
    const RowMatrixXd clone = records * map;
    EXPECT_LT((clone * clone_pi - records * pi).norm(), 1e-9);  // the very same gradient
    const Eigen::VectorXd distances = clone_distances(records, found);
    for (Eigen::Index s = 0; s < 3; ++s) {
      EXPECT_NEAR(distances[s], (records.col(s) - clone.col(s)).norm(), 1e-8);
    }
  }
}

TEST(BatchClones, OfOneRecordIsTheCloneOfTwoClasses) {
  const double gamma = 0.5;
  const double delta = -1;
  const double k = clone_factors(gamma, delta).at(0);
  const auto errors = [&](double factor) {
    const double wrong = 1 / (1 + std::exp(factor * gamma - delta));
    RowMatrixXd p(1, 2);
    p << 1 - wrong, wrong;
    return error_matrix(p, std::vector<std::size_t>{0});
  };
  const RowMatrixXd map = clone_map(errors(1), errors(k));
  EXPECT_NEAR(map(0, 0), k, 1e-9);
  const RowMatrixXd x = RowMatrixXd::Constant(1, 1, 3.0);
  EXPECT_NEAR(clone_distances(x, map)[0], 3 * std::abs(k - 1), 1e-8);
}

// Biswas 2024, Table 6.1: dog, wolf, fox.
TEST(BatchClones, MeasuresHowFarABatchIsFromTheAssumptions) {
  RowMatrixXd p(3, 3);
  p << 0.70, 0.13, 0.17, 0.12, 0.71, 0.17, 0.13, 0.15, 0.72;
  const auto found = batch_deviations(p, std::vector<std::size_t>{0, 1, 2});
  EXPECT_NEAR(found.uneven, 0.025, 1e-12);
  EXPECT_NEAR(found.unlike, 0.02, 1e-12);
}

// Under the assumptions exactly, pi is the same for a clone, so (X - X') pi = 0 and X' = X.
TEST(BatchClones, ABatchFittedEvenlyIsItsOnlyClone) {
  const std::vector<std::size_t> labels{0, 1, 2};
  RowMatrixXd p = RowMatrixXd::Constant(3, 5, 0.075);
  for (Eigen::Index s = 0; s < 3; ++s) p(s, s) = 0.7;
  const auto found = batch_deviations(p, labels);
  EXPECT_NEAR(found.uneven, 0, 1e-15);
  EXPECT_EQ(found.unlike, 0);
  const RowMatrixXd pi = error_matrix(p, labels);
  EXPECT_LT((clone_map(pi, pi) - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-12);
}

TEST(BatchClones, RefuseWhatDoesNotFit) {
  const RowMatrixXd p = RowMatrixXd::Constant(2, 3, 1.0 / 3);
  EXPECT_THROW(error_matrix(p, std::vector<std::size_t>{0}), Error);
  EXPECT_THROW(error_matrix(p, std::vector<std::size_t>{0, 3}), Error);
  EXPECT_THROW(diagonal_dominance(p, std::vector<std::size_t>{1, 1}), Error);
  EXPECT_THROW(clone_map(p, RowMatrixXd::Zero(3, 3)), Error);
  EXPECT_THROW(clone_distances(p, p), Error);
}

}  // namespace
}  // namespace earshot
