#include "earshot/report/terminal.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "earshot/report/facts.hpp"
#include "earshot/report/results.hpp"
#include "earshot/report/table.hpp"
#include "earshot/report/table_attack_text.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

constexpr std::size_t kCellsSideBySide = 3;
constexpr std::size_t kRowsShown = 40;
constexpr std::size_t kNamesShown = 24;
constexpr std::size_t kNarrowest = 40;

using Kind = TextTable::Kind;
using Value = TextTable::Value;

class Summary {
 public:
  Summary(const Results& results, const TerminalStyle& style)
      : results_(results), colour_(style.colour), width_(std::max(style.width, kNarrowest)) {
    for (const CellResults& cell : results.cells) facts_.push_back(cell_facts(cell));
  }

  std::string text() {
    const std::string& title = results_.title.empty() ? results_.name : results_.title;
    if (!title.empty()) out_ += paint(wrap(printable(title), width_), Paint::kBold, colour_) + "\n";
    say(headline_text(results_, facts_));
    if (results_.cells.size() > kCellsSideBySide)
      add_cells();
    else
      add_attackers();
    if (results_.cells.size() <= kCellsSideBySide) add_tables();
    add_statements();
    add_utility();
    add_expectations();
    return out_;
  }

 private:
  void say(const std::string& sentence, std::size_t indent = 0) {
    out_ += wrap(printable(sentence), width_, indent) + "\n";
  }
  void head(const std::string& title) { out_ += fmt::format("\n{}\n", paint(title, Paint::kBold, colour_)); }

  Value guarantee(std::size_t cell) const {
    const auto& statement = results_.cells[cell].statement;
    if (!statement) return {"not stated", Paint::kDim};
    return {facts_[cell].guarantee, statement->is_private ? Paint::kNone : Paint::kRed};
  }

  std::string cell_name(std::size_t cell) const {
    return facts_[cell].guarantee.empty() ? facts_[cell].label : facts_[cell].guarantee;
  }

  template <class Get>
  bool any(Get get) const {
    return std::any_of(facts_.begin(), facts_.end(), [&](const CellFacts& f) { return get(f).has_value(); });
  }

  /// Many settings: one row each.
  void add_cells() {
    struct Measure {
      std::string title;
      std::optional<double> CellFacts::*value;
      bool share;
    };
    const std::vector<Measure> measures = {{"determined", &CellFacts::mean_determined, true},
                                           {"success", &CellFacts::mean_success, true},
                                           {"PSNR", &CellFacts::psnr, false},
                                           {"zero guess", &CellFacts::zero_psnr, false},
                                           {"mean guess", &CellFacts::mean_psnr, false},
                                           {"cells right", &CellFacts::cells_right, true},
                                           {"random", &CellFacts::cells_random, true},
                                           {"likeliest", &CellFacts::cells_likeliest, true},
                                           {"accuracy", &CellFacts::accuracy, true},
                                           {"majority", &CellFacts::baseline, true}};
    TextTable table;
    const std::vector<SweptKey> keys = swept_keys(results_.cells);
    for (const SweptKey& key : keys) table.add_column(key.title, Kind::kWords);
    table.add_column("guarantee", Kind::kNumbers);
    std::vector<Measure> shown;
    for (const Measure& measure : measures)
      if (any([&](const CellFacts& f) { return f.*measure.value; })) shown.push_back(measure);
    for (const Measure& measure : shown) table.add_column(measure.title, Kind::kNumbers);
    const std::size_t rows = std::min(facts_.size(), 2 * kRowsShown);
    for (std::size_t c = 0; c < rows; ++c) {
      std::vector<Value> row;
      for (const SweptKey& key : keys) row.push_back({swept_value(results_.cells[c], key.key)});
      row.push_back(guarantee(c));
      for (const Measure& measure : shown) {
        const auto& value = facts_[c].*measure.value;
        row.push_back({measure.share ? percent_text(value) : number_text(value, 3)});
      }
      table.add_row(std::move(row));
    }
    head(fmt::format("Leakage and utility in {} settings (means over attackers and trials)", facts_.size()));
    out_ += table.render(width_, colour_);
    if (facts_.size() > rows) say(fmt::format("… and {} more settings in the report.", facts_.size() - rows));
  }

  /// Attackers of the first cell that has any, those that reach most first.
  std::vector<std::size_t> attacker_order(const CellFacts& facts) const {
    std::vector<std::size_t> order(facts.attackers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return facts.attackers[a].leak().value_or(-1.0) > facts.attackers[b].leak().value_or(-1.0);
    });
    return order;
  }

  const AttackerFacts* find(const CellFacts& facts, const std::string& label) const {
    const auto it = std::find_if(facts.attackers.begin(), facts.attackers.end(),
                                 [&](const AttackerFacts& a) { return a.label == label; });
    return it == facts.attackers.end() ? nullptr : &*it;
  }

  /// Few settings: one row per attacker, the settings side by side.
  void add_attackers() {
    const auto first =
        std::find_if(facts_.begin(), facts_.end(), [](const CellFacts& f) { return !f.attackers.empty(); });
    if (first == facts_.end()) return;
    TextTable table;
    table.add_column("attacker", Kind::kWords);
    table.add_column("degree", Kind::kNumbers);
    table.add_column("determined", Kind::kNumbers);
    std::vector<const CellFacts*> scored;
    for (std::size_t c = 0; c < facts_.size(); ++c) {
      if (!facts_[c].mean_success && !facts_[c].psnr) continue;
      scored.push_back(&facts_[c]);
      table.add_column("success", Kind::kNumbers, cell_name(c));
      table.add_column("PSNR", Kind::kNumbers, cell_name(c));
    }
    const std::vector<std::size_t> order = attacker_order(*first);
    const std::size_t rows = std::min(order.size(), kRowsShown);
    for (std::size_t i = 0; i < rows; ++i) table.add_row(attacker_row(first->attackers[order[i]], scored));
    head("Who can reconstruct whom");
    out_ += table.render(width_, colour_);
    if (order.size() > rows) say(fmt::format("… and {} more attackers in the report.", order.size() - rows));
    explain(*first, scored);
  }

  std::vector<Value> attacker_row(const AttackerFacts& attacker,
                                  const std::vector<const CellFacts*>& scored) const {
    std::vector<Value> row = {
        {attacker.label}, {number_text(attacker.degree, 3)}, {percent_text(attacker.determined)}};
    for (const CellFacts* cell : scored) {
      const AttackerFacts* here = find(*cell, attacker.label);
      const auto success = here ? here->success : std::nullopt;
      row.push_back({percent_text(success), success.value_or(0.0) > 0.5 ? Paint::kRed : Paint::kNone});
      row.push_back({here && here->psnr ? fmt::format("{:.1f}", *here->psnr) : "–"});
    }
    return row;
  }

  void explain(const CellFacts& first, const std::vector<const CellFacts*>& scored) {
    say("determined: share of the other nodes whose values the messages fix exactly, noise aside." +
            std::string(scored.empty() ? ""
                                       : " success: share reconstructed above the success line. PSNR in dB."),
        2);
    if (!scored.empty() && (scored.front()->zero_psnr || scored.front()->mean_psnr))
      say(fmt::format("Baselines without listening: all-zero guess {} dB, mean guess {} dB.",
                      number_text(scored.front()->zero_psnr, 3), number_text(scored.front()->mean_psnr, 3)),
          2);
    if (first.attackers.size() <= kCellsSideBySide)
      list_victims(first);
    else
      list_most_exposed(first);
  }

  void list_victims(const CellFacts& facts) {
    for (std::size_t a = 0; a < facts.attackers.size(); ++a) {
      std::vector<bool> safe(facts.nodes.size(), true);
      for (const std::size_t member : facts.attackers[a].members) safe[member] = false;
      std::vector<std::string> reached, hidden;
      for (const PairFacts& pair : facts.pairs)
        if (pair.attacker == a && pair.reconstructed) {
          reached.push_back(facts.nodes[pair.victim]);
          safe[pair.victim] = false;
        }
      for (std::size_t v = 0; v < safe.size(); ++v)
        if (safe[v]) hidden.push_back(facts.nodes[v]);
      say(fmt::format("{} reconstructs: {}.", facts.attackers[a].label, names(reached)), 2);
      say(fmt::format("out of its reach: {}.", names(hidden)), 2);
    }
  }

  std::string names(const std::vector<std::string>& all) const {
    if (all.empty()) return "nobody";
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), kNamesShown); ++i) text += (i > 0 ? ", " : "") + all[i];
    return all.size() > kNamesShown ? fmt::format("{} and {} more", text, all.size() - kNamesShown) : text;
  }

  void list_most_exposed(const CellFacts& facts) {
    if (facts.nodes.empty()) return;
    const auto& counts = facts.exposed_to;
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    say(fmt::format("Most exposed: {} (reconstructed by {} of {} attackers); least: {} (by {}).",
                    facts.nodes[static_cast<std::size_t>(high - counts.begin())], *high,
                    facts.attackers.size(), facts.nodes[static_cast<std::size_t>(low - counts.begin())],
                    *low),
        2);
  }

  /// Attacks on rows of tables, one setting after the other.
  void add_tables() {
    for (std::size_t c = 0; c < facts_.size(); ++c) {
      if (!facts_[c].table) continue;
      head("Rows of the table: " + facts_[c].label);
      out_ += table_attack_text(*facts_[c].table, width_, colour_);
    }
  }

  /// Each distinct statement once: a sweep over graphs makes the same one in every cell.
  void add_statements() {
    std::vector<std::string> said;
    for (std::size_t c = 0; c < results_.cells.size(); ++c) {
      const auto& statement = results_.cells[c].statement;
      if (!statement) continue;
      const std::string text = wrap(printable(statement_text(*statement)), width_, 2);
      if (std::find(said.begin(), said.end(), text) != said.end()) continue;
      if (said.empty()) head("Formal statement");
      said.push_back(text);
      if (said.size() > kRowsShown / 4) continue;
      const std::string mark = guarantee_text(*statement);
      const Paint colour = statement->is_private ? Paint::kBold : Paint::kRed;
      out_ += paint(mark, colour, colour_) + text.substr(mark.size()) + "\n";
    }
    if (said.size() > kRowsShown / 4)
      say(fmt::format("… and {} more statements in the report.", said.size() - kRowsShown / 4));
    if (said.empty() && !results_.cells.empty()) say("No formal statement: this run makes no privacy claim.");
  }

  void add_utility() {
    if (results_.cells.size() > kCellsSideBySide) return;
    std::string line;
    for (std::size_t c = 0; c < facts_.size(); ++c) {
      const CellFacts& facts = facts_[c];
      if (!facts.accuracy && !facts.loss) continue;
      line += fmt::format("{}{}: ", line.empty() ? "" : "; ", cell_name(c));
      line +=
          facts.accuracy ? "accuracy " + percent_text(facts.accuracy) : "loss " + number_text(facts.loss, 3);
      if (facts.baseline) line += fmt::format(" (always the majority: {})", percent_text(facts.baseline));
      if (facts.accuracy && facts.loss) line += ", loss " + number_text(facts.loss, 3);
      if (facts.consensus_error) line += ", consensus error " + number_text(facts.consensus_error, 3);
    }
    if (line.empty()) return;
    head("Utility");
    say(line, 2);
  }

  void add_expectations() {
    if (results_.expectations.empty()) return;
    TextTable table;
    table.add_column("what", Kind::kWords);
    table.add_column("published", Kind::kNumbers);
    table.add_column("measured", Kind::kNumbers);
    table.add_column("verdict", Kind::kWords);
    for (const ExpectationFacts& e : results_.expectations) {
      const std::string verdict = verdict_text(e);
      const Paint colour = verdict == "met" ? Paint::kGreen : verdict == "missed" ? Paint::kRed : Paint::kDim;
      table.add_row({{subject_text(e)}, {expected_text(e)}, {measured_text(e)}, {verdict, colour}});
    }
    head("Published and measured");
    out_ += table.render(width_, colour_);
    for (const ExpectationFacts& e : results_.expectations)
      if (!e.note.empty()) say(fmt::format("{}: {}", subject_text(e), e.note), 2);
  }

  const Results& results_;
  const bool colour_;
  const std::size_t width_;
  std::vector<CellFacts> facts_;
  std::string out_;
};

}  // namespace

std::string render_terminal(const Json& results, const TerminalStyle& style) {
  return Summary(read_results(results), style).text();
}

}  // namespace earshot
