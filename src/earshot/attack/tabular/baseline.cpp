#include "earshot/attack/tabular/baseline.hpp"

#include <algorithm>

#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require_rows(std::span<const std::size_t> public_rows) {
  if (public_rows.empty()) fail(Fault::kConfig, "a baseline needs at least one public row");
}

std::vector<double> column_values(const NumericTable& features, std::size_t column,
                                  std::span<const std::size_t> rows) {
  std::vector<double> values;
  for (const std::size_t row : rows) values.push_back(features.row(row)[column]);
  return values;
}

double most_frequent(std::size_t categories, std::span<const double> values) {
  std::vector<std::size_t> counts(categories);
  for (const double value : values) ++counts.at(static_cast<std::size_t>(value));
  return static_cast<double>(std::ranges::max_element(counts) - counts.begin());
}

/// The middle of the values in the window of twice the reach that holds most of them.
double densest(std::vector<double> values, double reach) {
  std::ranges::sort(values);
  double middle = values.front();
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; first < values.size(); ++first) {
    while (end < values.size() && values[end] - values[first] <= 2 * reach) ++end;
    if (end - first <= most) continue;
    most = end - first;
    middle = values[first] + 0.5 * (values[end - 1] - values[first]);
  }
  return middle;
}

}  // namespace

std::vector<double> draw_marginals(const NumericTable& features, std::span<const std::size_t> public_rows,
                                   std::size_t count, Stream& stream) {
  require_rows(public_rows);
  std::vector<double> cells;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t c = 0; c < features.columns.size(); ++c)
      cells.push_back(features.row(public_rows[stream.below(public_rows.size())])[c]);
  }
  return cells;
}

Summary random_baseline(const TableEncoder& encoder, const NumericTable& features,
                        std::span<const std::size_t> public_rows, std::span<const double> truth,
                        std::size_t draws, Stream& stream) {
  if (draws == 0) fail(Fault::kConfig, "a random baseline needs at least one draw");
  const std::size_t rows = row_count(encoder, truth);
  std::vector<double> scores;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto guess = draw_marginals(features, public_rows, rows, stream);
    scores.push_back(cell_accuracy(encoder, truth, guess).accuracy);
  }
  return summarise(scores);
}

std::vector<double> likeliest_row(const TableEncoder& encoder, const NumericTable& features,
                                  std::span<const std::size_t> public_rows) {
  require_rows(public_rows);
  std::vector<double> row;
  for (std::size_t c = 0; c < encoder.blocks().size(); ++c) {
    const ColumnBlock& block = encoder.blocks()[c];
    const auto values = column_values(features, c, public_rows);
    row.push_back(block.categorical() ? most_frequent(block.words.size(), values)
                                      : densest(values, kNumberTolerance * block.statistics.deviation));
  }
  return row;
}

double prior_baseline(const TableEncoder& encoder, const NumericTable& features,
                      std::span<const std::size_t> public_rows, std::span<const double> truth) {
  const auto row = likeliest_row(encoder, features, public_rows);
  std::vector<double> guess;
  for (std::size_t r = 0; r < row_count(encoder, truth); ++r)
    guess.insert(guess.end(), row.begin(), row.end());
  return cell_accuracy(encoder, truth, guess).accuracy;
}

}  // namespace earshot
