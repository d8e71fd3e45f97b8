#include "earshot/data/tabular_datasets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue.hpp"
#include "earshot/data/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::vector<double> column_of(const NumericTable& table, std::string_view name) {
  NumericTable copy = table;
  return take_column(copy, name);
}

void expect_range(const std::vector<double>& values, double lowest, double highest) {
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_EQ(low, lowest);
  EXPECT_EQ(high, highest);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The file has six decimals, so its total in milliwatts is a whole number that can be compared exactly; it
// was computed from the file by another program.
TEST(TabularDatasets, HouseholdPower) {
  EARSHOT_NEEDS_DATASET("household-power");
  const TabularDataset dataset = load_tabular("household_power", data_directory());
  EXPECT_EQ(dataset.name, "household_power");
  EXPECT_EQ(dataset.features.row_count, 1417u);
  EXPECT_EQ(dataset.features.columns.size(), 24u);
  EXPECT_EQ(dataset.features.columns.front(), "h00");
  EXPECT_EQ(dataset.features.columns.back(), "h23");
  EXPECT_THAT(dataset.features.row(0).first(3), ElementsAre(1.882467, 3.3494, 1.587267));
  EXPECT_EQ(dataset.features.row(0)[23], 0.437733);
  EXPECT_EQ(dataset.features.row(1416)[0], 0.303467);
  EXPECT_THAT(dataset.features.row(1416).last(2), ElementsAre(1.247567, 0.957));
  expect_range(dataset.features.values, 0.124, 6.560533);
  std::int64_t milliwatts = 0;
  for (const double kilowatts : dataset.features.values) milliwatts += std::llround(kilowatts * 1e6);
  EXPECT_EQ(milliwatts, 37124746264);
  EXPECT_THAT(dataset.target, IsEmpty());
  EXPECT_EQ(dataset.target_name, "");
  EXPECT_THAT(dataset.classes, IsEmpty());
}

TEST(TabularDatasets, RealEstate) {
  EARSHOT_NEEDS_DATASET("real-estate-valuation");
  const TabularDataset dataset = load_tabular("real_estate", data_directory());
  EXPECT_EQ(dataset.name, "real_estate");
  EXPECT_EQ(dataset.features.row_count, 414u);
  EXPECT_THAT(dataset.features.columns,
              ElementsAre("X1 transaction date", "X2 house age", "X3 distance to the nearest MRT station",
                          "X4 number of convenience stores", "X5 latitude", "X6 longitude"));
  EXPECT_THAT(dataset.features.row(0), ElementsAre(2012.917, 32, 84.87882, 10, 24.98298, 121.54024));
  EXPECT_THAT(dataset.features.row(413), ElementsAre(2013.5, 6.5, 90.45606, 9, 24.97433, 121.5431));
  expect_range(column_of(dataset.features, "X1 transaction date"), 2012.667, 2013.583);
  expect_range(column_of(dataset.features, "X3 distance to the nearest MRT station"), 23.38284, 6488.021);
  expect_range(column_of(dataset.features, "X5 latitude"), 24.93207, 25.01459);
  EXPECT_EQ(dataset.target_name, "Y house price of unit area");
  EXPECT_EQ(dataset.target.size(), 414u);
  EXPECT_EQ(dataset.target.front(), 37.9);
  EXPECT_EQ(dataset.target.back(), 63.9);
  expect_range(dataset.target, 7.6, 117.5);
  EXPECT_NEAR(mean(dataset.target), 37.98019323671498, 1e-12);
  EXPECT_THAT(dataset.classes, IsEmpty());
}

// 357 benign and 212 malignant, as the file's own description says.
TEST(TabularDatasets, Wdbc) {
  EARSHOT_NEEDS_DATASET("wdbc");
  const TabularDataset dataset = load_tabular("wdbc", data_directory());
  EXPECT_EQ(dataset.name, "wdbc");
  EXPECT_EQ(dataset.features.row_count, 569u);
  EXPECT_EQ(dataset.features.columns.size(), 30u);
  EXPECT_EQ(dataset.features.column("mean radius"), 0u);
  EXPECT_EQ(dataset.features.column("radius error"), 10u);
  EXPECT_EQ(dataset.features.column("worst fractal dimension"), 29u);
  EXPECT_THAT(dataset.features.row(0).first(4), ElementsAre(17.99, 10.38, 122.8, 1001));
  EXPECT_EQ(dataset.features.row(0)[29], 0.1189);
  EXPECT_THAT(dataset.features.row(568).last(3), ElementsAre(0, 0.2871, 0.07039));
  expect_range(column_of(dataset.features, "mean radius"), 6.981, 28.11);
  expect_range(column_of(dataset.features, "radius error"), 0.1115, 2.873);
  EXPECT_NEAR(mean(column_of(dataset.features, "worst fractal dimension")), 0.08394581722319855, 1e-14);
  EXPECT_EQ(dataset.target_name, "diagnosis");
  EXPECT_THAT(dataset.classes, ElementsAre("benign", "malignant"));
  EXPECT_EQ(std::ranges::count(dataset.target, 0.0), 357);
  EXPECT_EQ(std::ranges::count(dataset.target, 1.0), 212);
  EXPECT_EQ(dataset.target.front(), 1);
  EXPECT_EQ(dataset.target.back(), 0);
}

TEST(TabularDatasets, AnUnknownNameGetsTheNearestSpelling) {
  EXPECT_THAT([] { load_tabular("wbdc", data_directory()); },
              ThrowsMessage<Error>(HasSubstr("no table \"wbdc\"; did you mean \"wdbc\"?")));
}

TEST(TabularDatasets, AMissingFileSaysHowToGetIt) {
  EXPECT_THAT([] { load_wdbc("/nonexistent"); },
              ThrowsMessage<Error>(HasSubstr("wdbc/wdbc.data[.gz] is not in /nonexistent; to get it: ")));
}

}  // namespace
}  // namespace earshot
