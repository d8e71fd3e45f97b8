// Whether scores are better than those of a guess, or chance.
#pragma once

#include <span>

namespace earshot {

/// A difference counts beyond so many standard errors: chance alone passes that 2 times in 100.
inline constexpr double kStandardErrors = 2;

/// Scores beside those of a guess; a larger one is better.
enum class Comparison { kUnknown, kWorse, kNoBetter, kBetter };

/// Judged by the mean of scores less those of the guess on the same tasks, any number of them; unknown below
/// two.
Comparison compare_with_guess(std::span<const double> differences);

}  // namespace earshot
