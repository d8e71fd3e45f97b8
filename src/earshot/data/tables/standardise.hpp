// The scale of a column: what is subtracted and divided by, measured on the rows one may look at.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "earshot/data/formats/table.hpp"

namespace earshot {

struct ColumnStatistics {
  double mean = 0;
  double deviation = 0;  // of the population: divided by the number of rows
  double lowest = 0;
  double highest = 0;
  /// The fewest decimals, up to nine, that write every value exactly; none when nine do not.
  int decimals = 0;
};
inline constexpr int kManyDecimals = -1;

/// Of the given rows only. Fails without rows and for a value that is not finite.
ColumnStatistics column_statistics(const NumericTable& table, std::size_t column,
                                   std::span<const std::size_t> rows);

enum class NumberScaling {
  kStandard,  // mean 0, deviation 1
  kMinMax,    // from 0 to 1
  kNone
};
std::string_view to_string(NumberScaling scaling);

/// A constant column has nothing to divide by: its scale is 1 and it becomes 0.
struct ColumnScale {
  double shift = 0;
  double scale = 1;

  double scaled(double value) const { return (value - shift) / scale; }
  double unscaled(double number) const { return number * scale + shift; }
};
ColumnScale column_scale(const ColumnStatistics& statistics, NumberScaling scaling);

/// The nearest number with that many decimals, as reading its digits would give it.
double round_to_decimals(double value, int decimals);

}  // namespace earshot
