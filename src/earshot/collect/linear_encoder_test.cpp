#include "earshot/collect/linear_encoder.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/collect/records.hpp"
#include "earshot/collect/sensitivity.hpp"
#include "earshot/collect/test_matrices.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd descending(Index count, std::uint64_t seed) {
  VectorXd values = random_matrix(count, 1, seed).array().square();
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

/// Expected loss of weights with sum of squares 1 when an axis of weight a gets noise of variance s: the sum
/// of l_i s / (s + a_i^2).
double loss_of(const VectorXd& eigenvalues, const VectorXd& weights, double s) {
  return (eigenvalues.array() * s / (s + weights.array().square())).sum();
}

TEST(LinearEncoder, TheoryOnASmallExampleByHand) {
  const VectorXd eigenvalues{{4, 1, 1, 1}};
  const double s = ball_noise(1, {1, false});
  EXPECT_DOUBLE_EQ(s, 8);
  const Allocation best = allocate(eigenvalues, s);
  EXPECT_EQ(best.latent, 1U);
  EXPECT_NEAR(best.loss, 8.0 * 4 / 9 + 3, 1e-12);
  EXPECT_NEAR(task_unaware_loss(eigenvalues, s), 7 * 32.0 / 33, 1e-12);
  EXPECT_NEAR(privacy_unaware_loss(eigenvalues, 2, s), 5 * 16.0 / 17 + 2, 1e-12);
}

TEST(LinearEncoder, WeightsAreAnAllocationAndItsLossIsTheirLoss) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const VectorXd eigenvalues = descending(8, seed);
    for (const double s : {1e-4, 0.01, 0.3, 5.0, 200.0}) {
      const Allocation best = allocate(eigenvalues, s);
      EXPECT_NEAR(best.weights.squaredNorm(), 1, 1e-12);
      EXPECT_NEAR(best.loss, loss_of(eigenvalues, best.weights, s), 1e-10);
      EXPECT_LE(best.loss, task_unaware_loss(eigenvalues, s) + 1e-12);
      for (std::size_t z = 1; z <= 8; ++z)
        EXPECT_LE(best.loss, privacy_unaware_loss(eigenvalues, z, s) + 1e-12);
    }
  }
}

TEST(LinearEncoder, NumericalOptimisationFindsNothingBetter) {
  // Independent of water-filling: move weight between pairs of axes as long as it pays, in shrinking steps.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const VectorXd eigenvalues = descending(5, 50 + seed);
    const double s = 0.02 * static_cast<double>(seed * seed);
    VectorXd power = VectorXd::Constant(5, 0.2);
    for (double step = 0.1; step > 1e-9; step *= 0.7) {
      for (int sweep = 0; sweep < 30; ++sweep) {
        for (Index from = 0; from < 5; ++from) {
          for (Index to = 0; to < 5; ++to) {
            const double moved = std::min(step, power[from]);
            VectorXd tried = power;
            tried[from] -= moved;
            tried[to] += moved;
            if (loss_of(eigenvalues, tried.cwiseSqrt(), s) < loss_of(eigenvalues, power.cwiseSqrt(), s))
              power = tried;
          }
        }
      }
    }
    EXPECT_NEAR(allocate(eigenvalues, s).loss, loss_of(eigenvalues, power.cwiseSqrt(), s), 1e-7);
  }
}

TEST(LinearEncoder, NoOtherEncoderOfTheBallIsBetter) {
  // Against full matrices, skew ones included: the optimum of tr(P^T P (I + E^T E / v)^-1) with v from the
  // sensitivity of the ball. Random encoders, and small disturbances of the best one.
  const VectorXd eigenvalues{{3, 1.2, 0.7, 0.1}};
  const MatrixXd gram = eigenvalues.asDiagonal();
  const NoiseRule rule{2, false};
  const auto loss = [&](const MatrixXd& encoder) {
    return encoder_loss(gram, encoder, laplace_variance(l1_diameter_of_ball(encoder, 0.4), rule));
  };
  const Allocation best = allocate(eigenvalues, ball_noise(0.4, rule));
  const MatrixXd encoder = MatrixXd(best.weights.asDiagonal()).topRows(static_cast<Index>(best.latent));
  ASSERT_GT(best.latent, 1U);
  EXPECT_NEAR(loss(encoder), best.loss, 1e-12);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Index rows = 1 + static_cast<Index>(seed % 4);
    EXPECT_GE(loss(random_matrix(rows, 4, seed)), best.loss - 1e-12);
    const MatrixXd nudge = random_matrix(encoder.rows(), 4, 1000 + seed);
    EXPECT_GE(loss(encoder + 0.01 * nudge), best.loss - 1e-12);
  }
}

TEST(LinearEncoder, DecoderIsOptimalAndItsLossIsTheFormula) {
  // Loss of any decoder D: ||P (D E - I)||^2 + v ||P D||^2.
  const MatrixXd p = random_matrix(3, 4, 1);
  const MatrixXd encoder = random_matrix(2, 4, 2);
  const double variance = 0.6;
  const auto loss = [&](const MatrixXd& decoder) {
    return (p * (decoder * encoder - MatrixXd::Identity(4, 4))).squaredNorm() +
           variance * (p * decoder).squaredNorm();
  };
  const MatrixXd best = optimal_decoder(encoder, variance);
  EXPECT_NEAR(loss(best), encoder_loss(p.transpose() * p, encoder, variance), 1e-10);
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    EXPECT_GE(loss(best + 0.01 * random_matrix(4, 2, 10 + seed)), loss(best) - 1e-12);
}

TEST(LinearEncoder, FittedDecoderEqualsTheClosedFormOnWhiteData) {
  const MatrixXd records = random_matrix(4, 300, 3);
  const WhitenedTask task = whiten(records, MatrixXd::Identity(4, 4));
  const MatrixXd white = task.principal(records);
  EXPECT_LE((white * white.transpose() / 300 - MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-12);
  const MatrixXd encoder = random_matrix(2, 4, 4);
  const AffineDecoder fitted = fit_decoder(white, encoder * white, 0.3);
  EXPECT_LE((fitted.matrix - optimal_decoder(encoder, 0.3)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE(fitted.offset.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LinearEncoder, WhiteningKeepsTheTaskLoss) {
  // sum of eigenvalues = E ||K (x - mean)||^2, whatever the task.
  const MatrixXd records = random_matrix(5, 5, 5) * random_matrix(5, 200, 6);
  const MatrixXd k = random_matrix(3, 5, 7);
  const WhitenedTask task = whiten(records, k);
  const MatrixXd answers = k * (records.colwise() - task.mean);
  EXPECT_NEAR(task.eigenvalues.sum(), answers.squaredNorm() / 200, 1e-10);
  EXPECT_NEAR(task.radius, task.principal(records).colwise().norm().maxCoeff(), 1e-12);
}

TEST(LinearEncoder, DirectionsWithoutVariationAreDropped) {
  MatrixXd records = random_matrix(3, 50, 8);
  records.row(2) = records.row(0) + records.row(1);
  EXPECT_EQ(whiten(records, MatrixXd::Identity(3, 3)).eigenvalues.size(), 2);
  EXPECT_THROW(whiten(MatrixXd::Ones(3, 10), MatrixXd::Identity(3, 3)), Error);
  EXPECT_THROW(whiten(records, MatrixXd::Identity(2, 2)), Error);
}

TEST(LinearEncoder, EffectiveRadiusIsNeverWorseOnTrainingRecords) {
  const MatrixXd records = random_matrix(6, 6, 9) * random_matrix(6, 120, 10);
  const WhitenedTask task = whiten(records, MatrixXd::Identity(6, 6));
  const MatrixXd principal = task.principal(records);
  for (const double epsilon : {1.0, 10.0, 100.0}) {
    const NoiseRule rule{epsilon, false};
    const EffectiveAllocation best = allocate_on_records(task, records, rule);
    const Allocation ball = allocate(task.eigenvalues, ball_noise(task.radius, rule));
    const auto expected = [&](const Allocation& a) {
      const MatrixXd encoder = MatrixXd(a.weights.asDiagonal()).topRows(static_cast<Index>(a.latent));
      return encoder_loss(task.eigenvalues.asDiagonal(), encoder,
                          laplace_variance(l1_diameter(encoder * principal), rule));
    };
    EXPECT_NEAR(best.train_loss, expected(best.allocation), 1e-10);
    EXPECT_LE(best.train_loss, expected(ball) + 1e-12);
  }
}

TEST(LinearEncoder, HouseholdEigenvaluesAreThoseOfASeparateComputation) {
  EARSHOT_NEEDS_DATASET("household-power");
  const CollectionData data =
      prepare(load_tabular("household_power", data_directory()), Scaling::kWholeTable, 0.7);
  EXPECT_EQ(data.train.inputs.cols(), 991);
  EXPECT_EQ(data.test.inputs.cols(), 426);
  const WhitenedTask task = whiten(data.train.inputs, hours_task(9, 20, 2));
  const VectorXd expected{{.4619, .1428, .1193, .0642, .0506}};
  EXPECT_LE((task.eigenvalues.head(5) - expected).cwiseAbs().maxCoeff(), 1.1e-4);
  EXPECT_NEAR(task.eigenvalues.sum(), 1.0781, 1e-4);
  EXPECT_NEAR(task.radius, 14.70, 0.005);
}

}  // namespace
}  // namespace earshot
