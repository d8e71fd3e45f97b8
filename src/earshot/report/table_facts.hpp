// What an attack on the rows of a table found, as a data owner wants to know it: how much, which columns
// first, whether the attacker knows when it is right, and some rows side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/metric/comparison.hpp"
#include "earshot/report/results.hpp"

namespace earshot {

/// Shares of right cells, and what guessing gets right without listening; means over attacks and trials.
struct CellScores {
  std::optional<double> accuracy;
  std::optional<double> random;     // every cell drawn from its column
  std::optional<double> likeliest;  // every column's likeliest value
  std::optional<double> cells;
};

struct LeakingColumn : CellScores {
  std::string name, kind;
  /// Above the better of the two guesses.
  double gain() const;
};

/// A tenth of the cells of one kind, by how much the attacker's searches agree.
struct ConfidencePart : CellScores {
  std::string kind;
  std::size_t part = 0;  // 1: the most confident
  std::optional<double> entropy;
};

struct ShownCell {
  std::string column, truth, guess;
  bool right = false;
  std::optional<double> entropy;
  /// How often cells of its kind about which the attacker is as sure are right: what its confidence is worth.
  std::optional<double> trust;
};

struct ShownRow {
  std::string attacker, victim, round, row;
  std::vector<ShownCell> cells;
};

struct TableAttackFacts : CellScores {
  std::size_t attacks = 0;          // steps attacked
  std::size_t failed = 0;           // of them without any result
  std::optional<double> deviation;  // of the accuracy, over attacks
  Comparison against_random = Comparison::kUnknown;
  Comparison against_likeliest = Comparison::kUnknown;
  std::vector<LeakingColumn> columns;      // those that gain most first
  std::vector<ConfidencePart> confidence;  // by kind, then part
  std::vector<ShownRow> rows;
};

/// None for a cell without such an attack.
std::optional<TableAttackFacts> table_facts(const CellResults& cell);

/// How much, and in words whether that is more than guessing.
std::string table_verdict_text(const TableAttackFacts& facts);
/// The columns that give most away; empty if none gives anything.
std::string leaking_columns_text(const TableAttackFacts& facts);
/// Whether confident cells are right more often; empty where nothing says so.
std::string confidence_text(const TableAttackFacts& facts);

}  // namespace earshot
