#include "earshot/report/table_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/metric/statistics.hpp"
#include "earshot/report/row_reader.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

/// Columns named in a sentence.
constexpr std::size_t kColumnsNamed = 3;
/// A column leaks noticeably from this gain on.
constexpr double kNoticeable = 0.02;
/// What a document may say beyond ten is no part of anything.
constexpr double kMostParts = 1000;

/// Sums of scores weighted by cells.
class Scores {
 public:
  void add(const Row& row, double weight) {
    cells_ += weight;
    accuracy_ += weight * row.number("accuracy").value_or(0);
    random_ += weight * row.number("random").value_or(0);
    likeliest_ += weight * row.number("likeliest").value_or(0);
  }
  CellScores value() const {
    if (cells_ <= 0) return {};
    return {accuracy_ / cells_, random_ / cells_, likeliest_ / cells_, cells_};
  }

 private:
  double cells_ = 0, accuracy_ = 0, random_ = 0, likeliest_ = 0;
};

void add_attacks(const CellResults& cell, TableAttackFacts& facts) {
  Scores scores;
  std::vector<double> accuracies, above_random, above_likeliest;
  each_row(cell, "table_attacks", [&](const Row& row) {
    ++facts.attacks;
    const auto accuracy = row.number("accuracy");
    if (!accuracy) {
      ++facts.failed;
      return;
    }
    scores.add(row, 1);
    accuracies.push_back(*accuracy);
    if (const auto guess = row.number("random")) above_random.push_back(*accuracy - *guess);
    if (const auto guess = row.number("likeliest")) above_likeliest.push_back(*accuracy - *guess);
  });
  static_cast<CellScores&>(facts) = scores.value();
  if (accuracies.size() > 1) facts.deviation = sample_deviation(accuracies);
  facts.against_random = compare_with_guess(above_random);
  facts.against_likeliest = compare_with_guess(above_likeliest);
}

bool alike(const LeakingColumn& a, const LeakingColumn& b) {
  return a.name == b.name;
}
bool alike(const ConfidencePart& a, const ConfidencePart& b) {
  return a.kind == b.kind && a.part == b.part;
}

/// One entry for every value of a key, in order of first appearance, scores pooled.
template <class Entry, class Key>
std::vector<Entry> pooled(const CellResults& cell, const std::string& table, const Key& key) {
  std::vector<Entry> entries;
  std::vector<Scores> scores;
  each_row(cell, table, [&](const Row& row) {
    Entry entry = key(row);
    const auto same = std::ranges::find_if(entries, [&](const Entry& known) { return alike(known, entry); });
    const auto place = static_cast<std::size_t>(same - entries.begin());
    if (same == entries.end()) {
      entries.push_back(std::move(entry));
      scores.emplace_back();
    }
    scores[place].add(row, row.number("cells").value_or(0));
  });
  for (std::size_t i = 0; i < entries.size(); ++i) static_cast<CellScores&>(entries[i]) = scores[i].value();
  return entries;
}

void add_columns(const CellResults& cell, TableAttackFacts& facts) {
  facts.columns = pooled<LeakingColumn>(cell, "table_columns", [](const Row& row) {
    LeakingColumn column;
    column.name = row.word("column");
    column.kind = row.word("kind");
    return column;
  });
  std::ranges::stable_sort(facts.columns, std::greater<>{}, &LeakingColumn::gain);
}

void add_confidence(const CellResults& cell, TableAttackFacts& facts) {
  facts.confidence = pooled<ConfidencePart>(cell, "confidence", [](const Row& row) {
    ConfidencePart part;
    part.kind = row.word("kind");
    part.part = static_cast<std::size_t>(std::clamp(row.number("part").value_or(0), 0.0, kMostParts));
    part.entropy = row.number("entropy");
    return part;
  });
}

/// The share of right cells in the tenths of this kind whose entropy is nearest; their mean where several are
/// as near.
std::optional<double> trust_in(const TableAttackFacts& facts, const std::string& kind, double entropy) {
  double nearest = std::numeric_limits<double>::infinity();
  double right = 0, cells = 0;
  for (const ConfidencePart& part : facts.confidence) {
    if (part.kind != kind || !part.entropy || !part.accuracy) continue;
    const double distance = std::abs(*part.entropy - entropy);
    if (distance > nearest) continue;
    if (distance < nearest) right = cells = 0;
    nearest = distance;
    right += *part.accuracy * part.cells.value_or(0);
    cells += part.cells.value_or(0);
  }
  return cells > 0 ? std::optional(right / cells) : std::nullopt;
}

/// Columns and confidence must be known.
void add_trust(TableAttackFacts& facts) {
  std::map<std::string, std::string> kinds;
  for (const LeakingColumn& column : facts.columns) kinds[column.name] = column.kind;
  for (ShownRow& row : facts.rows)
    for (ShownCell& cell : row.cells)
      if (cell.entropy) cell.trust = trust_in(facts, kinds[cell.column], *cell.entropy);
}

void add_rows(const CellResults& cell, TableAttackFacts& facts) {
  each_row(cell, "table_rows", [&](const Row& row) {
    ShownRow next{row.word("attacker"), row.word("victim"), row.word("round"), row.word("row"), {}};
    const bool same = !facts.rows.empty() && facts.rows.back().attacker == next.attacker &&
                      facts.rows.back().victim == next.victim && facts.rows.back().round == next.round &&
                      facts.rows.back().row == next.row;
    if (!same) facts.rows.push_back(std::move(next));
    facts.rows.back().cells.push_back({row.word("column"),
                                       row.word("truth"),
                                       row.word("guess"),
                                       row.number("right").value_or(0) > 0,
                                       row.number("entropy"),
                                       {}});
  });
}

std::string one_decimal(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "–";
}

/// The first and the last tenth of one kind.
std::pair<const ConfidencePart*, const ConfidencePart*> ends_of(const TableAttackFacts& facts,
                                                                const std::string& kind) {
  const ConfidencePart* first = nullptr;
  const ConfidencePart* last = nullptr;
  for (const ConfidencePart& part : facts.confidence) {
    if (part.kind != kind) continue;
    if (first == nullptr || part.part < first->part) first = &part;
    if (last == nullptr || part.part > last->part) last = &part;
  }
  return {first, last};
}

/// Two shares of right cells differ by more than chance (normal approximation of the binomial).
Comparison compare_ends(const ConfidencePart& most, const ConfidencePart& least) {
  const double a = most.accuracy.value_or(0), b = least.accuracy.value_or(0);
  const double n = most.cells.value_or(0), m = least.cells.value_or(0);
  if (n <= 0 || m <= 0) return Comparison::kUnknown;
  const double pooled_share = (a * n + b * m) / (n + m);
  const double error = std::sqrt(pooled_share * (1 - pooled_share) * (1 / n + 1 / m));
  if (a - b > kStandardErrors * error) return Comparison::kBetter;
  return a - b < -kStandardErrors * error ? Comparison::kWorse : Comparison::kNoBetter;
}

}  // namespace

double LeakingColumn::gain() const {
  return accuracy.value_or(0) - std::max(random.value_or(0), likeliest.value_or(0));
}

std::optional<TableAttackFacts> table_facts(const CellResults& cell) {
  if (!cell.tables.contains("table_attacks")) return std::nullopt;
  TableAttackFacts facts;
  add_attacks(cell, facts);
  add_columns(cell, facts);
  add_confidence(cell, facts);
  add_rows(cell, facts);
  add_trust(facts);
  return facts;
}

std::string table_verdict_text(const TableAttackFacts& facts) {
  if (facts.attacks == 0) return "No step of a victim was in the attacker's view.";
  if (!facts.accuracy)
    return fmt::format("None of {} attacked steps gave any rows, which proves no privacy.", facts.attacks);
  const std::string found =
      fmt::format("The attacker gets {} of the cells right", one_decimal(facts.accuracy));
  const std::string random = one_decimal(facts.random), likeliest = one_decimal(facts.likeliest);
  switch (facts.against_random) {
    case Comparison::kUnknown:
      return fmt::format("{} in one attack; random tables get {}, guessing each column's likeliest value {}.",
                         found, random, likeliest);
    case Comparison::kWorse:
    case Comparison::kNoBetter:
      return fmt::format(
          "{}: no better than drawing every cell at random from its column ({}), which needs no message.",
          found, random);
    case Comparison::kBetter:
      break;
  }
  if (facts.against_likeliest != Comparison::kBetter)
    return fmt::format(
        "{}: more than random tables ({}), but no better than always guessing each column's "
        "likeliest value ({}), which needs no message.",
        found, random, likeliest);
  return fmt::format("{}; random tables get {}, guessing each column's likeliest value {}.", found, random,
                     likeliest);
}

std::string leaking_columns_text(const TableAttackFacts& facts) {
  std::vector<std::string> names;
  for (const LeakingColumn& column : facts.columns) {
    if (names.size() == kColumnsNamed || column.gain() < kNoticeable) break;
    names.push_back(fmt::format("{} ({} right, guessing {})", column.name, percent_text(column.accuracy),
                                percent_text(std::max(column.random, column.likeliest))));
  }
  if (names.empty()) return "";
  return fmt::format("Leaking first: {}.", join(names, ", "));
}

std::string confidence_text(const TableAttackFacts& facts) {
  std::vector<std::string> parts;
  for (const auto& [kind, plural] : {std::pair("category", "categories"), std::pair("number", "numbers")}) {
    const auto [most, least] = ends_of(facts, kind);
    if (most == nullptr || most == least) continue;
    const Comparison verdict = compare_ends(*most, *least);
    const char* words = verdict == Comparison::kBetter ? "confidence tells" : "no difference beyond chance";
    parts.push_back(fmt::format("{}: {} right where the searches agree most, {} where they agree least ({})",
                                plural, percent_text(most->accuracy), percent_text(least->accuracy), words));
  }
  return parts.empty() ? "" : fmt::format("By the attacker's own confidence, {}.", join(parts, "; "));
}

}  // namespace earshot
