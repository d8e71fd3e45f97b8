// Measures: one number asked of a table, written as in `spearman(degree, reconstructed_share)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace earshot {

enum class MeasureKind { kMean, kStd, kMedian, kMin, kMax, kCount, kSpearman, kShareAbove, kShareMeanAbove };

struct Measure {
  MeasureKind kind = MeasureKind::kCount;
  std::vector<std::string> columns;  // share_mean_above: the averaged column, then the grouping one
  double threshold = 0;              // share_above and share_mean_above only
};

/// Strict: a known name, the right number of arguments, columns as names, thresholds as finite numbers.
/// Anything else is an Error(kConfig) that says what is allowed.
Measure parse_measure(std::string_view text);
/// The canonical spelling; parse_measure(to_text(m)) is m.
std::string to_text(const Measure& measure);

}  // namespace earshot
