// Rows of flat records, the form in which a trial reports.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

/// A table under construction; every row must have one entry per column.
class RowTable {
 public:
  explicit RowTable(std::vector<std::string> columns) : columns_(std::move(columns)), rows_(Json::array()) {}
  void add(Json row);
  Json json() const { return {{"columns", columns_}, {"rows", rows_}}; }

 private:
  std::vector<std::string> columns_;
  Json rows_;
};

/// A number, or null when it is not finite or absent.
Json finite_or_null(double value);

}  // namespace earshot
