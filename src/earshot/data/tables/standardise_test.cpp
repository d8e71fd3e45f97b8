#include "earshot/data/tables/standardise.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Rows = std::vector<std::size_t>;

// By hand: 2, 4, 4, 4, 5, 5, 7, 9 have mean 5 and deviation 2.
TEST(Standardise, StatisticsOfTheGivenRowsOnly) {
  const NumericTable table{{"x"}, 10, {1000, 2, 4, 4, 4, 5, 5, 7, 9, -1000}};
  const ColumnStatistics found = column_statistics(table, 0, Rows{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(found.mean, 5);
  EXPECT_EQ(found.deviation, 2);
  EXPECT_EQ(found.lowest, 2);
  EXPECT_EQ(found.highest, 9);
  EXPECT_EQ(found.decimals, 0);
  const ColumnScale standard = column_scale(found, NumberScaling::kStandard);
  EXPECT_EQ(standard.shift, 5);
  EXPECT_EQ(standard.scale, 2);
  const ColumnScale min_max = column_scale(found, NumberScaling::kMinMax);
  EXPECT_EQ(min_max.shift, 2);
  EXPECT_EQ(min_max.scale, 7);
  const ColumnScale none = column_scale(found, NumberScaling::kNone);
  EXPECT_EQ(none.shift, 0);
  EXPECT_EQ(none.scale, 1);
}

TEST(Standardise, AConstantColumnBecomesZero) {
  const NumericTable table{{"x"}, 3, {0.1, 0.1, 0.1}};
  const ColumnStatistics found = column_statistics(table, 0, Rows{0, 1, 2});
  for (const NumberScaling scaling : {NumberScaling::kStandard, NumberScaling::kMinMax}) {
    const ColumnScale scale = column_scale(found, scaling);
    EXPECT_EQ(scale.scale, 1);
    EXPECT_EQ(0.1 - scale.shift, 0);
  }
}

TEST(Standardise, CountsDecimals) {
  const auto decimals = [](std::vector<double> values) {
    const NumericTable table{{"x"}, values.size(), values};
    Rows rows;
    for (std::size_t i = 0; i < values.size(); ++i) rows.push_back(i);
    return column_statistics(table, 0, rows).decimals;
  };
  EXPECT_EQ(decimals({1, -7, 1e6}), 0);
  EXPECT_EQ(decimals({1, 0.5}), 1);
  EXPECT_EQ(decimals({3.71, 4}), 2);
  EXPECT_EQ(decimals({0.124, 6.560533}), 6);
  EXPECT_EQ(decimals({1.0 / 3}), kManyDecimals);
  EXPECT_EQ(decimals({0.1, 1.0 / 3, 0.1}), kManyDecimals);
  EXPECT_EQ(decimals({0.000000001, 123456}), kManyDecimals) << "too many units to be found again";
}

TEST(Standardise, RoundingGivesWhatReadingTheDigitsGives) {
  Stream stream({.seed = 5});
  for (int trial = 0; trial < 20000; ++trial) {
    const double value = 2e4 * (stream.uniform() - 0.5);
    const int decimals = static_cast<int>(stream.below(7));
    const std::string digits = fmt::format("{:.{}f}", value, decimals);
    EXPECT_EQ(round_to_decimals(std::stod(digits) * (1 + 1e-15), decimals), std::stod(digits)) << digits;
  }
}

TEST(Standardise, RefusesWhatCannotBeMeasured) {
  using Limits = std::numeric_limits<double>;
  const NumericTable table{{"x"}, 2, {1, Limits::quiet_NaN()}};
  EXPECT_THAT(
      [&] {
        column_statistics(table, 0, Rows{0, 1});
      },
      ThrowsMessage<Error>(HasSubstr("row 1 holds no finite number")));
  EXPECT_THROW(column_statistics(table, 0, Rows{}), Error);
  const NumericTable large{{"x"}, 2, {Limits::max(), Limits::lowest()}};
  EXPECT_THAT(
      [&] {
        column_statistics(large, 0, Rows{0, 1});
      },
      ThrowsMessage<Error>(HasSubstr("too large to be scaled")));
}

}  // namespace
}  // namespace earshot
