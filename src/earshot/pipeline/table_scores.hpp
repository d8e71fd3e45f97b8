// What a reconstructed batch of rows is worth, cell by cell, beside guesses that heard nothing; and how far
// an attacker's confidence can be trusted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "earshot/attack/tabular/ensemble.hpp"
#include "earshot/core/random.hpp"
#include "earshot/training/training_data.hpp"

namespace earshot {

/// One cell of a true row, and what became of it.
struct JudgedCell {
  std::size_t column = 0;
  double truth = 0;
  double guess = 0;
  bool right = false;
  double entropy = 0;      // of the attacker's searches; low: they agree
  double random = 0;       // share of random tables in which it is right
  bool likeliest = false;  // the column's likeliest value is right
};

/// Shares of right cells.
struct CellShares {
  std::size_t cells = 0;
  double accuracy = 0;
  double random = 0;     // of tables drawn from the columns' values
  double likeliest = 0;  // of guessing every column's likeliest value
  double entropy = 0;    // mean

  /// Above the better of the two guesses.
  double gain() const { return accuracy - (random > likeliest ? random : likeliest); }
};
CellShares shares_of(std::span<const JudgedCell> cells);

/// Judges reconstructions against the truth. Baselines see held-out rows only, or those trained on where none
/// are held out.
class TableJudge {
 public:
  /// `data` must outlive it and have a table.
  explicit TableJudge(const TrainingData& data);

  std::span<const ColumnBlock> columns() const { return data_.table->encoder.blocks(); }
  /// The rows of these examples.
  std::vector<double> rows(std::span<const std::size_t> examples) const;
  /// Row by row of the truth, paired with the guesses such that most cells are right; the random tables are
  /// paired in the same way.
  std::vector<JudgedCell> judge(std::span<const double> truth, const PooledTable& guess, std::size_t draws,
                                Stream& stream) const;
  /// Share of right cells of an attacker that trusts public rows where its searches contradict one another
  /// (with_marginals).
  double informed_accuracy(std::span<const double> truth, const PooledTable& guess) const;
  /// The category's name, or the number with the decimals of its column.
  std::string text(std::size_t column, double value) const;

 private:
  const TrainingData& data_;
  const std::vector<std::size_t>& public_rows_;
  std::vector<double> likeliest_;
};

/// The cells in ten parts of equal size, from the most to the least confident; fewer where there are fewer
/// than ten. Cells alike in confidence count with the mean of them all: which of them comes first says
/// nothing.
std::vector<CellShares> by_confidence(std::span<const JudgedCell> cells);

}  // namespace earshot
