// Tables whose target is a number, and the household's days, which have none.
#include <utility>

#include <fmt/format.h>

#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

std::vector<ColumnSchema> reals(std::initializer_list<const char*> names) {
  std::vector<ColumnSchema> columns;
  for (const char* name : names) columns.push_back(real(name));
  return columns;
}

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

TabularDataset load_boston(const std::filesystem::path& directory) {
  const CsvFormat format{.columns = reals({"CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD",
                                           "TAX", "PTRATIO", "B", "LSTAT", "MEDV"}),
                         .header = false,
                         .delimiter = ' '};
  return with_target(
      "boston", read_catalogued_table("uci-boston", "uci-boston/housing.data", directory, format), "MEDV");
}

/// Only numbers below a header: the file names its own columns.
CodedTable read_plain(std::string_view dataset, std::string_view path, const std::filesystem::path& directory,
                      char delimiter = ',') {
  const CataloguedText file = read_catalogued(dataset, path, directory);
  NumericTable numbers = read_numeric_csv(file.text, file.origin, delimiter);
  std::vector<std::vector<std::string>> categories(numbers.columns.size());
  return {std::move(numbers), std::move(categories), 0};
}

TabularDataset load_concrete(const std::filesystem::path& directory) {
  CodedTable table = read_plain("uci-concrete", "uci-concrete/Concrete_Data.csv", directory);
  const std::string target = table.table.columns.back();
  return with_target("concrete", std::move(table), target);
}

/// Y1 is the heating load, Y2 the cooling load; the one that is not asked for is left out.
TabularDataset load_energy(const std::filesystem::path& directory, const char* name, const char* target,
                           const char* other) {
  CodedTable table = read_plain("uci-energy", "uci-energy/ENB2012_data.csv", directory);
  take_column(table, other);
  return with_target(name, std::move(table), target);
}

TabularDataset load_energy_heating(const std::filesystem::path& directory) {
  return load_energy(directory, "energy_heating", "Y1", "Y2");
}

TabularDataset load_energy_cooling(const std::filesystem::path& directory) {
  return load_energy(directory, "energy_cooling", "Y2", "Y1");
}

TabularDataset load_kin8nm(const std::filesystem::path& directory) {
  return with_target("kin8nm", read_plain("uci-kin8nm", "uci-kin8nm/dataset_2175_kin8nm.csv", directory),
                     "y");
}

/// Two decay coefficients are given; the one that is not asked for is left out.
TabularDataset load_naval(const std::filesystem::path& directory, const char* name, const char* target,
                          const char* other) {
  const CsvFormat format{
      .columns = reals({"lever position", "ship speed", "gas turbine shaft torque", "gas turbine revolutions",
                        "gas generator revolutions", "starboard propeller torque", "port propeller torque",
                        "turbine exit temperature", "compressor inlet temperature",
                        "compressor outlet temperature", "turbine exit pressure", "compressor inlet pressure",
                        "compressor outlet pressure", "exhaust gas pressure", "turbine injection control",
                        "fuel flow", "compressor decay", "turbine decay"}),
      .header = false,
      .delimiter = ' '};
  CodedTable table = read_catalogued_table("uci-naval", "uci-naval/data.txt", directory, format);
  take_column(table, other);
  return with_target(name, std::move(table), target);
}

TabularDataset load_naval_compressor(const std::filesystem::path& directory) {
  return load_naval(directory, "naval_compressor", "compressor decay", "turbine decay");
}

TabularDataset load_naval_turbine(const std::filesystem::path& directory) {
  return load_naval(directory, "naval_turbine", "turbine decay", "compressor decay");
}

TabularDataset load_power_plant(const std::filesystem::path& directory) {
  return with_target("power_plant",
                     read_plain("uci-power-plant", "uci-power-plant/Folds5x2_pp.csv", directory), "PE");
}

TabularDataset load_protein(const std::filesystem::path& directory) {
  return with_target("protein", read_plain("uci-protein", "uci-protein/CASP.csv", directory), "RMSD");
}

TabularDataset load_wine_red(const std::filesystem::path& directory) {
  return with_target(
      "wine_red", read_plain("uci-wine-red", "uci-wine-red/winequality-red.csv", directory, ';'), "quality");
}

TabularDataset load_yacht(const std::filesystem::path& directory) {
  const CsvFormat format{
      .columns = reals({"longitudinal position", "prismatic coefficient", "length-displacement ratio",
                        "beam-draught ratio", "length-beam ratio", "Froude number", "residuary resistance"}),
      .header = false,
      .delimiter = ' '};
  return with_target(
      "yacht", read_catalogued_table("uci-yacht", "uci-yacht/yacht_hydrodynamics.data", directory, format),
      "residuary resistance");
}

}  // namespace

std::vector<TabularLoader> regression_tables() {
  return {
      {"household_power", "household-power", "24 hourly means of power a day; no target",
       load_household_power},
      {"real_estate", "real-estate-valuation", "price of a unit of area", load_real_estate},
      {"boston", "uci-boston", "median value of a home", load_boston},
      {"concrete", "uci-concrete", "compressive strength", load_concrete},
      {"energy_heating", "uci-energy", "heating load", load_energy_heating},
      {"energy_cooling", "uci-energy", "cooling load", load_energy_cooling},
      {"kin8nm", "uci-kin8nm", "distance of a robot's hand", load_kin8nm},
      {"naval_compressor", "uci-naval", "decay of the compressor", load_naval_compressor},
      {"naval_turbine", "uci-naval", "decay of the turbine", load_naval_turbine},
      {"power_plant", "uci-power-plant", "electrical output", load_power_plant},
      {"protein", "uci-protein", "distance from the true structure", load_protein},
      {"wine_red", "uci-wine-red", "quality", load_wine_red},
      {"yacht", "uci-yacht", "residuary resistance", load_yacht},
  };
}

}  // namespace earshot
