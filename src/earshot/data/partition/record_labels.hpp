// What a partition needs to know of a dataset: the class and the holder of every record, whatever its kind.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

struct RecordLabels {
  std::size_t records = 0;
  std::vector<int> labels;           // class index or -1; empty: the dataset has no classes
  std::vector<std::string> classes;  // empty: as above
  std::vector<std::size_t> groups;   // whom a record belongs to; empty: the dataset does not say
  std::vector<std::string> notes;    // what a reader of results should know
};

/// Of an image dataset, table, graph (its nodes are the records) or set of graphs, by name; `given` are the
/// dataset's parameters. With a `column`, the groups are the values of that column of a table.
RecordLabels record_labels(std::string_view name, const Json& given, const std::filesystem::path& directory,
                           std::string_view column = {});

}  // namespace earshot
