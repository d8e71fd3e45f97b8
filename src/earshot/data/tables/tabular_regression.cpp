// Tables whose target is a number, and the household's days, which have none.
#include <utility>

#include <fmt/format.h>

#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

TabularDataset load_household_power(const std::filesystem::path& directory) {
  CsvFormat format{.columns = {{.name = "date", .kind = ColumnKind::kDate}}};
  for (int hour = 0; hour < 24; ++hour) format.columns.push_back(amount(fmt::format("h{:02}", hour)));
  CodedTable table = read_catalogued_table("household-power", "household-power/household_power_daily24.csv",
                                           directory, format);
  take_column(table, "date");
  return with_target("household_power", std::move(table), "");
}

TabularDataset load_real_estate(const std::filesystem::path& directory) {
  const CsvFormat format{
      .columns = {{.name = "No", .kind = ColumnKind::kIdentifier},
                  amount("X1 transaction date"),
                  amount("X2 house age"),
                  amount("X3 distance to the nearest MRT station"),
                  {.name = "X4 number of convenience stores", .kind = ColumnKind::kInteger, .lowest = 0},
                  {.name = "X5 latitude", .lowest = -90, .highest = 90},
                  {.name = "X6 longitude", .lowest = -180, .highest = 180},
                  amount("Y house price of unit area")}};
  return with_target(
      "real_estate",
      read_catalogued_table("real-estate-valuation", "real-estate-valuation/real_estate_valuation.csv",
                            directory, format),
      "Y house price of unit area");
}

/// A file of numbers only, which names its own columns unless they are given here.
struct NumberFile {
  std::string_view name;
  std::string_view dataset;
  std::string_view summary;
  std::string_view path;
  std::string_view target;  // empty: the last column
  char delimiter = ',';
  std::vector<std::string> columns{};  // the file has no header
  std::string_view left_out{};         // a second target, not asked for
};

CodedTable read_numbers(const NumberFile& file, const std::filesystem::path& directory) {
  if (!file.columns.empty()) {
    CsvFormat format{.header = false, .delimiter = file.delimiter};
    for (const std::string& column : file.columns) format.columns.push_back(real(column));
    return read_catalogued_table(file.dataset, file.path, directory, format);
  }
  const CataloguedText text = read_catalogued(file.dataset, file.path, directory);
  NumericTable numbers = read_numeric_csv(text.text, text.origin, file.delimiter);
  std::vector<std::vector<std::string>> categories(numbers.columns.size());
  return {std::move(numbers), std::move(categories), 0};
}

TabularDataset load_numbers(const NumberFile& file, const std::filesystem::path& directory) {
  CodedTable table = read_numbers(file, directory);
  if (!file.left_out.empty()) take_column(table, file.left_out);
  const std::string target(file.target.empty() ? table.table.columns.back() : file.target);
  return with_target(std::string(file.name), std::move(table), target);
}

TabularLoader numbers(const NumberFile& file) {
  return {file.name, file.dataset, file.summary,
          [file](const std::filesystem::path& directory) { return load_numbers(file, directory); }};
}

/// Y1 is the heating load, Y2 the cooling load.
TabularLoader energy(std::string_view name, std::string_view summary, std::string_view target,
                     std::string_view left_out) {
  return numbers({.name = name,
                  .dataset = "uci-energy",
                  .summary = summary,
                  .path = "uci-energy/ENB2012_data.csv",
                  .target = target,
                  .left_out = left_out});
}

TabularLoader naval(std::string_view name, std::string_view summary, std::string_view target,
                    std::string_view left_out) {
  return numbers(
      {.name = name,
       .dataset = "uci-naval",
       .summary = summary,
       .path = "uci-naval/data.txt",
       .target = target,
       .delimiter = ' ',
       .columns = {"lever position", "ship speed", "gas turbine shaft torque", "gas turbine revolutions",
                   "gas generator revolutions", "starboard propeller torque", "port propeller torque",
                   "turbine exit temperature", "compressor inlet temperature",
                   "compressor outlet temperature", "turbine exit pressure", "compressor inlet pressure",
                   "compressor outlet pressure", "exhaust gas pressure", "turbine injection control",
                   "fuel flow", "compressor decay", "turbine decay"},
       .left_out = left_out});
}

}  // namespace

std::vector<TabularLoader> regression_tables() {
  return {
      {"household_power", "household-power", "24 hourly means of power a day; no target",
       load_household_power},
      {"real_estate", "real-estate-valuation", "price of a unit of area", load_real_estate},
      numbers({"boston",
               "uci-boston",
               "median value of a home",
               "uci-boston/housing.data",
               "MEDV",
               ' ',
               {"CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B",
                "LSTAT", "MEDV"}}),
      numbers({"concrete", "uci-concrete", "compressive strength", "uci-concrete/Concrete_Data.csv", ""}),
      energy("energy_heating", "heating load", "Y1", "Y2"),
      energy("energy_cooling", "cooling load", "Y2", "Y1"),
      numbers(
          {"kin8nm", "uci-kin8nm", "distance of a robot's hand", "uci-kin8nm/dataset_2175_kin8nm.csv", "y"}),
      naval("naval_compressor", "decay of the compressor", "compressor decay", "turbine decay"),
      naval("naval_turbine", "decay of the turbine", "turbine decay", "compressor decay"),
      numbers(
          {"power_plant", "uci-power-plant", "electrical output", "uci-power-plant/Folds5x2_pp.csv", "PE"}),
      numbers({"protein", "uci-protein", "distance from the true structure", "uci-protein/CASP.csv", "RMSD"}),
      numbers({"wine_red", "uci-wine-red", "quality", "uci-wine-red/winequality-red.csv", "quality", ';'}),
      numbers({"yacht",
               "uci-yacht",
               "residuary resistance",
               "uci-yacht/yacht_hydrodynamics.data",
               "residuary resistance",
               ' ',
               {"longitudinal position", "prismatic coefficient", "length-displacement ratio",
                "beam-draught ratio", "length-beam ratio", "Froude number", "residuary resistance"}}),
  };
}

}  // namespace earshot
