// Measures: one number asked of a table, written as in `spearman(degree, reconstructed_share)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace earshot {

enum class MeasureKind {
  kMean,
  kStd,
  kMedian,
  kMin,
  kMax,
  kZ,
  kCount,
  kSpearman,
  kShareAbove,
  kShareMeanAbove
};

struct Measure {
  MeasureKind kind = MeasureKind::kCount;
  /// Each a column or a difference of two, "a - b". share_mean_above: what is averaged, then the grouping
  /// one.
  std::vector<std::string> terms;
  double threshold = 0;  // share_above and share_mean_above only
};

/// Strict: a known name, the right number of arguments, columns as names, thresholds as finite numbers.
/// Anything else is an Error(kConfig) that says what is allowed.
Measure parse_measure(std::string_view text);
/// The columns of a term: one, or the two of a difference.
std::vector<std::string> columns_of(std::string_view term);
/// Those of all its terms.
std::vector<std::string> columns_of(const Measure& measure);
/// The canonical spelling; parse_measure(to_text(m)) is m.
std::string to_text(const Measure& measure);

}  // namespace earshot
