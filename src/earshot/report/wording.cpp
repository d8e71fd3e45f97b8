#include "earshot/report/wording.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "earshot/core/text.hpp"

namespace earshot {
namespace {

constexpr std::size_t kCellsInHeadline = 4;
constexpr std::size_t kSettingsInHeadline = 2;

std::string attackers_phrase(const CellResults& cell, const CellFacts& facts) {
  const std::size_t tried = facts.attackers.size();
  const bool everyone = cell.network && tried == cell.network->nodes.size();
  const std::string count = facts.reconstruct_most == 0 ? "None" : std::to_string(facts.reconstruct_most);
  return fmt::format("{} of {} {}", count, tried, everyone ? "participants" : "attackers tried");
}

/// One attacker: say how many of the others it reaches, not whether it is "1 of 1".
std::string single_phrase(const CellFacts& facts) {
  const AttackerFacts& attacker = facts.attackers.front();
  return fmt::format("Attacker {} {} reconstruct {} of the others' data", attacker.label,
                     attacker.success ? "can" : "could", percent_text(attacker.leak()));
}

std::string first_clause(const CellResults& cell, const CellFacts& facts) {
  if (facts.attackers.size() == 1) return single_phrase(facts);
  return fmt::format("{} can reconstruct most of the others' data", attackers_phrase(cell, facts));
}

std::string cell_prefix(const CellResults& cell, const CellFacts& facts) {
  if (cell.statement && cell.statement->is_private) return fmt::format("with noise, {}", facts.guarantee);
  return facts.label;
}

std::string later_clause(const CellResults& cell, const CellFacts& facts) {
  const std::string answer = facts.attackers.size() == 1 ? percent_text(facts.attackers.front().leak())
                             : facts.reconstruct_most == 0
                                 ? "none"
                                 : fmt::format("{} of {}", facts.reconstruct_most, facts.attackers.size());
  return fmt::format("; {}: {}", cell_prefix(cell, facts), answer);
}

/// A cell inside a sentence: its settings while they are few, else the components among them and its
/// guarantee.
std::string brief_name(const CellResults& cell, const CellFacts& facts) {
  if (cell.settings.size() <= kSettingsInHeadline) return facts.label;
  std::vector<std::string> parts;
  for (const auto& [key, value] : cell.settings)
    if (key.ends_with(".kind")) parts.push_back(fmt::format("{} = {}", key, value));
  if (!facts.guarantee.empty()) parts.push_back(facts.guarantee);
  return parts.empty() ? facts.label : join(parts, ", ");
}

std::string range_headline(const std::vector<CellResults>& cells, const std::vector<CellFacts>& facts) {
  std::optional<std::size_t> low, high;
  for (std::size_t c = 0; c < facts.size(); ++c) {
    if (!facts[c].mean_leak) continue;
    if (!low || *facts[c].mean_leak < *facts[*low].mean_leak) low = c;
    if (!high || *facts[c].mean_leak > *facts[*high].mean_leak) high = c;
  }
  if (!low) return "";
  return fmt::format(
      "Over {} settings, an average attacker reconstructs from {} ({}) to {} ({}) of the others' data.",
      facts.size(), percent_text(facts[*low].mean_leak), brief_name(cells[*low], facts[*low]),
      percent_text(facts[*high].mean_leak), brief_name(cells[*high], facts[*high]));
}

std::string leak_headline(const std::vector<CellResults>& cells, const std::vector<CellFacts>& facts) {
  const bool attacked = std::any_of(facts.begin(), facts.end(),
                                    [](const CellFacts& cell) { return cell.mean_leak.has_value(); });
  if (!attacked) return "";
  if (cells.size() > kCellsInHeadline) return range_headline(cells, facts);
  std::string sentence;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!facts[c].mean_leak) continue;
    sentence += sentence.empty() ? first_clause(cells[c], facts[c]) : later_clause(cells[c], facts[c]);
  }
  return sentence + ".";
}

/// Rows of tables: the only setting's verdict, or the range over all of them.
std::string table_headline(const std::vector<CellResults>& cells, const std::vector<CellFacts>& facts) {
  std::optional<std::size_t> low, high;
  std::size_t attacked = 0, guesses = 0;
  for (std::size_t c = 0; c < facts.size(); ++c) {
    if (!facts[c].table || !facts[c].table->accuracy) continue;
    ++attacked;
    const Comparison against = facts[c].table->against_random;
    guesses += against == Comparison::kNoBetter || against == Comparison::kWorse ? 1 : 0;
    if (!low || *facts[c].table->accuracy < *facts[*low].table->accuracy) low = c;
    if (!high || *facts[c].table->accuracy > *facts[*high].table->accuracy) high = c;
  }
  if (facts.size() == 1 && facts[0].table) return table_verdict_text(*facts[0].table);
  if (!low) return "";
  return fmt::format(
      "Over {} settings, the attacker gets from {} ({}) to {} ({}) of the cells right; in {} of them that is "
      "no better than drawing every cell at random.",
      attacked, percent_text(facts[*low].table->accuracy), brief_name(cells[*low], facts[*low]),
      percent_text(facts[*high].table->accuracy), brief_name(cells[*high], facts[*high]), guesses);
}

/// Where nobody attacked: what was learnt.
std::string training_headline(const std::vector<CellResults>& cells, const std::vector<CellFacts>& facts) {
  std::optional<std::size_t> low, high;
  for (std::size_t c = 0; c < facts.size(); ++c) {
    if (!facts[c].accuracy) continue;
    if (!low || *facts[c].accuracy < *facts[*low].accuracy) low = c;
    if (!high || *facts[c].accuracy > *facts[*high].accuracy) high = c;
  }
  if (!low) return "";
  const std::string guess = facts[*high].baseline ? fmt::format("; always saying the majority scores {}",
                                                                percent_text(facts[*high].baseline))
                                                  : "";
  if (cells.size() == 1) {
    const std::string guarantee = facts[0].guarantee.empty() ? "" : fmt::format(" ({})", facts[0].guarantee);
    return fmt::format("Trained to an accuracy of {}{}{}.", percent_text(facts[0].accuracy), guarantee,
                       guess);
  }
  const std::string worst = percent_text(facts[*low].accuracy), best = percent_text(facts[*high].accuracy);
  if (worst == best)
    return fmt::format("In all {} settings, training reaches an accuracy of {}{}.", facts.size(), best,
                       guess);
  return fmt::format("Over {} settings, training reaches an accuracy from {} ({}) to {} ({}){}.",
                     facts.size(), worst, brief_name(cells[*low], facts[*low]), best,
                     brief_name(cells[*high], facts[*high]), guess);
}

std::string expectations_headline(const std::vector<ExpectationFacts>& expectations) {
  if (expectations.empty()) return "";
  const auto met = std::count_if(expectations.begin(), expectations.end(),
                                 [](const ExpectationFacts& e) { return verdict_text(e) == "met"; });
  return fmt::format("{} of {} published values {} met.", met, expectations.size(), met == 1 ? "is" : "are");
}

}  // namespace

std::string number_text(const std::optional<double>& value, int digits) {
  if (!value) return "–";
  // Whole numbers keep their digits: 10000, not 1e+04.
  const bool readable = std::abs(*value) >= 1.0 && std::abs(*value) < 1e6;
  const int whole = readable ? static_cast<int>(std::log10(std::abs(*value))) + 1 : 0;
  return fmt::format("{:.{}g}", *value, std::max(digits, whole));
}

std::string percent_text(const std::optional<double>& share) {
  if (!share) return "–";
  double percent = std::round(*share * 100.0);
  if (*share > 0.0 && percent == 0.0) return "<1 %";
  if (*share < 1.0 && percent == 100.0) return ">99 %";
  return fmt::format("{:.0f} %", percent);
}

std::string settings_text(const CellResults& cell) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : cell.settings) parts.push_back(fmt::format("{} = {}", key, value));
  return parts.empty() ? "this run" : join(parts, ", ");
}

std::vector<SweptKey> swept_keys(const std::vector<CellResults>& cells) {
  std::vector<SweptKey> keys;
  for (const CellResults& cell : cells)
    for (const auto& setting : cell.settings)
      if (std::none_of(keys.begin(), keys.end(), [&](const SweptKey& k) { return k.key == setting.first; }))
        keys.push_back({setting.first, setting.first.substr(setting.first.rfind('.') + 1)});
  std::map<std::string, int> uses;
  for (const SweptKey& key : keys) ++uses[key.title];
  for (SweptKey& key : keys)
    if (uses[key.title] > 1) key.title = key.key;
  return keys;
}

std::string swept_value(const CellResults& cell, const std::string& key) {
  for (const auto& setting : cell.settings)
    if (setting.first == key) return setting.second;
  return "";
}

std::string guarantee_text(const StatementFacts& statement) {
  return statement.is_private ? "ε = " + number_text(statement.epsilon) : "no privacy";
}

std::string statement_text(const StatementFacts& statement) {
  const auto or_unstated = [](const std::string& term) { return term.empty() ? "not stated" : term; };
  std::string line = guarantee_text(statement);
  if (statement.is_private && statement.delta) line += ", δ = " + number_text(statement.delta);
  line += fmt::format("; definition: {}; protects: {}; adjacency: {}; against: {}",
                      or_unstated(statement.definition), or_unstated(statement.unit),
                      or_unstated(statement.adjacency), or_unstated(statement.adversary));
  if (!statement.assumptions.empty()) line += "; assuming: " + join(statement.assumptions, "; ");
  return line;
}

std::string subject_text(const ExpectationFacts& expectation) {
  return expectation.what.empty() ? expectation.measure : expectation.what;
}

std::string expected_text(const ExpectationFacts& expectation) {
  std::vector<std::string> parts;
  if (expectation.published)
    parts.push_back(number_text(expectation.published) +
                    (expectation.tolerance ? " ± " + number_text(expectation.tolerance) : ""));
  if (expectation.at_least) parts.push_back("≥ " + number_text(expectation.at_least));
  if (expectation.at_most) parts.push_back("≤ " + number_text(expectation.at_most));
  return parts.empty() ? "–" : join(parts, ", ");
}

std::string measured_text(const ExpectationFacts& expectation) {
  std::string text = number_text(expectation.measured);
  if (expectation.compared.size() == 2)
    text +=
        fmt::format(" = {} − {}", number_text(expectation.compared[0]), number_text(expectation.compared[1]));
  return text;
}

std::string verdict_text(const ExpectationFacts& expectation) {
  if (!expectation.met || !expectation.measured) return "not measured";
  return *expectation.met ? "met" : "missed";
}

std::string headline_text(const Results& results, const std::vector<CellFacts>& facts) {
  std::string leak = leak_headline(results.cells, facts);
  if (leak.empty()) leak = table_headline(results.cells, facts);
  if (leak.empty()) leak = training_headline(results.cells, facts);
  const std::string published = expectations_headline(results.expectations);
  if (!leak.empty()) return published.empty() ? leak : leak + " " + published;
  if (!published.empty()) return published;
  return results.cells.empty() ? "This document holds no results." : "No attack was part of this run.";
}

}  // namespace earshot
