// Reading the tables of a trial in tests.
#pragma once

#include <string>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot::testing {

/// The values of a column, from the first row to the last.
inline std::vector<Json> column(const Json& table, const std::string& name) {
  std::size_t index = 0;
  while (table.at("columns").at(index) != name) ++index;
  std::vector<Json> values;
  for (const Json& row : table.at("rows")) values.push_back(row.at(index));
  return values;
}

inline double mean(const std::vector<Json>& values) {
  double sum = 0;
  for (const Json& value : values) sum += value.get<double>();
  return sum / static_cast<double>(values.size());
}

}  // namespace earshot::testing
