#include "earshot/attack/gossip/echelon_basis.hpp"

#include <algorithm>
#include <numeric>

namespace earshot {

EchelonBasis::EchelonBasis(const PrimeField& field, std::size_t columns)
    : field_(field),
      columns_(columns),
      free_columns_(columns),
      row_of_pivot_(columns, kNoRow),
      incoming_(columns) {
  std::iota(free_columns_.begin(), free_columns_.end(), std::size_t{0});
}

std::span<Residue> EchelonBasis::free_part(std::size_t row) {
  return std::span(rows_).subspan(row * columns_, free_columns_.size());
}
std::span<const Residue> EchelonBasis::free_part(std::size_t row) const {
  return std::span(rows_).subspan(row * columns_, free_columns_.size());
}

bool EchelonBasis::insert(std::span<const Residue> row) {
  const std::span<Residue> reduced = std::span(incoming_).first(free_columns_.size());
  for (std::size_t i = 0; i < reduced.size(); ++i) reduced[i] = row[free_columns_[i]];
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    const Residue factor = row[pivots_[i]];
    if (factor != 0) field_.add_multiple(reduced, free_part(i), field_.negate(factor));
  }
  const auto found = std::find_if(reduced.begin(), reduced.end(), [](Residue x) { return x != 0; });
  if (found == reduced.end()) return false;

  const auto position = static_cast<std::size_t>(found - reduced.begin());
  const Residue scale = field_.inverse(*found);
  for (Residue& entry : reduced) entry = field_.multiply(entry, scale);
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    const Residue factor = free_part(i)[position];
    if (factor != 0) field_.add_multiple(free_part(i), reduced, field_.negate(factor));
  }
  row_of_pivot_[free_columns_[position]] = pivots_.size();
  pivots_.push_back(free_columns_[position]);
  rows_.resize(pivots_.size() * columns_);
  std::copy(reduced.begin(), reduced.end(), free_part(pivots_.size() - 1).begin());
  drop_free_column(position);
  return true;
}

void EchelonBasis::drop_free_column(std::size_t position) {
  const std::size_t last = free_columns_.size() - 1;
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    const std::span<Residue> part = free_part(i);
    part[position] = part[last];
  }
  free_columns_[position] = free_columns_[last];
  free_columns_.pop_back();
}

bool EchelonBasis::contains_unit(std::size_t column) const {
  const std::size_t row = row_of_pivot_[column];
  if (row == kNoRow) return false;
  const auto part = free_part(row);
  return std::all_of(part.begin(), part.end(), [](Residue x) { return x == 0; });
}

std::vector<EchelonBasis::Entry> EchelonBasis::row(std::size_t index) const {
  std::vector<Entry> entries = {{pivots_[index], 1}};
  const auto part = free_part(index);
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != 0) entries.push_back({free_columns_[i], part[i]});
  }
  std::sort(entries.begin() + 1, entries.end(),
            [](const Entry& a, const Entry& b) { return a.column < b.column; });
  return entries;
}

}  // namespace earshot
