#include "earshot/metric/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/fsim.hpp"
#include "earshot/metric/gradient_psnr.hpp"
#include "earshot/metric/ms_ssim.hpp"
#include "earshot/metric/ssim.hpp"

namespace earshot {
namespace {

/// Checks the contract shared by all metrics, then sums the squared differences.
double squared_distance(std::span<const double> truth, std::span<const double> guess) {
  if (truth.size() != guess.size() || truth.empty()) {
    fail(Fault::kInternal,
         fmt::format("a metric compares equal, nonzero lengths, not {} and {}", truth.size(), guess.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double difference = guess[i] - truth[i];
    sum += difference * difference;
  }
  // Squares cannot cancel, so one test of the sum finds every bad value.
  if (!std::isfinite(sum))
    fail(Fault::kNumeric, "a reconstruction holds a value that is not finite or too large");
  return sum;
}

double psnr_of(double mse, double range) {
  if (!(range > 0) || !std::isfinite(range))
    fail(Fault::kInternal, fmt::format("PSNR needs a positive finite range, got {}", range));
  if (mse == 0) return kPsnrCeiling;
  // Logarithms apart: the quotient itself could overflow.
  return std::min(kPsnrCeiling, 20 * std::log10(range) - 10 * std::log10(mse));
}

}  // namespace

double mse(std::span<const double> truth, std::span<const double> guess) {
  return squared_distance(truth, guess) / static_cast<double>(truth.size());
}

double psnr(std::span<const double> truth, std::span<const double> guess, double range) {
  return psnr_of(mse(truth, guess), range);
}

std::optional<double> relative_error(std::span<const double> truth, std::span<const double> guess) {
  const double distance = squared_distance(truth, guess);
  double norm = 0;
  for (const double value : truth) norm += value * value;
  if (norm == 0) return std::nullopt;
  if (!std::isfinite(norm)) fail(Fault::kNumeric, "a true value is too large to square");
  return std::sqrt(distance) / std::sqrt(norm);
}

double euclidean_distance(std::span<const double> truth, std::span<const double> guess) {
  return std::sqrt(squared_distance(truth, guess));
}

Score score(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range, ScoreDetail detail) {
  Score out;
  out.mse = mse(truth, guess);
  out.psnr = psnr_of(out.mse, range);
  out.ssim = ssim(truth, guess, shape, range);
  out.relative_error = relative_error(truth, guess);
  if (detail == ScoreDetail::kBasic) return out;
  out.ms_ssim = ms_ssim(truth, guess, shape, range);
  if (shape.channels == 1) out.fsim = fsim(truth, guess, shape, range);
  if (shape.channels == 3) out.fsim = fsim_colour(truth, guess, shape, range);
  if (out.fsim) out.gradient_psnr = gradient_psnr(truth, guess, shape, range);
  return out;
}

Baselines baselines(std::span<const double> truth, std::span<const double> mean_image,
                    const ImageShape& shape, double range) {
  const std::vector<double> zero(truth.size(), 0.0);
  return {score(truth, zero, shape, range), score(truth, mean_image, shape, range)};
}

}  // namespace earshot
