// A supervised table in memory: features that are numbers or categories, a target, and the parts and holders
// its publishers gave it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/table.hpp"

namespace earshot {

/// Features and target of a supervised table; target empty when the data has none.
struct TabularDataset {
  std::string name;
  NumericTable features;  // a category as its index
  std::string target_name;
  std::vector<double> target;        // one per row: a number, or the class index
  std::vector<std::string> classes;  // empty for regression
  std::vector<std::vector<std::string>>
      categories;                // per feature, in the order of the indices; empty: a number
  std::size_t dropped_rows = 0;  // left out because a value was missing
  /// Rows before this one are the published training part, the others the published test part.
  std::optional<std::size_t> test_begins;
  /// Who holds each row, where the data says so: the position in `clients`.
  std::string client_name;
  std::vector<std::size_t> client;
  std::vector<std::string> clients;
};

/// The named column becomes the target and its categories the classes; all others are features. An empty
/// name: no target.
TabularDataset with_target(std::string name, CodedTable table, const std::string& target);

/// How many rows each class has; fails for a target without classes.
std::vector<std::size_t> class_counts(const TabularDataset& dataset);

}  // namespace earshot
