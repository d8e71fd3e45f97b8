#include "earshot/metric/reconstruction.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/fsim.hpp"
#include "earshot/metric/gradient_psnr.hpp"
#include "earshot/metric/metrics.hpp"
#include "earshot/metric/ms_ssim.hpp"
#include "earshot/metric/ssim.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

const std::vector<double> kTruth{1, 2, 2, 4};  // squared norm 25
const std::vector<double> kGuess{1, 4, 1, 2};  // differences 0, 2, -1, -2: squared distance 9

TEST(Reconstruction, HandComputed) {
  EXPECT_DOUBLE_EQ(mse(kTruth, kGuess), 2.25);
  EXPECT_DOUBLE_EQ(relative_error(kTruth, kGuess).value(), 0.6);
  EXPECT_DOUBLE_EQ(euclidean_distance(kTruth, kGuess), 3);
  EXPECT_DOUBLE_EQ(psnr(kTruth, kGuess, 15), 20);  // 15^2 / 2.25 = 100
}

// MSE 0.01 on pixels in [0, 1] is 20 dB; the same error on 0..255 with its own range as well.
TEST(Reconstruction, PsnrDoesNotDependOnTheUnit) {
  const std::vector<double> truth{0.2, 0.8};
  const std::vector<double> guess{0.3, 0.7};
  EXPECT_NEAR(psnr(truth, guess, 1), 20, 1e-12);
  EXPECT_NEAR(psnr(std::vector<double>{51, 204}, std::vector<double>{76.5, 178.5}, 255), 20, 1e-12);
}

// The table of Shahbazi 2026: 27.90 dB on 0..255 is a root mean square error of 10.27 grey levels.
TEST(Reconstruction, PsnrOfAPublishedError) {
  EXPECT_NEAR(psnr(std::vector<double>{100, 50}, std::vector<double>{110.27, 39.73}, 255), 27.90, 0.005);
}

TEST(Reconstruction, PerfectIsFinite) {
  EXPECT_EQ(mse(kTruth, kTruth), 0);
  EXPECT_EQ(psnr(kTruth, kTruth, 1), kPsnrCeiling);
  EXPECT_EQ(relative_error(kTruth, kTruth), 0);
  std::vector<double> nearly = kTruth;
  nearly[0] += 1e-14;
  EXPECT_EQ(psnr(kTruth, nearly, 1), kPsnrCeiling);
  nearly[0] += 1e-6;
  EXPECT_LT(psnr(kTruth, nearly, 1), kPsnrCeiling);
}

TEST(Reconstruction, LargerErrorsScoreLower) {
  double last = kPsnrCeiling;
  for (const double error : {1e-6, 1e-3, 0.5, 1.0, 2.0, 1e4, 1e9}) {
    const double value = psnr(std::vector<double>{0}, std::vector<double>{error}, 1);
    EXPECT_LT(value, last);
    last = value;
  }
}

TEST(Reconstruction, ZeroTruthHasNoRelativeError) {
  EXPECT_FALSE(relative_error(std::vector<double>{0, 0}, std::vector<double>{1, 0}).has_value());
  EXPECT_FALSE(relative_error(std::vector<double>{0, 0}, std::vector<double>{0, 0}).has_value());
}

TEST(Reconstruction, ScoreHoldsEveryMetric) {
  const ImageShape shape{1, 2, 2};
  const Score result = score(kTruth, kGuess, shape, 4);
  EXPECT_EQ(result.mse, mse(kTruth, kGuess));
  EXPECT_EQ(result.psnr, psnr(kTruth, kGuess, 4));
  EXPECT_EQ(result.ssim, ssim(kTruth, kGuess, shape, 4));
  EXPECT_EQ(result.relative_error, relative_error(kTruth, kGuess));
}

TEST(Reconstruction, TheDetailedScoreAddsWhatTheShapeAllows) {
  Stream stream(StreamName{.seed = 61});
  for (const std::size_t channels : {1, 2, 3}) {
    const ImageShape shape{channels, 24, 23};
    const std::vector<double> truth = testing::random_image(shape, stream);
    const std::vector<double> guess = testing::noisy(truth, 0.1, stream);
    const Score basic = score(truth, guess, shape, 1);
    EXPECT_FALSE(basic.ms_ssim || basic.fsim || basic.gradient_psnr);
    const Score full = score(truth, guess, shape, 1, ScoreDetail::kFull);
    EXPECT_EQ(full.psnr, basic.psnr);
    EXPECT_EQ(full.ms_ssim, ms_ssim(truth, guess, shape, 1));
    EXPECT_EQ(full.fsim.has_value(), channels != 2);
    EXPECT_EQ(full.gradient_psnr.has_value(), channels != 2);
    if (channels == 2) continue;
    EXPECT_EQ(full.fsim, channels == 1 ? fsim(truth, guess, shape, 1) : fsim_colour(truth, guess, shape, 1));
    EXPECT_EQ(full.gradient_psnr, gradient_psnr(truth, guess, shape, 1));
  }
}

TEST(Reconstruction, BaselinesAreTheTrivialGuesses) {
  const ImageShape shape{1, 2, 2};
  const std::vector<double> mean_image{1, 2, 3, 4};
  const Baselines result = baselines(kTruth, mean_image, shape, 4);
  EXPECT_DOUBLE_EQ(result.zero.mse, 25.0 / 4);
  EXPECT_DOUBLE_EQ(result.zero.relative_error.value(), 1);
  EXPECT_DOUBLE_EQ(result.mean.mse, 0.25);
}

TEST(Reconstruction, RefusesWhatHasNoAnswer) {
  const std::vector<double> one{1};
  EXPECT_THROW(mse(kTruth, one), Error);
  EXPECT_THROW(mse({}, {}), Error);
  EXPECT_THROW(psnr(kTruth, kGuess, 0), Error);
  EXPECT_THROW(psnr(kTruth, kGuess, std::nan("")), Error);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    EXPECT_THROW(mse(one, std::vector<double>{bad}), Error);
    EXPECT_THROW(relative_error(one, std::vector<double>{bad}), Error);
    EXPECT_THROW(relative_error(std::vector<double>{bad}, one), Error);
  }
}

TEST(Metrics, AreListedOnce) {
  std::set<std::string> names;
  for (const Schema& schema : metric_schemas()) {
    EXPECT_EQ(schema.role, "metric");
    EXPECT_FALSE(schema.summary.empty());
    EXPECT_TRUE(names.insert(schema.name).second) << schema.name;
  }
}

}  // namespace
}  // namespace earshot
