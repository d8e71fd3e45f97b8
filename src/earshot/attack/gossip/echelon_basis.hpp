// A row space over a prime field, kept in reduced echelon form while rows arrive one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "earshot/attack/gossip/prime_field.hpp"

namespace earshot {

/// Each basis row is 1 at its own pivot column, 0 at every other pivot, and arbitrary at the remaining "free"
/// columns; only the free part is stored, so inserting into a space of rank r costs 2 r (n - r) operations.
class EchelonBasis {
 public:
  EchelonBasis(const PrimeField& field, std::size_t columns);

  /// Adds the row to the space; false when it was there already.
  bool insert(std::span<const Residue> row);
  std::size_t rank() const { return pivots_.size(); }

  /// Is the unit vector of this column in the space? Exactly when its basis row has no free part.
  bool contains_unit(std::size_t column) const;

  struct Entry {
    std::size_t column;
    Residue coefficient;
  };
  /// One basis row with its pivot first, coefficients of the pivot being 1; zero entries left out.
  std::vector<Entry> row(std::size_t index) const;

 private:
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
  std::span<Residue> free_part(std::size_t row);
  std::span<const Residue> free_part(std::size_t row) const;
  void drop_free_column(std::size_t position);

  PrimeField field_;
  std::size_t columns_;
  std::vector<std::size_t> free_columns_;  // column of each stored position
  std::vector<std::size_t> pivots_;        // pivot column of each basis row
  std::vector<std::size_t> row_of_pivot_;  // by column; kNoRow for free columns
  std::vector<Residue> rows_;              // one stride of `columns_` words per basis row, free part first
  std::vector<Residue> incoming_;
};

}  // namespace earshot
