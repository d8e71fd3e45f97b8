#include "earshot/pipeline/table_scores.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/attack/tabular/baseline.hpp"
#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/marginal_fallback.hpp"
#include "earshot/attack/tabular/table_layout.hpp"

namespace earshot {
namespace {

constexpr std::size_t kParts = 10;

/// Some of cells that are alike in confidence, to shares of others.
void add_cells(std::size_t some, const CellShares& alike, CellShares& to) {
  to.cells += some;
  const double weight = static_cast<double>(some) / static_cast<double>(to.cells);
  for (const auto share :
       {&CellShares::accuracy, &CellShares::random, &CellShares::likeliest, &CellShares::entropy})
    to.*share += weight * (alike.*share - to.*share);
}

}  // namespace

CellShares shares_of(std::span<const JudgedCell> cells) {
  CellShares out;
  out.cells = cells.size();
  for (const JudgedCell& cell : cells) {
    out.accuracy += cell.right ? 1 : 0;
    out.random += cell.random;
    out.likeliest += cell.likeliest ? 1 : 0;
    out.entropy += cell.entropy;
  }
  const double count = std::max<double>(1, static_cast<double>(cells.size()));
  for (double* share : {&out.accuracy, &out.random, &out.likeliest, &out.entropy}) *share /= count;
  return out;
}

TableJudge::TableJudge(const TrainingData& data)
    : data_(data),
      public_rows_(data.parts.test.empty() ? data.parts.train : data.parts.test),
      likeliest_(likeliest_row(data.table->encoder, data.table->features, public_rows_)) {}

std::vector<double> TableJudge::rows(std::span<const std::size_t> examples) const {
  std::vector<double> cells;
  for (const std::size_t example : examples) {
    const auto row = data_.table->features.row(example);
    cells.insert(cells.end(), row.begin(), row.end());
  }
  return cells;
}

std::vector<JudgedCell> TableJudge::judge(std::span<const double> truth, const PooledTable& guess,
                                          std::size_t draws, Stream& stream) const {
  const TableEncoder& encoder = data_.table->encoder;
  const std::size_t width = columns().size();
  const CellAccuracy found = cell_accuracy(encoder, truth, guess.cells);
  std::vector<JudgedCell> out(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::size_t column = i % width;
    const std::size_t there = found.row_of[i / width] * width + column;
    const bool likely = cells_agree(columns()[column], truth[i], likeliest_[column]);
    out[i] = {column, truth[i], guess.cells[there], found.right[i], guess.entropy[there], 0, likely};
  }
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto table = draw_marginals(data_.table->features, public_rows_, row_count(encoder, truth), stream);
    const CellAccuracy random = cell_accuracy(encoder, truth, table);
    for (std::size_t i = 0; i < truth.size(); ++i)
      out[i].random += random.right[i] ? 1 / static_cast<double>(draws) : 0;
  }
  return out;
}

double TableJudge::informed_accuracy(std::span<const double> truth, const PooledTable& guess) const {
  const TableEncoder& encoder = data_.table->encoder;
  const auto cells = with_marginals(encoder, guess, data_.table->features, public_rows_);
  return cell_accuracy(encoder, truth, cells).accuracy;
}

std::string TableJudge::text(std::size_t column, double value) const {
  const ColumnBlock& block = columns()[column];
  if (block.categorical()) return block.categories.at(static_cast<std::size_t>(value));
  if (block.statistics.decimals == kManyDecimals) return fmt::format("{:.6g}", value);
  return fmt::format("{:.{}f}", value, block.statistics.decimals);
}

std::vector<CellShares> by_confidence(std::span<const JudgedCell> cells) {
  std::vector<JudgedCell> sorted(cells.begin(), cells.end());
  std::ranges::stable_sort(sorted, {}, &JudgedCell::entropy);
  const std::size_t count = sorted.size(), parts = std::min(kParts, count);
  std::vector<CellShares> out(parts);
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && sorted[end].entropy == sorted[begin].entropy) ++end;
    const CellShares alike = shares_of(std::span(sorted).subspan(begin, end - begin));
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t from = std::max(begin, k * count / parts);
      const std::size_t to = std::min(end, (k + 1) * count / parts);
      if (from < to) add_cells(to - from, alike, out[k]);
    }
  }
  return out;
}

}  // namespace earshot
