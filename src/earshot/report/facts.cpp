#include "earshot/report/facts.hpp"

#include <algorithm>
#include <unordered_map>

#include "earshot/core/text.hpp"
#include "earshot/report/row_reader.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

/// Names in order of first appearance.
class Names {
 public:
  std::size_t index(const std::string& name) {
    const auto [it, fresh] = positions_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    return it->second;
  }
  std::optional<std::size_t> find(const std::string& name) const {
    const auto it = positions_.find(name);
    return it == positions_.end() ? std::nullopt : std::optional(it->second);
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> positions_;
};

/// reconstructed_share counts the attackers themselves; of the others it is (r - k) / (n - k).
std::optional<double> share_of_others(const Row& row) {
  const auto share = row.number("reconstructed_share");
  const auto reconstructed = row.number("reconstructed");
  const auto members = row.number("size");
  if (!share || !reconstructed || !members || *share <= 0) return share;
  const double nodes = *reconstructed / *share;
  return nodes > *members ? (*reconstructed - *members) / (nodes - *members) : 0.0;
}

struct AttackerScores {
  Mean degree, eigenvector, betweenness, share, success, psnr, zero_psnr, mean_psnr, pair_success;
};

struct PairScores {
  Mean psnr, zero_psnr, mean_psnr, ssim, relative_error, success, distance;
  const ExposureFacts* exposure = nullptr;
};

class Collector {
 public:
  explicit Collector(const CellResults& cell) : cell_(cell) {
    if (cell.network)
      for (const std::string& node : cell.network->nodes) nodes_.index(node);
    for (const ExposureFacts& exposure : cell.exposure) add_exposure(exposure);
    each_row(cell, "attackers", [&](const Row& row) { add_attacker(row); });
    each_row(cell, "victims", [&](const Row& row) { add_victim(row); });
  }

  CellFacts facts() const {
    CellFacts facts;
    facts.nodes = nodes_.all();
    for (std::size_t a = 0; a < attackers_.all().size(); ++a) facts.attackers.push_back(attacker(a));
    add_pairs(facts);
    return facts;
  }

 private:
  std::size_t attacker_index(const std::string& label) {
    const std::size_t index = attackers_.index(label);
    if (index == scores_.size()) {
      scores_.emplace_back();
      exposures_.push_back(nullptr);
      pairs_.emplace_back();
    }
    return index;
  }

  void add_exposure(const ExposureFacts& exposure) {
    const std::size_t a = attacker_index(join(exposure.attackers, "+"));
    exposures_[a] = &exposure;
    for (const std::string& name : exposure.attackers) nodes_.index(name);
    for (const std::string& name : exposure.reconstructible)
      if (std::find(exposure.attackers.begin(), exposure.attackers.end(), name) == exposure.attackers.end())
        pairs_[a][nodes_.index(name)].exposure = &exposure;
  }

  void add_attacker(const Row& row) {
    const std::string label = row.word("attacker");
    if (label.empty()) return;
    AttackerScores& scores = scores_[attacker_index(label)];
    scores.degree.add(row.number("degree"));
    scores.eigenvector.add(row.number("eigenvector"));
    scores.betweenness.add(row.number("betweenness"));
    scores.share.add(share_of_others(row));
    scores.success.add(row.number("success_rate"));
  }

  void add_victim(const Row& row) {
    const std::string label = row.word("attacker"), victim = row.word("victim");
    if (label.empty() || victim.empty()) return;
    const std::size_t a = attacker_index(label);
    scores_[a].psnr.add(row.number("psnr"));
    scores_[a].zero_psnr.add(row.number("zero_psnr"));
    scores_[a].mean_psnr.add(row.number("mean_psnr"));
    scores_[a].pair_success.add(row.number("success"));
    PairScores& pair = pairs_[a][nodes_.index(victim)];
    pair.psnr.add(row.number("psnr"));
    pair.zero_psnr.add(row.number("zero_psnr"));
    pair.mean_psnr.add(row.number("mean_psnr"));
    pair.ssim.add(row.number("ssim"));
    pair.relative_error.add(row.number("relative_error"));
    pair.success.add(row.number("success"));
    pair.distance.add(row.number("distance"));
  }

  AttackerFacts attacker(std::size_t a) const {
    const AttackerScores& scores = scores_[a];
    AttackerFacts facts;
    facts.label = attackers_.all()[a];
    facts.exposure = exposures_[a];
    facts.members = members(a);
    // Tables may hold the centrality, degree / (n - 1); the drawing beside it shows wires.
    facts.degree = degree(facts.members);
    if (!facts.degree) facts.degree = scores.degree.value();
    facts.eigenvector = scores.eigenvector.value();
    facts.betweenness = scores.betweenness.value();
    // The table speaks for all trials, the exposure for the first.
    facts.determined = scores.share.value();
    if (!facts.determined && exposures_[a]) facts.determined = determined(a, facts.members.size());
    facts.success = scores.success.value() ? scores.success.value() : scores.pair_success.value();
    facts.psnr = scores.psnr.value();
    facts.zero_psnr = scores.zero_psnr.value();
    facts.mean_psnr = scores.mean_psnr.value();
    return facts;
  }

  std::vector<std::size_t> members(std::size_t a) const {
    std::vector<std::size_t> found;
    const auto add = [&](const std::string& name) {
      const auto node = nodes_.find(name);
      if (node && std::find(found.begin(), found.end(), *node) == found.end()) found.push_back(*node);
    };
    if (exposures_[a] == nullptr)
      add(attackers_.all()[a]);
    else
      for (const std::string& name : exposures_[a]->attackers) add(name);
    return found;
  }

  /// Wires the set hears: edges with exactly one end inside.
  std::optional<double> degree(const std::vector<std::size_t>& members) const {
    if (!cell_.network || cell_.network->edges.empty() || members.empty()) return std::nullopt;
    const auto inside = [&](std::size_t node) {
      return std::find(members.begin(), members.end(), node) != members.end();
    };
    return static_cast<double>(
        std::count_if(cell_.network->edges.begin(), cell_.network->edges.end(),
                      [&](const auto& edge) { return inside(edge.first) != inside(edge.second); }));
  }

  std::optional<double> determined(std::size_t a, std::size_t members) const {
    const std::size_t others = nodes_.all().size() - members;
    if (others == 0) return std::nullopt;
    const auto count = std::count_if(pairs_[a].begin(), pairs_[a].end(),
                                     [](const auto& pair) { return pair.second.exposure != nullptr; });
    return static_cast<double>(count) / static_cast<double>(others);
  }

  void add_pairs(CellFacts& facts) const {
    facts.exposed_to.assign(nodes_.all().size(), 0);
    for (std::size_t a = 0; a < pairs_.size(); ++a) {
      for (const auto& [victim, scores] : pairs_[a]) {
        PairFacts pair = pair_facts(a, victim, scores);
        pair.reconstructed =
            pair.success ? *pair.success > 0.5 : !facts.attackers[a].success && pair.determined;
        if (pair.reconstructed) ++facts.exposed_to[victim];
        facts.pairs.push_back(pair);
      }
    }
  }

  PairFacts pair_facts(std::size_t attacker, std::size_t victim, const PairScores& scores) const {
    PairFacts pair;
    pair.attacker = attacker;
    pair.victim = victim;
    pair.psnr = scores.psnr.value();
    pair.zero_psnr = scores.zero_psnr.value();
    pair.mean_psnr = scores.mean_psnr.value();
    pair.ssim = scores.ssim.value();
    pair.relative_error = scores.relative_error.value();
    pair.success = scores.success.value();
    pair.distance = scores.distance.value();
    if (scores.exposure == nullptr) return pair;
    pair.determined = true;
    const std::string& name = nodes_.all()[victim];
    if (const auto it = scores.exposure->first_round.find(name); it != scores.exposure->first_round.end())
      pair.first_round = it->second;
    if (const auto it = scores.exposure->amplification.find(name);
        it != scores.exposure->amplification.end()) {
      pair.amplification = it->second;
      pair.beyond_precision = !it->second.has_value();
    }
    return pair;
  }

  const CellResults& cell_;
  Names nodes_, attackers_;
  std::vector<AttackerScores> scores_;
  std::vector<const ExposureFacts*> exposures_;
  std::vector<std::map<std::size_t, PairScores>> pairs_;  // per attacker, by victim
};

std::optional<double> column_mean(const CellResults& cell, const std::string& table,
                                  const std::string& column) {
  Mean mean;
  each_row(cell, table, [&](const Row& row) { mean.add(row.number(column)); });
  if (mean.value()) return mean.value();
  // A run may keep only the summary of a long table.
  const auto summary = cell.summary.find(table);
  if (summary == cell.summary.end()) return std::nullopt;
  const auto spread = summary->second.find(column);
  return spread == summary->second.end() ? std::nullopt : spread->second.mean;
}

}  // namespace

CellFacts cell_facts(const CellResults& cell) {
  CellFacts facts = Collector(cell).facts();
  facts.label = settings_text(cell);
  if (cell.statement) facts.guarantee = guarantee_text(*cell.statement);
  Mean leak, determined;
  for (const AttackerFacts& attacker : facts.attackers) {
    leak.add(attacker.leak());
    determined.add(attacker.determined);
    if (attacker.leak().value_or(0.0) > 0.5) ++facts.reconstruct_most;
  }
  facts.mean_leak = leak.value();
  facts.mean_determined = determined.value();
  facts.mean_success = column_mean(cell, "attackers", "success_rate");
  if (!facts.mean_success) facts.mean_success = column_mean(cell, "victims", "success");
  facts.psnr = column_mean(cell, "victims", "psnr");
  facts.zero_psnr = column_mean(cell, "victims", "zero_psnr");
  facts.mean_psnr = column_mean(cell, "victims", "mean_psnr");
  facts.accuracy = column_mean(cell, "training", "accuracy");
  if (facts.accuracy) facts.baseline = column_mean(cell, "training", "baseline");
  facts.loss = column_mean(cell, "training", "loss");
  facts.consensus_error = column_mean(cell, "training", "consensus_error");
  facts.table = table_facts(cell);
  if (facts.table) {
    facts.cells_right = facts.table->accuracy;
    facts.cells_random = facts.table->random;
    facts.cells_likeliest = facts.table->likeliest;
  }
  return facts;
}

}  // namespace earshot
