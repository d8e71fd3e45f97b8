// The tables earshot knows by name: features and target, read from the catalogued files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/table.hpp"

namespace earshot {

/// Features and target of a supervised table; target empty when the data has none.
struct TabularDataset {
  std::string name;
  NumericTable features;
  std::string target_name;
  std::vector<double> target;        // one per row: a number, or the class index
  std::vector<std::string> classes;  // empty for regression
};

/// 1417 days x 24 hourly means of active power (kW); no target.
TabularDataset load_household_power(const std::filesystem::path& directory);
/// 414 dwellings x 6 features; the target is the price of a unit of area.
TabularDataset load_real_estate(const std::filesystem::path& directory);
/// 569 biopsies x 30 features; class 0 is benign, class 1 malignant. The patient's id is dropped.
TabularDataset load_wdbc(const std::filesystem::path& directory);

/// "household_power", "real_estate" or "wdbc"; `directory` is the data directory, as for the catalogue. Fails
/// with the nearest spelling.
TabularDataset load_tabular(std::string_view name, const std::filesystem::path& directory);

}  // namespace earshot
