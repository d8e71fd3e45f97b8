// How close a reconstruction came to the truth, and how close one gets without listening.
#pragma once

#include <optional>
#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// PSNR of a perfect reconstruction, in dB. The formula gives infinity; every PSNR above this is reported as
/// this. It stands for a root mean square error of 3e-8 of the range.
inline constexpr double kPsnrCeiling = 150.0;

/// A reconstruction counts as a success above this PSNR (El Mrini, Cyffers & Bellet 2024,
/// "Privacy Attacks in Decentralized Learning").
inline constexpr double kPsnrSuccess = 10.0;

// All functions: equal, nonzero lengths; a value that is not finite is an error, for an average over trials
// would hide it.

/// Mean of the squared differences.
double mse(std::span<const double> truth, std::span<const double> guess);

/// 10 log10(range^2 / MSE), at most kPsnrCeiling. `range` is the distance between the smallest and largest
/// possible pixel: 1 for pixels in [0, 1]. On mean/deviation-normalised pixels published code also uses 1,
/// which gives lower values: say which one you use.
double psnr(std::span<const double> truth, std::span<const double> guess, double range);

/// ‖guess − truth‖ / ‖truth‖ (Euclidean); empty when the truth is all zero, for which no relative error
/// exists.
std::optional<double> relative_error(std::span<const double> truth, std::span<const double> guess);

/// ‖guess − truth‖ (Euclidean).
double euclidean_distance(std::span<const double> truth, std::span<const double> guess);

struct Score {
  double mse = 0;
  double psnr = 0;
  double ssim = 0;
  std::optional<double> relative_error;
  // Only with ScoreDetail::kFull.
  std::optional<double> ms_ssim;
  std::optional<double> fsim;           // FSIMc for RGB; empty for images neither grey nor RGB
  std::optional<double> gradient_psnr;  // likewise
};

/// kFull also computes the metrics that take filters at many scales: tens of times the work.
enum class ScoreDetail { kBasic, kFull };

Score score(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range, ScoreDetail detail = ScoreDetail::kBasic);

/// What an adversary scores who guesses without having heard anything.
struct Baselines {
  Score zero;  // all pixels 0
  Score mean;  // the dataset's mean image
};
Baselines baselines(std::span<const double> truth, std::span<const double> mean_image,
                    const ImageShape& shape, double range);

}  // namespace earshot
