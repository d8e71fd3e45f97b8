// How well a whole batch was reconstructed, when nobody can tell in which order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/metric/reconstruction.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {

/// Which guess is taken for which record: the matching of least total MSE. Both batches hold records of
/// `record_size` numbers one after another; with unequal counts some stay without partner. A guess with a
/// value that is not finite (or cannot be squared) is nobody's.
std::vector<std::optional<std::size_t>> match_batch(std::span<const double> truth,
                                                    std::span<const double> guess, std::size_t record_size);

struct BatchScore {
  std::vector<Score> records;  // in the order of the truth
  Summary mse;
  Summary psnr;  // its minimum: the record that came off best; its maximum: the one that is worst exposed
  Summary ssim;
  Summary distance;  // Euclidean, per record
  double above = 0;  // share of records with a PSNR above the threshold
};

struct BatchReport {
  std::vector<std::optional<std::size_t>> guess_of;  // by record
  std::size_t not_finite = 0;                        // guesses that were no images
  BatchScore clipped;
  BatchScore stretched;
  BatchScore zero;  // what guesses without listening score: all pixels 0
  BatchScore mean;  // the mean image
  /// What the attack started from, clipped and matched like the attack's result: choosing the best of several
  /// guesses for each record raises scores by itself.
  std::optional<BatchScore> start;
};

struct BatchScoring {
  double range = 1;  // true pixels lie in [0, range]
  double threshold = kPsnrSuccess;
  ScoreDetail detail = ScoreDetail::kBasic;
};

/// Scores reconstructions of images with pixels in [0, range] (undo a normalisation first). A record for
/// which there is no guess scores what the zero image scores. `mean_image` is one image; `start` may be
/// empty.
BatchReport score_batch(std::span<const double> truth, std::span<const double> guess,
                        std::span<const double> mean_image, std::span<const double> start,
                        const ImageShape& shape, const BatchScoring& scoring);

}  // namespace earshot
