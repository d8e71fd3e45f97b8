#include "earshot/data/tables/tabular_datasets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
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

std::vector<std::size_t> category_sizes(const TabularDataset& dataset) {
  std::vector<std::size_t> sizes;
  for (const auto& categories : dataset.categories) {
    if (!categories.empty()) sizes.push_back(categories.size());
  }
  return sizes;
}

/// How often each category of the column occurs, by its text.
std::map<std::string, int> counts_of(const TabularDataset& dataset, std::string_view column) {
  const std::size_t position = dataset.features.column(column);
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < dataset.features.row_count; ++i)
    ++counts[dataset.categories[position].at(static_cast<std::size_t>(dataset.features.row(i)[position]))];
  return counts;
}

// 30,162 and 15,060 complete rows; 24.9 and 24.6 per cent above 50,000 dollars, as adult.names says.
TEST(TabularDatasets, Adult) {
  EARSHOT_NEEDS_DATASET("adult");
  const TabularDataset dataset = load_tabular("adult", data_directory());
  EXPECT_EQ(dataset.features.row_count, 45222u);
  EXPECT_EQ(dataset.test_begins, 30162u);
  EXPECT_EQ(dataset.dropped_rows, 48842u - 45222u);
  EXPECT_EQ(dataset.features.columns.size(), 14u);
  EXPECT_THAT(category_sizes(dataset), ElementsAre(8, 16, 7, 14, 6, 5, 2, 41));
  EXPECT_THAT(dataset.classes, ElementsAre("<=50K", ">50K"));
  EXPECT_EQ(std::count(dataset.target.begin(), dataset.target.begin() + 30162, 1.0), 7508);
  EXPECT_THAT(class_counts(dataset), ElementsAre(22654 + 11360, 7508 + 3700));
  EXPECT_EQ(dataset.features.row(0)[0], 39);
  EXPECT_EQ(counts_of(dataset, "sex")["Male"], 30527);
  EXPECT_EQ(counts_of(dataset, "native-country")["Holand-Netherlands"], 1);
  EXPECT_EQ(counts_of(dataset, "workclass").count("Never-worked"), 0u) << "only in incomplete rows";
}

TEST(TabularDatasets, GermanCredit) {
  EARSHOT_NEEDS_DATASET("german-credit");
  const TabularDataset dataset = load_tabular("german_credit", data_directory());
  EXPECT_EQ(dataset.features.row_count, 1000u);
  EXPECT_EQ(dataset.features.columns.size(), 20u);
  EXPECT_THAT(category_sizes(dataset), ElementsAre(4, 5, 11, 5, 5, 5, 3, 4, 3, 3, 4, 2, 2));
  EXPECT_THAT(class_counts(dataset), ElementsAre(700, 300));
  EXPECT_EQ(counts_of(dataset, "purpose")["A43"], 280);
  EXPECT_EQ(counts_of(dataset, "foreign worker")["A202"], 37);
  EXPECT_EQ(dataset.features.row(0)[4], 1169);
  const TabularDataset numeric = load_tabular("german_credit_numeric", data_directory());
  EXPECT_EQ(numeric.features.row_count, 1000u);
  EXPECT_EQ(numeric.features.columns.size(), 24u);
  EXPECT_EQ(numeric.target, dataset.target);
  EXPECT_THAT(numeric.features.row(0).first(4), ElementsAre(1, 6, 4, 12));
}

TEST(TabularDatasets, LawSchool) {
  EARSHOT_NEEDS_DATASET("lawschool");
  const TabularDataset all = load_tabular("lawschool_any_race", data_directory());
  EXPECT_EQ(all.features.row_count, 65171u);
  EXPECT_THAT(all.features.columns,
              ElementsAre("LSAT", "GPA", "Race", "resident", "college", "Year", "Gender"));
  EXPECT_THAT(category_sizes(all), ElementsAre(5, 2, 13, 5, 2));
  const TabularDataset dataset = load_tabular("lawschool", data_directory());
  EXPECT_EQ(dataset.features.row_count, 56117u);
  EXPECT_EQ(dataset.dropped_rows, 65535u - 56117u);
  EXPECT_EQ(counts_of(all, "Race")["not stated"], 65171 - 56117);
  EXPECT_THAT(category_sizes(dataset), ElementsAre(4, 2, 13, 5, 2));
  EXPECT_NEAR(mean(dataset.target), 0.249, 0.0005);
  EXPECT_THAT(dataset.features.row(0), ElementsAre(156, 3.71, 0, 0, 0, 1, 0));
}

TEST(TabularDatasets, LawSchoolBarPassage) {
  EARSHOT_NEEDS_DATASET("lawschool-lsac");
  const TabularDataset dataset = load_tabular("lawschool_lsac", data_directory());
  EXPECT_EQ(dataset.features.row_count, 20798u);
  EXPECT_EQ(dataset.features.columns.size(), 11u);
  EXPECT_THAT(class_counts(dataset), ElementsAre(2293, 18505));
  EXPECT_EQ(counts_of(dataset, "race")["Non-White"], 3307);
  EXPECT_EQ(counts_of(dataset, "male")["1.0"], 11675);
}

TEST(TabularDatasets, Insurance) {
  EARSHOT_NEEDS_DATASET("insurance");
  const TabularDataset dataset = load_tabular("insurance", data_directory());
  EXPECT_EQ(dataset.features.row_count, 1338u);
  EXPECT_THAT(dataset.features.columns, ElementsAre("age", "sex", "bmi", "children", "smoker", "region"));
  EXPECT_THAT(category_sizes(dataset), ElementsAre(2, 2, 4));
  EXPECT_THAT(class_counts(dataset), ElementsAre(669, 669));
  EXPECT_EQ(counts_of(dataset, "smoker")["yes"], 274);
  EXPECT_EQ(dataset.target[0], 1) << "16884.924, above 9382.033";
  EXPECT_EQ(dataset.target[1], 0) << "1725.5523";
}

TEST(TabularDatasets, BreastCancerWisconsin) {
  EARSHOT_NEEDS_DATASET("breast-cancer-wisconsin");
  const TabularDataset dataset = load_tabular("breast_cancer_wisconsin", data_directory());
  EXPECT_EQ(dataset.features.row_count, 683u);
  EXPECT_EQ(dataset.dropped_rows, 16u);
  EXPECT_EQ(dataset.features.columns.size(), 9u);
  EXPECT_THAT(class_counts(dataset), ElementsAre(444, 239));
  expect_range(dataset.features.values, 1, 10);
}

TEST(TabularDatasets, HospitalCharges) {
  EARSHOT_NEEDS_DATASET("cms-ipps-fy2011");
  const TabularDataset dataset = load_tabular("hospital_charges", data_directory());
  EXPECT_EQ(dataset.features.row_count, 11915u);
  EXPECT_EQ(dataset.clients.size(), 3151u);
  EXPECT_EQ(std::set(dataset.client.begin(), dataset.client.end()).size(), 3151u);
  EXPECT_THAT(category_sizes(dataset), ElementsAre(4, 51, 306));
  EXPECT_THAT(counts_of(dataset, "DRG Definition"),
              ElementsAre(::testing::Pair(::testing::StartsWith("194"), 3023),
                          ::testing::Pair(::testing::StartsWith("292"), 2953),
                          ::testing::Pair(::testing::StartsWith("392"), 2950),
                          ::testing::Pair(::testing::StartsWith("690"), 2989)));
  EXPECT_EQ(dataset.target_name, "Average Total Payments");
  EXPECT_THAT(dataset.features.columns, Not(::testing::Contains("Average Medicare Payments")));
}

TEST(TabularDatasets, Digits) {
  EARSHOT_NEEDS_DATASET("digits");
  const TabularDataset dataset = load_tabular("digits", data_directory());
  EXPECT_EQ(dataset.features.row_count, 1797u);
  EXPECT_EQ(dataset.features.columns.size(), 64u);
  expect_range(dataset.features.values, 0, 16);
  EXPECT_THAT(class_counts(dataset), ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
}

// Counts of the publishers; the means were computed from the files by another program.
TEST(TabularDatasets, Regression) {
  struct Expected {
    const char* name;
    std::size_t rows;
    std::size_t features;
    double target_mean;
    double feature_mean;
  };
  for (const Expected& expected : {
           Expected{"boston", 506, 13, 22.532806324110673, 70.07396704469443},
           Expected{"concrete", 1030, 8, 35.8178358261136, 298.647166868932},
           Expected{"energy_heating", 768, 8, 22.3071953125, 147.42169270833332},
           Expected{"energy_cooling", 768, 8, 24.58776041666667, 147.42169270833332},
           Expected{"kin8nm", 8192, 8, 0.7142834923574218, 0.0024727828845313},
           Expected{"naval_compressor", 11934, 16, 0.975, 2486.266593414823},
           Expected{"naval_turbine", 11934, 16, 0.9875, 2486.266593414823},
           Expected{"power_plant", 9568, 4, 454.36500940635455, 290.13127273202343},
           Expected{"protein", 45730, 9, 7.748528427727969, 153947.96322061817},
           Expected{"wine_red", 1599, 11, 5.6360225140712945, 8.134219224515322},
           Expected{"yacht", 308, 6, 10.495357142857143, 1.733681818181818},
       }) {
    SCOPED_TRACE(expected.name);
    const auto loader = std::ranges::find(tabular_loaders(), expected.name, &TabularLoader::name);
    EARSHOT_NEEDS_DATASET(loader->dataset);
    const TabularDataset dataset = loader->load(data_directory());
    EXPECT_EQ(dataset.name, expected.name);
    EXPECT_EQ(dataset.features.row_count, expected.rows);
    EXPECT_EQ(dataset.features.columns.size(), expected.features);
    EXPECT_THAT(dataset.classes, IsEmpty());
    EXPECT_NEAR(mean(dataset.target) / expected.target_mean, 1, 1e-12);
    EXPECT_NEAR(mean(dataset.features.values) / expected.feature_mean, 1, 1e-12);
  }
}

TEST(TabularDatasets, NamesAndSourcesAreKnown) {
  std::set<std::string_view> names;
  for (const TabularLoader& loader : tabular_loaders()) {
    EXPECT_TRUE(names.insert(loader.name).second) << loader.name;
    EXPECT_NO_THROW(find_dataset(loader.dataset)) << loader.name;
    EXPECT_FALSE(loader.summary.empty()) << loader.name;
  }
}

TEST(TabularDatasets, ClassesOfANumberAreRefused) {
  TabularDataset dataset;
  dataset.name = "prices";
  EXPECT_THAT([&] { class_counts(dataset); },
              ThrowsMessage<Error>(HasSubstr("table prices: its target is no class")));
}

TEST(TabularDatasets, AnUnknownNameGetsTheNearestSpelling) {
  EXPECT_THAT([] { load_tabular("wbdc", data_directory()); },
              ThrowsMessage<Error>(HasSubstr("no table \"wbdc\"; did you mean \"wdbc\"?")));
}

TEST(TabularDatasets, AMissingFileSaysHowToGetIt) {
  EXPECT_THAT([] { load_tabular("wdbc", "/nonexistent"); },
              ThrowsMessage<Error>(HasSubstr("wdbc/wdbc.data[.gz] is not in /nonexistent; to get it: ")));
}

}  // namespace
}  // namespace earshot
