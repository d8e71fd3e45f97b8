#include "earshot/attack/tabular/cell_accuracy.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/core/error.hpp"
#include "earshot/metric/matching.hpp"

namespace earshot {
namespace {

void require_same_size(std::span<const double> rows, std::span<const double> others) {
  if (rows.size() != others.size())
    fail(Fault::kConfig,
         fmt::format("tables of {} and {} cells cannot be compared", rows.size(), others.size()));
}

std::size_t disagreements(const TableEncoder& encoder, std::span<const double> a, std::span<const double> b) {
  std::size_t count = 0;
  for (std::size_t c = 0; c < a.size(); ++c) count += cells_agree(encoder.blocks()[c], a[c], b[c]) ? 0 : 1;
  return count;
}

}  // namespace

bool cells_agree(const ColumnBlock& column, double a, double b) {
  return column.categorical() ? a == b : std::abs(a - b) <= kNumberTolerance * column.statistics.deviation;
}

std::vector<std::size_t> match_rows(const TableEncoder& encoder, std::span<const double> rows,
                                    std::span<const double> others) {
  require_same_size(rows, others);
  const std::size_t count = row_count(encoder, rows);
  const std::size_t columns = encoder.blocks().size();
  std::vector<double> cost(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      cost[i * count + j] = static_cast<double>(
          disagreements(encoder, rows.subspan(i * columns, columns), others.subspan(j * columns, columns)));
    }
  }
  const auto matching = optimal_matching(cost, count, count);
  std::vector<std::size_t> partner;
  for (const auto& column : matching.column_of) partner.push_back(column.value());
  return partner;
}

CellAccuracy cell_accuracy(const TableEncoder& encoder, std::span<const double> truth,
                           std::span<const double> guess) {
  CellAccuracy out;
  out.row_of = match_rows(encoder, truth, guess);
  const std::size_t columns = encoder.blocks().size();
  const auto rows = static_cast<double>(out.row_of.size());
  out.by_column.resize(columns);
  for (std::size_t r = 0; r < out.row_of.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double guessed = guess[out.row_of[r] * columns + c];
      out.right.push_back(cells_agree(encoder.blocks()[c], truth[r * columns + c], guessed));
      if (!out.right.back()) continue;
      out.by_column[c] += 1 / rows;
      out.accuracy += 1;
    }
  }
  out.accuracy /= static_cast<double>(truth.size());
  return out;
}

}  // namespace earshot
