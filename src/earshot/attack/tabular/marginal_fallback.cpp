#include "earshot/attack/tabular/marginal_fallback.hpp"

#include "earshot/attack/tabular/baseline.hpp"

namespace earshot {

std::vector<double> marginal_entropies(const TableEncoder& encoder, const NumericTable& features,
                                       std::span<const std::size_t> public_rows) {
  std::vector<double> entropies, values(public_rows.size());
  for (std::size_t c = 0; c < encoder.blocks().size(); ++c) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = features.row(public_rows[i])[c];
    entropies.push_back(cell_entropy(encoder.blocks()[c], values));
  }
  return entropies;
}

std::vector<double> with_marginals(const TableEncoder& encoder, const PooledTable& pooled,
                                   const NumericTable& features, std::span<const std::size_t> public_rows) {
  const auto likeliest = likeliest_row(encoder, features, public_rows);
  const auto limits = marginal_entropies(encoder, features, public_rows);
  std::vector<double> cells = pooled.cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t column = i % limits.size();
    if (pooled.entropy[i] > limits[column]) cells[i] = likeliest[column];
  }
  return cells;
}

}  // namespace earshot
