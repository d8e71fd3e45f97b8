// Features of which most are zero, in compressed rows, and their text format: one line per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "earshot/data/formats/text_lines.hpp"

namespace earshot {

/// Row i has values[k] in column indices[k] for k from row_starts[i] to row_starts[i + 1]; columns rise
/// within a row.
struct SparseFeatures {
  std::size_t columns = 0;
  std::vector<std::size_t> row_starts{0};  // rows + 1
  std::vector<std::uint32_t> indices;
  std::vector<double> values;

  std::size_t rows() const { return row_starts.size() - 1; }
  std::size_t nonzeros() const { return indices.size(); }
  std::span<const std::uint32_t> row_indices(std::size_t row) const;
  std::span<const double> row_values(std::size_t row) const;
  /// Adds `row` to the zeros in `out`, which has `columns` entries.
  void expand(std::size_t row, std::span<double> out) const;
};

using SparseEntry = std::pair<std::uint32_t, double>;
/// Appends a row, sorting it; fails when a column is named twice or is not below `columns`, or a value is
/// not finite. Zeros are left out.
void append_row(SparseFeatures& features, std::vector<SparseEntry> row);

/// Those rows, in that order.
SparseFeatures take_rows(const SparseFeatures& features, std::span<const std::size_t> rows);

/// One line per row: the columns of its ones, separated by single blanks; an empty line is a row of zeros.
SparseFeatures parse_index_lines(const TextFile& file, std::size_t columns);
/// The same with `column:value` in place of each column.
SparseFeatures parse_value_lines(const TextFile& file, std::size_t columns);

}  // namespace earshot
