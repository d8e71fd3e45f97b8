// Whether the reports determine the most likely distribution of places, or several explain them equally well.
#pragma once

#include <cstddef>

#include "earshot/collect/estimation/bayesian_update.hpp"

namespace earshot {

/// The log-likelihood sum_y q(y) ln (theta C)(y) is strictly concave on the simplex if no change of theta of
/// sum 0 leaves every observed report as likely as before: the stacked channels, reduced to reports that were
/// seen, with a column of ones, have rank |places|. Then the maximum is unique from any start
/// (right-invertible channels, Biswas 2023, Theorem 3.3).
struct MleUniqueness {
  std::size_t places = 0;
  std::size_t rank = 0;
  double smallest_singular_value = 0;
  double largest_singular_value = 0;
  bool strictly_concave() const { return rank == places; }
};
MleUniqueness mle_uniqueness(const ReportLikelihood& likelihood);

/// The same around one maximum: only places whose gain there is 1 can have mass in another one (the others
/// lose likelihood at once), so only they need be told apart. `slack` is how far below 1 a gain may be and
/// still count as 1.
MleUniqueness mle_uniqueness_at(const ReportLikelihood& likelihood, const PlaceEstimate& maximum,
                                double slack = 1e-6);

}  // namespace earshot
