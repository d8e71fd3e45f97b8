#include "earshot/data/graphs/sparse_features.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

template <class ReadEntry>
SparseFeatures parse_lines(const TextFile& file, std::size_t columns, ReadEntry read_entry) {
  TextLines lines(file);
  SparseFeatures features;
  features.columns = columns;
  for (std::string_view line; lines.next(line);) {
    std::vector<SparseEntry> row;
    if (!line.empty()) {
      for (const std::string_view piece : split(line, ' ')) row.push_back(read_entry(lines, piece));
    }
    try {
      append_row(features, std::move(row));
    } catch (const Error& error) {
      lines.refuse(error.what());
    }
  }
  return features;
}

std::uint32_t read_column(const TextLines& lines, std::string_view text, std::size_t columns) {
  return static_cast<std::uint32_t>(
      lines.whole_number(text, "column", 0, static_cast<std::int64_t>(columns) - 1));
}

}  // namespace

std::span<const std::uint32_t> SparseFeatures::row_indices(std::size_t row) const {
  return std::span(indices).subspan(row_starts.at(row), row_starts.at(row + 1) - row_starts[row]);
}

std::span<const double> SparseFeatures::row_values(std::size_t row) const {
  return std::span(values).subspan(row_starts.at(row), row_starts.at(row + 1) - row_starts[row]);
}

void SparseFeatures::expand(std::size_t row, std::span<double> out) const {
  const auto columns_of_row = row_indices(row);
  const auto values_of_row = row_values(row);
  for (std::size_t k = 0; k < columns_of_row.size(); ++k) out[columns_of_row[k]] += values_of_row[k];
}

void append_row(SparseFeatures& features, std::vector<SparseEntry> row) {
  std::ranges::sort(row, {}, &SparseEntry::first);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto [column, value] = row[k];
    if (column >= features.columns)
      fail(Fault::kData, fmt::format("column {} of a row with {} columns", column, features.columns));
    if (k > 0 && row[k - 1].first == column)
      fail(Fault::kData, fmt::format("column {} is named twice", column));
    if (!std::isfinite(value))
      fail(Fault::kData, fmt::format("the value of column {} is not a finite number", column));
  }
  for (const auto& [column, value] : row) {
    if (value == 0) continue;
    features.indices.push_back(column);
    features.values.push_back(value);
  }
  features.row_starts.push_back(features.indices.size());
}

SparseFeatures take_rows(const SparseFeatures& features, std::span<const std::size_t> rows) {
  SparseFeatures taken;
  taken.columns = features.columns;
  for (const std::size_t row : rows) {
    std::ranges::copy(features.row_indices(row), std::back_inserter(taken.indices));
    std::ranges::copy(features.row_values(row), std::back_inserter(taken.values));
    taken.row_starts.push_back(taken.indices.size());
  }
  return taken;
}

SparseFeatures parse_index_lines(const TextFile& file, std::size_t columns) {
  return parse_lines(file, columns, [&](const TextLines& lines, std::string_view piece) {
    return SparseEntry(read_column(lines, piece, columns), 1.0);
  });
}

SparseFeatures parse_value_lines(const TextFile& file, std::size_t columns) {
  return parse_lines(file, columns, [&](const TextLines& lines, std::string_view piece) {
    const std::size_t colon = piece.find(':');
    if (colon == std::string_view::npos)
      lines.refuse(fmt::format("{} found, expected column:value", in_quotes(piece)));
    const auto value = parse_finite(piece.substr(colon + 1));
    if (!value)
      lines.refuse(
          fmt::format("value {} found, allowed: a finite number", in_quotes(piece.substr(colon + 1))));
    return SparseEntry(read_column(lines, piece.substr(0, colon), columns), *value);
  });
}

}  // namespace earshot
