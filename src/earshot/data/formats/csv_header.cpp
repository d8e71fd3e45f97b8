#include "earshot/data/formats/csv_header.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {

CsvHeader read_csv_header(std::span<const TextCell> cells, const std::string& origin) {
  CsvHeader header{{}, fmt::format("{}:{}", origin, cells.front().line)};
  for (const TextCell& cell : cells) header.columns.push_back({.name = cell.text});
  with_context(header.where, [&] { check_column_names(header.columns); });
  return header;
}

std::vector<std::size_t> match_columns(const CsvHeader& header, std::span<const ColumnSchema> columns) {
  std::map<std::string_view, std::size_t> by_name;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    by_name.emplace(columns[i].name, i);
    names.push_back(columns[i].name);
  }
  std::vector<std::size_t> positions;
  for (const ColumnSchema& named : header.columns) {
    const auto found = by_name.find(named.name);
    if (found == by_name.end())
      fail(Fault::kData, fmt::format("{}: unknown column {}; {}", header.where, in_quotes(named.name),
                                     suggest(named.name, names)));
    positions.push_back(found->second);
    by_name.erase(found);
  }
  if (!by_name.empty())
    fail(Fault::kData,
         fmt::format("{}: the header lacks the column {}", header.where, in_quotes(by_name.begin()->first)));
  return positions;
}

}  // namespace earshot
