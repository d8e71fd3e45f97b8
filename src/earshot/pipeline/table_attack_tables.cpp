#include "earshot/pipeline/table_attack_tables.hpp"

#include <algorithm>
#include <iterator>

namespace earshot {
namespace {

std::vector<std::string> attack_columns() {
  return {"attacker", "victim",   "round",      "epsilon",  "topology_epsilon", "leak",
          "rows",     "accuracy", "categories", "numbers",  "random",           "likeliest",
          "gain",     "informed", "entropy",    "matching", "members",          "seconds"};
}
std::vector<std::string> column_columns() {
  return {"attacker", "round",  "column",    "kind", "cells",
          "accuracy", "random", "likeliest", "gain", "entropy"};
}
std::vector<std::string> confidence_columns() {
  return {"attacker", "kind", "part", "cells", "accuracy", "random", "likeliest", "entropy"};
}
std::vector<std::string> shown_columns() {
  return {"attacker", "victim", "round", "row", "column", "truth", "guess", "right", "entropy"};
}

Json or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

const char* kind_name(bool categories) {
  return categories ? "category" : "number";
}

}  // namespace

TableAttackTables::TableAttackTables(const TableJudge& judge, const Graph& network, std::size_t rows_shown)
    : judge_(judge),
      network_(network),
      rows_left_(rows_shown),
      attacks_(attack_columns()),
      columns_(column_columns()),
      confidence_(confidence_columns()),
      shown_(shown_columns()) {}

std::vector<JudgedCell> TableAttackTables::of_kind(std::span<const JudgedCell> cells, bool categories) const {
  std::vector<JudgedCell> out;
  std::ranges::copy_if(cells, std::back_inserter(out),
                       [&](const JudgedCell& cell) { return categorical(cell) == categories; });
  return out;
}

Json TableAttackTables::accuracy_of_kind(std::span<const JudgedCell> cells, bool categories) const {
  const auto some = of_kind(cells, categories);
  return some.empty() ? Json(nullptr) : Json(shares_of(some).accuracy);
}

void TableAttackTables::add_failure(const std::string& attacker, const Leak& leak, const SpentBy& spent,
                                    const std::string& why) {
  Json row = {
      attacker, network_.name(leak.victim), leak.round, or_null(spent.everybody), or_null(spent.participant),
      why,      leak.observation.records};
  while (row.size() < attack_columns().size()) row.push_back(nullptr);
  attacks_.add(std::move(row));
}

void TableAttackTables::add_attack(const std::string& attacker, const Leak& leak, const SpentBy& spent,
                                   const TabLeak& found, double informed, std::span<const JudgedCell> cells) {
  const CellShares shares = shares_of(cells);
  attacks_.add({attacker, network_.name(leak.victim), leak.round, or_null(spent.everybody),
                or_null(spent.participant), leak.what, leak.observation.records, shares.accuracy,
                accuracy_of_kind(cells, true), accuracy_of_kind(cells, false), shares.random,
                shares.likeliest, shares.gain(), informed, shares.entropy,
                finite_or_null(found.distances[found.best]), found.members.size(), found.seconds});
  auto& all = rounds_[leak.round];
  all.insert(all.end(), cells.begin(), cells.end());
}

void TableAttackTables::show(const std::string& attacker, const Leak& leak,
                             std::span<const JudgedCell> cells) {
  const std::size_t width = judge_.columns().size();
  for (std::size_t i = 0; i < cells.size() && rows_left_ > 0; ++i) {
    const JudgedCell& cell = cells[i];
    shown_.add({attacker, network_.name(leak.victim), leak.round, i / width + 1,
                judge_.columns()[cell.column].name, judge_.text(cell.column, cell.truth),
                judge_.text(cell.column, cell.guess), cell.right, cell.entropy});
    if (i % width + 1 == width) --rows_left_;
  }
}

void TableAttackTables::sum_up(const std::string& attacker) {
  for (const auto& [round, cells] : rounds_) add_columns(attacker, round, cells);
  add_confidence(attacker);
  rounds_.clear();
}

void TableAttackTables::add_columns(const std::string& attacker, std::uint64_t round,
                                    std::span<const JudgedCell> cells) {
  for (std::size_t c = 0; c < judge_.columns().size(); ++c) {
    std::vector<JudgedCell> some;
    std::ranges::copy_if(cells, std::back_inserter(some),
                         [&](const JudgedCell& cell) { return cell.column == c; });
    const CellShares shares = shares_of(some);
    const ColumnBlock& column = judge_.columns()[c];
    columns_.add({attacker, round, column.name, kind_name(column.categorical()), shares.cells,
                  shares.accuracy, shares.random, shares.likeliest, shares.gain(), shares.entropy});
  }
}

/// Entropies of categories and of numbers do not compare.
void TableAttackTables::add_confidence(const std::string& attacker) {
  for (const bool categories : {true, false}) {
    std::vector<JudgedCell> cells;
    for (const auto& [round, all] : rounds_)
      std::ranges::move(of_kind(all, categories), std::back_inserter(cells));
    const auto parts = by_confidence(cells);
    for (std::size_t k = 0; k < parts.size(); ++k)
      confidence_.add({attacker, kind_name(categories), k + 1, parts[k].cells, parts[k].accuracy,
                       parts[k].random, parts[k].likeliest, parts[k].entropy});
  }
}

Json TableAttackTables::json() const {
  return {{"table_attacks", attacks_.json()},
          {"table_columns", columns_.json()},
          {"confidence", confidence_.json()},
          {"table_rows", shown_.json()}};
}

TableColumns TableAttackTables::columns() {
  return {{"table_attacks", attack_columns()},
          {"table_columns", column_columns()},
          {"confidence", confidence_columns()},
          {"table_rows", shown_columns()}};
}

}  // namespace earshot
