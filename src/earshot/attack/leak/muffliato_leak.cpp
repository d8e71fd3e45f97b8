#include "earshot/attack/leak/muffliato_leak.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

void require_plain_steps(const PublicKnowledge& told) {
  if (fact<std::size_t>(told, "local_steps") != 1 || fact<bool>(told, "accelerated"))
    fail(Fault::kConfig,
         "a node's step is read off gossip with one local step a round and plain averaging: set local_steps "
         "to 1 and acceleration to \"none\"");
}

/// The weights of the averagings of one round of training; none where its graph is not told.
std::optional<GossipMatrix> weights_of(const PublicKnowledge& told, std::size_t nodes, std::uint64_t round) {
  if (told.gossip_matrix != nullptr) return *told.gossip_matrix;
  for (const Json& graph : fact<Json>(told, "graphs")) {
    if (graph.at("round").get<std::uint64_t>() != round) continue;
    std::vector<Edge> links;
    for (const Json& link : graph.at("links")) links.emplace_back(link.at(0), link.at(1));
    return metropolis_weights(Graph(nodes, links));
  }
  return {};
}

class MuffliatoReader {
 public:
  MuffliatoReader(const View& view, std::size_t parameters, const StepChoice& choice)
      : view_(view),
        told_(view.told()),
        parameters_(parameters),
        choice_(choice),
        gossip_steps_(fact<std::uint64_t>(told_, "gossip_steps")),
        rate_(fact<double>(told_, "learning_rate")),
        nodes_(fact<std::vector<std::size_t>>(told_, "records").size()) {
    require_plain_steps(told_);
    for (const Overheard& heard : view.messages()) {
      if (heard.said != heard.round || heard.message.size() < parameters_) continue;
      said_[heard.round].emplace(heard.from, heard.message.first(parameters_));
    }
  }

  std::vector<Leak> leaks() const {
    std::vector<Leak> all;
    std::set<NodeId> victims;
    for (const std::uint64_t round : rounds()) {
      const auto said = said_.find((round - 1) * gossip_steps_);
      if (said == said_.end()) continue;
      std::optional<GossipMatrix> weights;
      if (round > 1) weights = weights_of(told_, nodes_, round - 1);
      if (round > 1 && !weights) continue;
      for (const auto& [node, after] : said->second) {
        if (!wanted(node, victims)) continue;
        auto leak = leak_of(node, round, weights, after);
        if (!leak) continue;
        victims.insert(node);
        all.push_back(std::move(*leak));
      }
    }
    return all;
  }

 private:
  using Said = std::map<NodeId, std::span<const double>>;

  std::vector<std::uint64_t> rounds() const {
    if (!choice_.rounds.empty()) return choice_.rounds;
    std::set<std::uint64_t> all;
    for (const auto& [exchange, said] : said_) all.insert(exchange / gossip_steps_ + 1);
    return {all.begin(), all.end()};
  }

  bool wanted(NodeId node, const std::set<NodeId>& victims) const {
    if (std::ranges::binary_search(view_.adversary().colluding, node)) return false;
    if (victims.contains(node)) return !choice_.rounds.empty();
    return choice_.victims == 0 || victims.size() < choice_.victims;
  }

  /// The node's state when the round began; none if somebody was not heard.
  std::optional<std::vector<double>> state_of(NodeId node, std::uint64_t round,
                                              const std::optional<GossipMatrix>& weights) const {
    if (!weights) {
      if (told_.initial_parameters.size() < parameters_) return {};
      const auto start = Parameters(told_.initial_parameters).first(parameters_);
      return std::vector<double>(start.begin(), start.end());
    }
    const auto said = said_.find((round - 1) * gossip_steps_ - 1);
    if (said == said_.end()) return {};
    std::vector<double> state(parameters_);
    const auto add = [&](NodeId from, double weight) {
      const auto found = said->second.find(from);
      if (found == said->second.end()) return false;
      for (std::size_t i = 0; i < parameters_; ++i) state[i] += weight * found->second[i];
      return true;
    };
    if (!add(node, weights->self_weight(node))) return {};
    const auto neighbours = weights->graph().neighbours(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (!add(neighbours[i], weights->weights(node)[i])) return {};
    }
    return state;
  }

  std::optional<Leak> leak_of(NodeId node, std::uint64_t round, const std::optional<GossipMatrix>& weights,
                              std::span<const double> after) const {
    const auto before = state_of(node, round, weights);
    if (!before) return {};
    std::vector<double> released(parameters_);
    for (std::size_t i = 0; i < parameters_; ++i) released[i] = ((*before)[i] - after[i]) / rate_;
    if (!moved(*before, after)) return {};
    return Leak{node, round, 1, observe_gradient(*before, released, records_of_step(told_, node)),
                "step of the node between two averagings: the gradient"};
  }

  /// Whoever was too late made no step; the average computed here is the node's up to rounding.
  static bool moved(std::span<const double> before, std::span<const double> after) {
    constexpr double kRounding = 1e-12;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (std::abs(before[i] - after[i]) > kRounding * (1 + std::abs(before[i]))) return true;
    return false;
  }

  const View& view_;
  const PublicKnowledge& told_;
  std::size_t parameters_;
  const StepChoice& choice_;
  std::uint64_t gossip_steps_;
  double rate_;
  std::size_t nodes_;
  std::map<std::uint64_t, Said> said_;  // by exchange
};

}  // namespace

std::vector<Leak> muffliato_leaks(const View& view, std::size_t parameters, const StepChoice& choice) {
  return MuffliatoReader(view, parameters, choice).leaks();
}

}  // namespace earshot
