// How many cells of a table an attack got right, whatever the order of its rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

/// A number counts as right within this many deviations of its column (Vero et al. 2023, section 5).
inline constexpr double kNumberTolerance = 0.319;

/// The same category, or numbers that lie close enough.
bool cells_agree(const ColumnBlock& column, double a, double b);

/// For every row of `rows` the row of `others` it is paired with, such that most cells agree in all: the
/// Hungarian method on the number of cells that do not. Both have as many rows.
std::vector<std::size_t> match_rows(const TableEncoder& encoder, std::span<const double> rows,
                                    std::span<const double> others);

struct CellAccuracy {
  double accuracy = 0;              // share of the cells that are right
  std::vector<double> by_column;    // the same, of each column
  std::vector<std::size_t> row_of;  // the guessed row each true row is paired with
  std::vector<bool> right;          // by cell of the truth
};

/// Equation 3.2 of Ski 2026 (the accuracy of Vero et al. 2023) after the best pairing of rows. What shares
/// its code with another category is right only if it is the same category.
CellAccuracy cell_accuracy(const TableEncoder& encoder, std::span<const double> truth,
                           std::span<const double> guess);

}  // namespace earshot
