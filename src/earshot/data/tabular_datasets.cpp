#include "earshot/data/tabular_datasets.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue.hpp"
#include "earshot/data/csv.hpp"

namespace earshot {
namespace {

/// The dataset's only file, read under the format.
CodedTable read(std::string_view dataset, const std::filesystem::path& directory, const CsvFormat& format) {
  const DatasetEntry& entry = find_dataset(dataset);
  const DatasetFile& file = entry.files.front();
  const Bytes bytes = read_verified(entry, file, directory);
  return read_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                  locate(entry, file, directory).string(), format);
}

ColumnSchema real(std::string name, double lowest) {
  return {.name = std::move(name), .kind = ColumnKind::kReal, .lowest = lowest};
}

CsvFormat household_format() {
  CsvFormat format{.columns = {{.name = "date", .kind = ColumnKind::kDate}}};
  for (int hour = 0; hour < 24; ++hour) format.columns.push_back(real(fmt::format("h{:02}", hour), 0));
  return format;
}

CsvFormat real_estate_format() {
  return {.columns = {{.name = "No", .kind = ColumnKind::kIdentifier},
                      real("X1 transaction date", 0),
                      real("X2 house age", 0),
                      real("X3 distance to the nearest MRT station", 0),
                      {.name = "X4 number of convenience stores", .kind = ColumnKind::kInteger, .lowest = 0},
                      {.name = "X5 latitude", .lowest = -90, .highest = 90},
                      {.name = "X6 longitude", .lowest = -180, .highest = 180},
                      real("Y house price of unit area", 0)}};
}

/// Ten measures of the cell nuclei, each as mean, standard error and mean of the three largest, in the order
/// of the file's description.
CsvFormat wdbc_format() {
  constexpr std::array kMeasures{"radius",     "texture",          "perimeter", "area",
                                 "smoothness", "compactness",      "concavity", "concave points",
                                 "symmetry",   "fractal dimension"};
  CsvFormat format{
      .columns = {{.name = "id", .kind = ColumnKind::kIdentifier},
                  {.name = "diagnosis", .kind = ColumnKind::kCategory, .categories = {"B", "M"}}},
      .header = false};
  const auto add = [&](std::string_view before, std::string_view after) {
    for (const std::string_view measure : kMeasures)
      format.columns.push_back(real(fmt::format("{}{}{}", before, measure, after), 0));
  };
  add("mean ", "");
  add("", " error");
  add("worst ", "");
  return format;
}

/// The named column becomes the target, all others are features.
TabularDataset with_target(std::string name, NumericTable table, const std::string& target) {
  std::vector<double> values = take_column(table, target);
  return {std::move(name), std::move(table), target, std::move(values), {}};
}

}  // namespace

TabularDataset load_household_power(const std::filesystem::path& directory) {
  NumericTable table = read("household-power", directory, household_format()).table;
  take_column(table, "date");
  return {"household_power", std::move(table), "", {}, {}};
}

TabularDataset load_real_estate(const std::filesystem::path& directory) {
  return with_target("real_estate", read("real-estate-valuation", directory, real_estate_format()).table,
                     "Y house price of unit area");
}

TabularDataset load_wdbc(const std::filesystem::path& directory) {
  TabularDataset dataset = with_target("wdbc", read("wdbc", directory, wdbc_format()).table, "diagnosis");
  dataset.classes = {"benign", "malignant"};
  return dataset;
}

TabularDataset load_tabular(std::string_view name, const std::filesystem::path& directory) {
  if (name == "household_power") return load_household_power(directory);
  if (name == "real_estate") return load_real_estate(directory);
  if (name == "wdbc") return load_wdbc(directory);
  const std::vector<std::string> names{"household_power", "real_estate", "wdbc"};
  fail(Fault::kConfig, fmt::format("no table \"{}\"; {}", name, suggest(name, names)));
}

}  // namespace earshot
