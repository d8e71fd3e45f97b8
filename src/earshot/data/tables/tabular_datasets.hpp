// The tables earshot knows by name, read from the catalogued files.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "earshot/data/tables/tabular_dataset.hpp"

namespace earshot {

/// A table by name. `load` reads from disk every time: keep what it returns.
struct TabularLoader {
  std::string_view name;
  std::string_view dataset;  // in the catalogue
  std::string_view summary;
  std::function<TabularDataset(const std::filesystem::path& directory)> load;
};
std::span<const TabularLoader> tabular_loaders();

/// `directory` is the data directory, as for the catalogue. Fails with the nearest spelling.
TabularDataset load_tabular(std::string_view name, const std::filesystem::path& directory);

}  // namespace earshot
