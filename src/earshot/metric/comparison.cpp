#include "earshot/metric/comparison.hpp"

#include <cmath>

#include "earshot/metric/statistics.hpp"

namespace earshot {

Comparison compare_with_guess(std::span<const double> differences) {
  if (differences.size() < 2) return Comparison::kUnknown;
  const double middle = mean(differences);
  const double chance =
      kStandardErrors * sample_deviation(differences) / std::sqrt(static_cast<double>(differences.size()));
  if (middle > chance) return Comparison::kBetter;
  return middle < -chance ? Comparison::kWorse : Comparison::kNoBetter;
}

}  // namespace earshot
