#include "earshot/metric/batch_score.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/label_accuracy.hpp"
#include "earshot/metric/rendering.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

const ImageShape kShape{1, 6, 5};

/// `count` images one after another.
std::vector<double> random_batch(std::size_t count, Stream& stream) {
  return testing::random_image({count, kShape.height, kShape.width}, stream);
}

std::vector<double> record(const std::vector<double>& batch, std::size_t index) {
  const auto first = batch.begin() + static_cast<std::ptrdiff_t>(index * kShape.size());
  return {first, first + static_cast<std::ptrdiff_t>(kShape.size())};
}

std::vector<double> reordered(const std::vector<double>& batch, const std::vector<std::size_t>& order) {
  std::vector<double> out;
  for (const std::size_t index : order) {
    const std::vector<double> one = record(batch, index);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

const std::vector<double> kMean(kShape.size(), 0.5);

TEST(MatchBatch, UndoesAPermutation) {
  Stream stream(StreamName{.seed = 101});
  const std::vector<double> truth = random_batch(4, stream);
  const std::vector<double> guess = testing::noisy(reordered(truth, {2, 0, 3, 1}), 0.05, stream);
  EXPECT_THAT(match_batch(truth, guess, kShape.size()),
              ElementsAre(Optional(1u), Optional(3u), Optional(0u), Optional(2u)));
}

// Numbers on a line: 0 and 1 are both nearest to 0.9, which goes to where the total is least.
TEST(MatchBatch, MinimisesTheTotalNotEachAlone) {
  EXPECT_THAT(match_batch(std::vector<double>{0, 1}, std::vector<double>{0.9, 3}, 1),
              ElementsAre(Optional(0u), Optional(1u)));
}

TEST(MatchBatch, GuessesThatAreNoImagesBelongToNobody) {
  const double bad = std::nan("");
  EXPECT_THAT(match_batch(std::vector<double>{0, 1}, std::vector<double>{bad, 1, 1e200}, 1),
              ElementsAre(std::nullopt, Optional(1u)));
  EXPECT_THAT(match_batch(std::vector<double>{0, 1}, {}, 1), ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THROW(match_batch(std::vector<double>{bad}, std::vector<double>{1}, 1), Error);
  EXPECT_THROW(match_batch(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2}, 2), Error);
}

TEST(BatchScore, DoesNotDependOnTheOrderOfGuesses) {
  Stream stream(StreamName{.seed = 102});
  const std::vector<double> truth = random_batch(5, stream);
  const std::vector<double> guess = testing::noisy(truth, 0.3, stream);
  const BatchReport straight = score_batch(truth, guess, kMean, {}, kShape, {});
  const BatchReport mixed = score_batch(truth, reordered(guess, {4, 2, 0, 1, 3}), kMean, {}, kShape, {});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(straight.clipped.records[i].psnr, mixed.clipped.records[i].psnr);
    EXPECT_EQ(straight.stretched.records[i].ssim, mixed.stretched.records[i].ssim);
  }
  EXPECT_EQ(straight.clipped.psnr.median, mixed.clipped.psnr.median);
  EXPECT_EQ(straight.not_finite, 0u);
  EXPECT_FALSE(straight.start.has_value());
}

TEST(BatchScore, HoldsTheScoresOfTheMatchedImages) {
  Stream stream(StreamName{.seed = 103});
  const std::vector<double> truth = random_batch(3, stream);
  std::vector<double> guess = testing::noisy(truth, 0.1, stream);
  for (double& value : guess) value = 1.5 * value - 0.2;  // outside [0, 1] at both ends
  const BatchReport report = score_batch(truth, guess, kMean, {}, kShape,
                                         {.range = 1, .threshold = 15, .detail = ScoreDetail::kFull});
  double psnr_sum = 0;
  double distance_sum = 0;
  double above = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> one = clipped(record(guess, i), 1);
    const Score expected = score(record(truth, i), one, kShape, 1, ScoreDetail::kFull);
    EXPECT_EQ(report.guess_of[i], i);
    EXPECT_EQ(report.clipped.records[i].psnr, expected.psnr);
    EXPECT_EQ(report.clipped.records[i].fsim, expected.fsim);
    EXPECT_EQ(report.stretched.records[i].mse, mse(record(truth, i), stretched(record(guess, i), 1)));
    psnr_sum += expected.psnr;
    distance_sum += euclidean_distance(record(truth, i), one);
    above += expected.psnr > 15 ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(report.clipped.psnr.mean, psnr_sum / 3);
  EXPECT_DOUBLE_EQ(report.clipped.distance.mean, distance_sum / 3);
  EXPECT_DOUBLE_EQ(report.clipped.above, above / 3);
}

TEST(BatchScore, BaselinesStandBeside) {
  Stream stream(StreamName{.seed = 104});
  const std::vector<double> truth = random_batch(4, stream);
  const std::vector<double> start = random_batch(4, stream);
  const BatchReport report = score_batch(truth, truth, kMean, start, kShape, {});
  EXPECT_EQ(report.clipped.psnr.minimum, kPsnrCeiling);
  EXPECT_EQ(report.clipped.above, 1);
  double unordered = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report.zero.records[i].relative_error, 1);
    EXPECT_EQ(report.mean.records[i].mse, mse(record(truth, i), kMean));
    unordered += mse(record(truth, i), record(start, i)) / 4;
  }
  EXPECT_LE(report.start.value().mse.mean, unordered);
  EXPECT_GT(report.start.value().mse.mean, 0);
  // The start, too, is matched: one that holds the truth in another order gives everything away.
  const BatchReport given = score_batch(truth, start, kMean, reordered(truth, {2, 0, 3, 1}), kShape, {});
  EXPECT_EQ(given.start.value().psnr.minimum, kPsnrCeiling);
  EXPECT_EQ(given.clipped.mse.mean, report.start.value().mse.mean);
}

// Two records, one guess that diverged and one that is right: one record is unknown and scores like the zero
// image.
TEST(BatchScore, MissingGuessesScoreLikeTheZeroImage) {
  Stream stream(StreamName{.seed = 105});
  const std::vector<double> truth = random_batch(2, stream);
  std::vector<double> guess = truth;
  guess[3] = std::numeric_limits<double>::infinity();
  const BatchReport report = score_batch(truth, guess, kMean, {}, kShape, {});
  EXPECT_EQ(report.not_finite, 1u);
  EXPECT_THAT(report.guess_of, ElementsAre(std::nullopt, Optional(1u)));
  EXPECT_EQ(report.clipped.records[0].mse, report.zero.records[0].mse);
  EXPECT_EQ(report.stretched.records[0].mse, report.zero.records[0].mse);
  EXPECT_EQ(report.clipped.records[1].psnr, kPsnrCeiling);
}

TEST(BatchScore, RefusesWhatHasNoAnswer) {
  const std::vector<double> truth(kShape.size(), 0.5);
  EXPECT_THROW(score_batch({}, truth, kMean, {}, kShape, {}), Error);
  EXPECT_THROW(score_batch(truth, truth, std::vector<double>{1}, {}, kShape, {}), Error);
  EXPECT_THROW(score_batch(truth, std::vector<double>{1}, kMean, {}, kShape, {}), Error);
  EXPECT_THROW(score_batch(truth, truth, kMean, {}, kShape, {.range = 0}), Error);
  EXPECT_THROW(score_batch(truth, truth, kMean, {}, kShape, {.threshold = std::nan("")}), Error);
}

TEST(LabelAccuracy, CountsMatchedLabels) {
  const std::vector<std::size_t> truth{3, 5, 5, 7};
  const std::vector<std::size_t> guess{5, 3, 1};
  const std::vector<std::optional<std::size_t>> guess_of{1, 0, 2, std::nullopt};
  EXPECT_EQ(label_accuracy(truth, guess, guess_of), 0.5);
  EXPECT_THROW(label_accuracy({}, guess, {}), Error);
  EXPECT_THROW(label_accuracy(truth, guess, std::vector<std::optional<std::size_t>>{1}), Error);
  EXPECT_THROW(label_accuracy(truth, std::vector<std::size_t>{3}, guess_of), Error);
}

TEST(LabelAccuracy, OverlapForgetsTheOrder) {
  const std::vector<std::size_t> truth{3, 5, 5, 7};
  EXPECT_EQ(label_overlap(truth, std::vector<std::size_t>{7, 5, 3, 5}), 1);
  EXPECT_EQ(label_overlap(truth, std::vector<std::size_t>{5, 5, 5, 5}), 0.5);
  EXPECT_EQ(label_overlap(truth, std::vector<std::size_t>{3, 3, 3}), 0.25);
  EXPECT_EQ(label_overlap(truth, {}), 0);
  EXPECT_THROW(label_overlap({}, truth), Error);
}

}  // namespace
}  // namespace earshot
