#include "earshot/data/tables/standardise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr int kMostDecimals = 9;
// Beyond this many units of the last decimal, scaling there and back may not find the same unit again.
constexpr double kMostUnits = 1e13;

/// The first number of decimals from `least` on that writes the value exactly. A quotient of two exactly
/// known numbers is rounded once, just as decimal text is, so comparing for equality is right.
int decimals_of(double value, int least) {
  if (least == kManyDecimals) return kManyDecimals;
  for (int decimals = least; decimals <= kMostDecimals; ++decimals) {
    if (round_to_decimals(value, decimals) == value) return decimals;
  }
  return kManyDecimals;
}

}  // namespace

ColumnStatistics column_statistics(const NumericTable& table, std::size_t column,
                                   std::span<const std::size_t> rows) {
  if (rows.empty()) fail(Fault::kData, "a column cannot be measured without rows");
  const auto value_at = [&](std::size_t row) { return table.row(row)[column]; };
  const double first = value_at(rows.front());
  ColumnStatistics result{.mean = 0, .deviation = 0, .lowest = first, .highest = first, .decimals = 0};
  double sum = 0;  // of the differences from the first value, so that equal values have exactly their mean
  for (const std::size_t row : rows) {
    const double value = value_at(row);
    if (!std::isfinite(value))
      fail(Fault::kData,
           fmt::format("column \"{}\": row {} holds no finite number", table.columns[column], row));
    sum += value - first;
    result.lowest = std::min(result.lowest, value);
    result.highest = std::max(result.highest, value);
    result.decimals = decimals_of(value, result.decimals);
  }
  const double largest = std::max(std::abs(result.lowest), std::abs(result.highest));
  if (largest * std::pow(10.0, result.decimals) > kMostUnits) result.decimals = kManyDecimals;
  const auto count = static_cast<double>(rows.size());
  result.mean = first + sum / count;
  double squares = 0;
  for (const std::size_t row : rows) squares += (value_at(row) - result.mean) * (value_at(row) - result.mean);
  result.deviation = result.lowest == result.highest ? 0 : std::sqrt(squares / count);
  if (!std::isfinite(result.deviation) || !std::isfinite(result.highest - result.lowest))
    fail(Fault::kNumeric,
         fmt::format("column \"{}\": its values are too large to be scaled", table.columns[column]));
  return result;
}

std::string_view to_string(NumberScaling scaling) {
  switch (scaling) {
    case NumberScaling::kStandard:
      return "standard";
    case NumberScaling::kMinMax:
      return "min_max";
    case NumberScaling::kNone:
      break;
  }
  return "none";
}

ColumnScale column_scale(const ColumnStatistics& statistics, NumberScaling scaling) {
  if (scaling == NumberScaling::kNone) return {};
  const bool standard = scaling == NumberScaling::kStandard;
  const double scale = standard ? statistics.deviation : statistics.highest - statistics.lowest;
  return {standard ? statistics.mean : statistics.lowest, scale > 0 ? scale : 1};
}

double round_to_decimals(double value, int decimals) {
  const double power = std::pow(10.0, decimals);
  const double scaled = std::round(value * power);
  return std::isfinite(scaled) ? scaled / power : value;
}

}  // namespace earshot
