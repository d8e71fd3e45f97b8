#include "earshot/data/tables/tabular_datasets.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {

std::span<const TabularLoader> tabular_loaders() {
  static const std::vector<TabularLoader> loaders = [] {
    std::vector<TabularLoader> all;
    for (const auto& part : {people_tables(), medical_tables(), digit_tables(), regression_tables()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return loaders;
}

TabularDataset load_tabular(std::string_view name, const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const TabularLoader& loader : tabular_loaders()) {
    if (loader.name == name) return loader.load(directory);
    names.emplace_back(loader.name);
  }
  fail(Fault::kConfig, fmt::format("no table \"{}\"; {}", name, suggest(name, names)));
}

}  // namespace earshot
