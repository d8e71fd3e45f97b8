#include "earshot/attack/leak/gossip_steps.hpp"

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

class StepReader {
 public:
  StepReader(const View& view, std::size_t parameters, const StepChoice& choice)
      : view_(view),
        told_(view.told()),
        parameters_(parameters),
        choice_(choice),
        moves_first_(moves_before_talking(told_)),
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
      const auto after = said_.find(averagings_before(round) * gossip_steps_);
      if (after == said_.end()) continue;
      std::optional<GossipMatrix> weights;
      if (round > 1) weights = weights_of(told_, nodes_, averagings_before(round));
      for (const auto& [node, said] : after->second) {
        if (!wanted(node, victims)) continue;
        auto leak = leak_of(node, round, weights, said);
        if (!leak) continue;
        victims.insert(node);
        all.push_back(std::move(*leak));
      }
    }
    return all;
  }

 private:
  using Said = std::map<NodeId, std::span<const double>>;

  /// Rounds of averaging that are over when the step of a round of training is added.
  std::uint64_t averagings_before(std::uint64_t round) const { return moves_first_ ? round - 1 : round; }

  std::vector<std::uint64_t> rounds() const {
    if (!choice_.rounds.empty()) return choice_.rounds;
    std::set<std::uint64_t> all;
    for (const auto& [exchange, said] : said_) {
      const std::uint64_t round = exchange / gossip_steps_ + (moves_first_ ? 1 : 0);
      if (round > 0) all.insert(round);
    }
    return {all.begin(), all.end()};
  }

  bool wanted(NodeId node, const std::set<NodeId>& victims) const {
    if (std::ranges::binary_search(view_.adversary().colluding, node)) return false;
    if (victims.contains(node)) return !choice_.rounds.empty();
    return choice_.victims == 0 || victims.size() < choice_.victims;
  }

  /// Empty if it was not heard.
  std::span<const double> message_of(NodeId node, std::uint64_t exchange) const {
    const auto said = said_.find(exchange);
    if (said == said_.end()) return {};
    const auto found = said->second.find(node);
    return found == said->second.end() ? std::span<const double>() : found->second;
  }

  /// The node's state when its step is added; none if somebody was not heard. Averaging leaves a common start
  /// as it is.
  std::optional<std::vector<double>> average_of(NodeId node, std::uint64_t round,
                                                const std::optional<GossipMatrix>& weights) const {
    if (round == 1) {
      if (told_.initial_parameters.size() < parameters_) return {};
      const auto start = Parameters(told_.initial_parameters).first(parameters_);
      return std::vector<double>(start.begin(), start.end());
    }
    if (!weights) return {};
    const std::uint64_t exchange = averagings_before(round) * gossip_steps_ - 1;
    std::vector<double> state(parameters_);
    const auto add = [&](NodeId from, double weight) {
      const auto said = message_of(from, exchange);
      for (std::size_t i = 0; i < said.size(); ++i) state[i] += weight * said[i];
      return !said.empty();
    };
    if (!add(node, weights->self_weight(node))) return {};
    const auto neighbours = weights->graph().neighbours(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (!add(neighbours[i], weights->weights(node)[i])) return {};
    }
    return state;
  }

  /// The model the gradient of a round was computed at; empty if it was not heard.
  Parameters model_of(NodeId node, std::uint64_t round, Parameters average) const {
    if (moves_first_ || round == 1) return average;
    return message_of(node, (round - 1) * gossip_steps_);
  }

  std::optional<Leak> leak_of(NodeId node, std::uint64_t round, const std::optional<GossipMatrix>& weights,
                              std::span<const double> after) const {
    const auto before = average_of(node, round, weights);
    if (!before || !moved(*before, after)) return {};
    const Parameters model = model_of(node, round, *before);
    if (model.empty()) return {};
    std::vector<double> released(parameters_);
    for (std::size_t i = 0; i < parameters_; ++i) released[i] = ((*before)[i] - after[i]) / rate_;
    return Leak{node, round, 1, observe_gradient(model, released, records_of_step(told_, node)), what(round)};
  }

  std::string what(std::uint64_t round) const {
    const bool lossy = fact<bool>(told_, "lossy", false);
    return fmt::format("step of the node {}: the gradient at the model it was computed at",
                       round == 1 ? "from the common start"
                       : lossy    ? "between two averagings, if all messages arrived"
                                  : "between two averagings");
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
  bool moves_first_;  // and talks afterwards
  std::uint64_t gossip_steps_;
  double rate_;
  std::size_t nodes_;
  std::map<std::uint64_t, Said> said_;  // by exchange
};

}  // namespace

std::vector<Leak> gossip_step_leaks(const View& view, std::size_t parameters, const StepChoice& choice) {
  return StepReader(view, parameters, choice).leaks();
}

}  // namespace earshot
