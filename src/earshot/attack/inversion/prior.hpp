// What an attacker knows of records before it hears anything: images are smooth, pixels have a mean and a
// spread.
#pragma once

#include <optional>
#include <span>

#include "earshot/core/shape.hpp"

namespace earshot {

/// The mean and deviation of the numbers of a record, as public data of the same kind have them.
struct KnownMoments {
  double mean = 0;
  double deviation = 1;
  double weight = 1;
};

struct Prior {
  double total_variation = 0;  // weight of the mean absolute difference of neighbouring pixels
  std::optional<KnownMoments> moments{};
};

/// Whether it says anything at all.
bool is_active(const Prior& prior);

/// Adds the prior's derivative at `record`, an input of that shape, to `gradient` and returns its value:
/// - total variation, anisotropic: mean |x(i+1, j) - x(i, j)| + mean |x(i, j+1) - x(i, j)| over all channels
///   (Geiping et al. 2020); its derivative is 0 where neighbours are equal;
/// - (mean - known mean)^2 + (deviation - known deviation)^2 of the record.
double add_prior(const Prior& prior, const Shape& shape, std::span<const double> record,
                 std::span<double> gradient);

/// Total variation needs an image; weights must be finite and not negative.
void require_valid(const Prior& prior, const Shape& shape);

}  // namespace earshot
