#include "earshot/attack/tabular/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/core/error.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

constexpr double kLeastSpread = 1e-6;

std::vector<double> in_order(std::span<const double> records, std::span<const std::size_t> order,
                             std::size_t width) {
  std::vector<double> out;
  out.reserve(records.size());
  for (const std::size_t row : order) {
    const auto record = records.subspan(row * width, width);
    out.insert(out.end(), record.begin(), record.end());
  }
  return out;
}

std::vector<std::vector<double>> aligned(const TableEncoder& encoder,
                                         std::span<const std::vector<double>> members, std::size_t best) {
  const std::vector<double> reference = to_cells(encoder, members[best]);
  std::vector<std::vector<double>> out;
  for (const std::vector<double>& member : members)
    out.push_back(
        in_order(member, match_rows(encoder, reference, to_cells(encoder, member)), encoder.width()));
  return out;
}

/// Calls use(i, values) for every place i with what the tables hold there.
template <class Use>
void for_places(std::span<const std::vector<double>> tables, Use&& use) {
  std::vector<double> values(tables.size());
  for (std::size_t i = 0; i < tables.front().size(); ++i) {
    for (std::size_t k = 0; k < tables.size(); ++k) values[k] = tables[k][i];
    use(i, values);
  }
}

double entropy_of_votes(std::size_t categories, std::span<const double> votes) {
  if (categories < 2) return 0;
  std::vector<double> share(categories);
  for (const double vote : votes)
    share[static_cast<std::size_t>(vote)] += 1 / static_cast<double>(votes.size());
  double entropy = 0;
  for (const double p : share)
    if (p > 0) entropy -= p * std::log(p);
  return entropy / std::log(static_cast<double>(categories));
}

double entropy_of_numbers(const ColumnBlock& column, std::span<const double> values) {
  const double unit = column.statistics.deviation;
  const double spread = std::max(unit > 0 ? sample_deviation(values) / unit : 0.0, kLeastSpread);
  return 0.5 + 0.5 * std::log(2 * std::numbers::pi * spread * spread);
}

}  // namespace

double cell_entropy(const ColumnBlock& column, std::span<const double> values) {
  return column.categorical() ? entropy_of_votes(column.words.size(), values)
                              : entropy_of_numbers(column, values);
}

PooledTable match_and_pool(const TableEncoder& encoder, std::span<const std::vector<double>> members,
                           std::size_t best) {
  if (best >= members.size()) fail(Fault::kConfig, "an ensemble needs a best member to order the others by");
  const auto records = aligned(encoder, members, best);
  std::vector<double> medians(records.front().size());
  for_places(records,
             [&](std::size_t i, std::span<const double> values) { medians[i] = quantile(values, 0.5); });

  PooledTable out{to_cells(encoder, medians), {}};
  std::vector<std::vector<double>> votes;
  for (const auto& member : records) votes.push_back(to_cells(encoder, member));
  for_places(votes, [&](std::size_t i, std::span<const double> values) {
    const ColumnBlock& column = encoder.blocks()[i % encoder.blocks().size()];
    out.entropy.push_back(cell_entropy(column, values));
  });
  return out;
}

}  // namespace earshot
