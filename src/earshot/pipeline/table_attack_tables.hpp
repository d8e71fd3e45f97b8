// What an attack on the rows of tables has to report: by step, by column, by confidence, and cell by cell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/tabular/tableak.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/pipeline/rows.hpp"
#include "earshot/pipeline/table_scores.hpp"

namespace earshot {

/// What the victim had spent when the round ended: against whoever hears all it sends, and against one other
/// participant by the accountant of the topology. None: no guarantee, or no accountant.
struct SpentBy {
  std::optional<double> everybody;
  std::optional<double> participant;
};

class TableAttackTables {
 public:
  /// Both must outlive it. At most so many rows are shown cell by cell.
  TableAttackTables(const TableJudge& judge, const Graph& network, std::size_t rows_shown);

  void add_failure(const std::string& attacker, const Leak& leak, const SpentBy& spent,
                   const std::string& why);
  /// Cells, and the share an informed attacker gets right, as the judge made them.
  void add_attack(const std::string& attacker, const Leak& leak, const SpentBy& spent, const TabLeak& found,
                  double informed, std::span<const JudgedCell> cells);
  /// Side by side, row by row.
  void show(const std::string& attacker, const Leak& leak, std::span<const JudgedCell> cells);
  /// Columns and confidence of what was added for this attacker since the last call.
  void sum_up(const std::string& attacker);

  /// "table_attacks", "table_columns", "confidence" and "table_rows".
  Json json() const;
  static TableColumns columns();

 private:
  bool categorical(const JudgedCell& cell) const { return judge_.columns()[cell.column].categorical(); }
  std::vector<JudgedCell> of_kind(std::span<const JudgedCell> cells, bool categories) const;
  Json accuracy_of_kind(std::span<const JudgedCell> cells, bool categories) const;
  void add_columns(const std::string& attacker, std::uint64_t round, std::span<const JudgedCell> cells);
  void add_confidence(const std::string& attacker);

  const TableJudge& judge_;
  const Graph& network_;
  std::size_t rows_left_;
  std::map<std::uint64_t, std::vector<JudgedCell>> rounds_;  // of the attacker at hand
  RowTable attacks_;
  RowTable columns_;
  RowTable confidence_;
  RowTable shown_;
};

}  // namespace earshot
