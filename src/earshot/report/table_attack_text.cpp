#include "earshot/report/table_attack_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/report/table.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

constexpr std::size_t kColumnsShown = 20;
constexpr std::size_t kRowsShown = 2;

using Kind = TextTable::Kind;
using Value = TextTable::Value;

void add_score_columns(TextTable& table) {
  for (const char* title : {"right", "random", "likeliest"}) table.add_column(title, Kind::kNumbers);
}

void add_scores(const CellScores& scores, std::vector<Value>& row) {
  const bool above = scores.accuracy > std::max(scores.random, scores.likeliest);
  row.push_back({percent_text(scores.accuracy), above ? Paint::kRed : Paint::kNone});
  row.push_back({percent_text(scores.random)});
  row.push_back({percent_text(scores.likeliest)});
}

std::string columns_text(const TableAttackFacts& facts, std::size_t width, bool colour) {
  TextTable table;
  table.add_column("column", Kind::kWords);
  add_score_columns(table);
  const std::size_t shown = std::min(kColumnsShown, facts.columns.size());
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<Value> row = {{facts.columns[i].name}};
    add_scores(facts.columns[i], row);
    table.add_row(std::move(row));
  }
  std::string text = table.render(width, colour);
  if (shown < facts.columns.size())
    text += fmt::format("… and {} more columns in the report.\n", facts.columns.size() - shown);
  return text;
}

/// One below the other: what is true, and what was reconstructed.
std::string row_text(const ShownRow& row, std::size_t width, bool colour) {
  TextTable table;
  table.add_column(fmt::format("{}, round {}, row {}", row.victim, row.round, row.row), Kind::kWords);
  table.add_column("true", Kind::kWords);
  table.add_column("reconstructed", Kind::kWords);
  table.add_column("", Kind::kWords);
  table.add_column("as sure", Kind::kNumbers);
  for (const ShownCell& cell : row.cells)
    table.add_row({{cell.column},
                   {cell.truth},
                   {cell.guess, cell.right ? Paint::kRed : Paint::kDim},
                   {cell.right ? "right" : "wrong", cell.right ? Paint::kRed : Paint::kDim},
                   {percent_text(cell.trust)}});
  return table.render(width, colour);
}

}  // namespace

std::string table_attack_text(const TableAttackFacts& facts, std::size_t width, bool colour) {
  std::string text;
  const auto say = [&](const std::string& sentence) {
    if (!sentence.empty()) text += wrap(printable(sentence), width) + "\n";
  };
  say(table_verdict_text(facts));
  say(leaking_columns_text(facts));
  say(confidence_text(facts));
  if (!facts.columns.empty()) text += "\n" + columns_text(facts, width, colour);
  if (!facts.rows.empty()) {
    text += "\n";
    say("Rows of the first trial; \"as sure\" is how often cells about which the attacker is as sure are "
        "right.");
  }
  for (std::size_t i = 0; i < std::min(kRowsShown, facts.rows.size()); ++i)
    text += "\n" + row_text(facts.rows[i], width, colour);
  return text;
}

}  // namespace earshot
