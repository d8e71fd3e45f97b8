#include "earshot/protocol/skip_ring.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "earshot/protocol/latency.hpp"
#include "earshot/protocol/skip_ring_node.hpp"

namespace earshot {
namespace {

/// Beyond this, e^epsilon bounds nothing anybody would call a risk.
constexpr double kVacuous = 20;
/// Chance that a node takes part more often than the stated bound.
constexpr double kTooManyTurns = 1e-6;

std::uint64_t visits_per_round(const Settings& settings, std::size_t nodes) {
  return settings.size("visits_per_round") == 0 ? nodes : settings.size("visits_per_round");
}

std::uint64_t visits_of_run(const Settings& settings, std::size_t nodes) {
  return settings.size("rounds") * visits_per_round(settings, nodes);
}

RingRules rules_of(const Settings& settings, const ProtocolParts& parts) {
  return {RingOrder(parts.shards.size(), settings.text("order") == "random", parts.seed, parts.trial),
          LatencyClock(latency_options(settings), parts.seed, parts.trial), settings.real("learning_rate"),
          settings.real("diameter") / 2, settings.size("attempts")};
}

/// The links in use: a token's next one, and those on which an acknowledgement is awaited.
class TokenTopology : public Topology {
 public:
  explicit TokenTopology(const std::deque<SkipRingNode>& nodes) : nodes_(nodes) {}
  void enter(Round) override {
    links_.clear();
    for (const SkipRingNode& node : nodes_) node.append_links(links_);
    std::ranges::sort(links_);
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
    graph_ = Graph(nodes_.size(), links_);
  }
  const Graph& graph() const override { return graph_; }

 private:
  const std::deque<SkipRingNode>& nodes_;
  std::vector<Edge> links_;
  Graph graph_;
};

class SkipRingTraining : public Protocol {
 public:
  SkipRingTraining(const Settings& settings, ProtocolParts parts)
      : rules_(rules_of(settings, parts)),
        visits_(visits_per_round(settings, parts.shards.size())),
        plan_(planned_ring(settings, parts.protection, parts.shards.size(), parts.task.parameter_count())),
        delta_(parts.protection.delta),
        topology_(nodes_) {
    for (NodeId node = 0; node < parts.shards.size(); ++node) {
      LearnerOptions options;
      options.batch = batch_options(settings);
      options.name = parts.names[node];
      options.observer = "everyone who sees the model before and after its visits";
      nodes_.emplace_back(rules_, node, parts.task, std::move(parts.shards[node]), options, parts.protection,
                          NodeAddress{parts.seed, parts.trial, node});
    }
    nodes_[rules_.order.at(0)].begin(parts.start);
  }

  Topology& topology() override { return topology_; }
  std::vector<Participant*> participants() override {
    return pointers<Participant>([](auto& n) { return &n; });
  }
  Round exchanges() const override { return static_cast<Round>(visits_); }
  std::vector<Learner*> learners() override {
    return pointers<Learner>([](auto& n) { return &n.learner(); });
  }
  void result(std::span<double> state) const override {
    std::ranges::copy(newest().first(state.size()), state.begin());
  }
  std::optional<double> elapsed() const override {
    if (!rules_.clock.runs()) return {};
    return RingToken::time_of(newest());
  }
  std::vector<std::string> warnings() const override;
  Json public_facts() const override;

  void save(StateWriter& out) const override {
    for (const SkipRingNode& node : nodes_) node.save(out);
  }
  void load(StateReader& in) override {
    for (SkipRingNode& node : nodes_) node.load(in);
  }

 private:
  template <class Thing, class Get>
  std::vector<Thing*> pointers(const Get& get) {
    std::vector<Thing*> all;
    for (SkipRingNode& node : nodes_) all.push_back(get(node));
    return all;
  }
  /// Copies may exist while an acknowledgement is awaited: the one furthest along counts.
  std::span<const double> newest() const {
    std::span<const double> best;
    for (const SkipRingNode& node : nodes_) {
      const auto token = node.token();
      if (token.empty()) continue;
      if (best.empty() || RingToken::visit_of(token) > RingToken::visit_of(best)) best = token;
    }
    return best;
  }
  PrivacyStatement promise() const { return skip_ring_statement(*plan_, delta_, kTooManyTurns, false); }

  RingRules rules_;
  std::uint64_t visits_;
  std::optional<SkipRing> plan_;
  double delta_;
  std::deque<SkipRingNode> nodes_;
  TokenTopology topology_;
};

std::vector<std::string> SkipRingTraining::warnings() const {
  if (!plan_) return {};
  const PrivacyStatement statement = promise();
  if (statement.epsilon && *statement.epsilon <= kVacuous) return {};
  return {fmt::format(
      "the network privacy of a node after all {} visits is epsilon = {:.3g} at delta = {:g}: it says "
      "nothing; add noise, or make fewer visits",
      plan_->visits, statement.epsilon.value_or(0), statement.delta)};
}

Json SkipRingTraining::public_facts() const {
  Json facts = {{"step", rules_.step},
                {"message", "state, number of updates, number of the visit, time"},
                {"visits_per_round", visits_}};
  if (rules_.radius > 0) facts["radius"] = rules_.radius;
  if (plan_) facts["network_privacy"] = to_json(promise());
  return facts;
}

std::uint64_t steps(const Settings& settings, std::size_t nodes, std::size_t) {
  return (visits_of_run(settings, nodes) + nodes - 1) / nodes;
}

std::unique_ptr<Protocol> make(const Settings& settings, ProtocolParts parts) {
  return std::make_unique<SkipRingTraining>(settings, std::move(parts));
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> own = {
      above_minimum(real_parameter("learning_rate", 0.1, 0, 1e6,
                                   "zeta: the c-th update moves the model by zeta / sqrt(c) x gradient")),
      real_parameter("diameter", 0, 0, 1e9, "of the ball around 0 that the parameters are kept in; 0: none"),
      choice_parameter("order", "fixed", {"fixed", "random"},
                       "the same ring in every lap, or a fresh random order for each"),
      integer_parameter("visits_per_round", 0, 0, 1'000'000'000, "visits in a round of training; 0: a lap"),
      integer_parameter("attempts", 3, 1, 1000, "times a token is sent before its receiver is passed over")};
  for (Parameter& parameter : latency_parameters()) own.push_back(std::move(parameter));
  return with_common_parameters(std::move(own));
}

}  // namespace

std::optional<SkipRing> planned_ring(const Settings& settings, const Protection& protection,
                                     std::size_t nodes, std::size_t parameters) {
  if (!releases_one_gaussian_vector(protection)) return {};
  return SkipRing{protection.mechanism->noise_deviation(parameters),
                  protection.mechanism->terms().sensitivity / 2, visits_of_run(settings, nodes), nodes,
                  settings.real("skip_probability")};
}

const ProtocolComponent& skip_ring_component() {
  static const ProtocolComponent component{
      {"protocol", "skip_ring", "the model travels from node to node; whoever is too slow is skipped",
       "Yakimenka, Weng, Lin, Rosnes & Kliewer 2022, Straggler-resilient differentially private "
       "decentralized "
       "learning",
       parameters()},
      NetworkNeed::kNone,
      steps,
      make};
  return component;
}

}  // namespace earshot
