// What many reconstructions of one batch say together, and how far they agree: a sign of being right that
// needs no truth.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

struct PooledTable {
  std::vector<double> cells;  // rows x columns
  /// Of each cell; the lower, the more the members agree. Categories: entropy of the members' votes over log
  /// K, from 0 to 1. Numbers: 1/2 + 1/2 log(2 pi s^2), the entropy of a normal distribution with the members'
  /// deviation s in deviations of the column, s at least 1e-6. Compare categories with categories and
  /// numbers with numbers.
  std::vector<double> entropy;
};

/// How far values of one column disagree, as PooledTable::entropy has it.
double cell_entropy(const ColumnBlock& column, std::span<const double> values);

/// Match and pool (Vero et al. 2023, section 4.2): the rows of every member are put in the order of those of
/// `members[best]` they agree with most, the median of every encoded number is taken, and the result becomes
/// cells. Members are records of the encoder, all of as many rows.
PooledTable match_and_pool(const TableEncoder& encoder, std::span<const std::vector<double>> members,
                           std::size_t best);

}  // namespace earshot
