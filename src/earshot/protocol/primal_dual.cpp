#include "earshot/protocol/primal_dual.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/protocol/primal_dual_node.hpp"
#include "earshot/protocol/primal_dual_theory.hpp"

namespace earshot {
namespace {

struct PrimalDualOptions {
  PrimalUpdateOptions update;
  EdgeOptions edges;
  Schedule schedule;
  double z_deviation = 0;
  bool sum_of_losses = true;
  bool private_step = false;
  BatchOptions batch;
};

PrimalUpdateOptions update_options(const Settings& settings) {
  const std::string update = settings.text("update");
  PrimalUpdateOptions options;
  options.kind = update == "exact"      ? PrimalUpdate::kExact
                 : update == "gradient" ? PrimalUpdate::kGradient
                                        : PrimalUpdate::kQuadratic;
  options.k_max = settings.size("k_max");
  options.alpha = settings.real("alpha");
  options.mu = settings.real("mu");
  options.tolerance = settings.real("tolerance");
  return options;
}

/// What a protocol on a graph and one with a server both have.
PrimalDualOptions common_options(const Settings& settings) {
  PrimalDualOptions options;
  options.update = update_options(settings);
  options.edges.rho = settings.real("rho");
  options.sum_of_losses = settings.text("loss") == "sum";
  options.private_step = settings.boolean("private_step");
  options.batch = batch_options(settings);
  return options;
}

PrimalDualOptions graph_options(const Settings& settings) {
  PrimalDualOptions options = common_options(settings);
  options.edges.theta = settings.real("theta");
  options.edges.differential = settings.text("messages") == "differential";
  options.edges.quantiser = Quantiser(settings.real("cell_width"), settings.real("cell_shrink"));
  options.edges.open_loop = settings.boolean("as_published");
  options.z_deviation = settings.real("z_deviation");
  const std::string activation = settings.text("activation");
  options.schedule.activation = activation == "random_one"    ? Activation::kRandomOne
                                : activation == "probability" ? Activation::kProbability
                                                              : Activation::kAll;
  options.schedule.probability = settings.real("activation_probability");
  return options;
}

void check(const PrimalDualOptions& options, const ProtocolParts& parts) {
  const ProtectedScope scope = parts.protection.scope;
  if (options.update.kind == PrimalUpdate::kExact) {
    if (scope == ProtectedScope::kExample || scope == ProtectedScope::kBatch) {
      fail(Fault::kConfig,
           "protocol.update: an exact update asks for gradients until they agree, which noise never does; "
           "choose \"gradient\" or \"quadratic\", or protect whole updates");
    }
    if (options.batch.size != 0) {
      fail(Fault::kConfig, "protocol.batch: an exact update needs all records of a node; leave it out");
    }
  }
  const EdgeOptions& edges = options.edges;
  if (edges.quantiser.active() && !edges.differential) {
    fail(Fault::kConfig,
         "protocol.cell_width: only differences are quantised; set protocol.messages to "
         "\"differential\"");
  }
  if (!edges.quantiser.active() && (edges.open_loop || edges.quantiser.shrinks())) {
    fail(Fault::kConfig,
         "protocol.cell_width: as_published and cell_shrink are about quantised messages; "
         "give the width of a cell");
  }
}

const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::kAll:
      return "all";
    case Activation::kRandomOne:
      return "random_one";
    case Activation::kProbability:
      return "probability";
    case Activation::kServer:
      return "server";
  }
  fail(Fault::kInternal, "unknown activation");
}

Graph graph_of(const ProtocolParts& parts) {
  const Graph& graph = parts.gossip_matrix->graph();
  if (graph.node_count() < 2 || !is_connected(graph)) {
    fail(Fault::kConfig, "graph: nodes can only agree on a connected graph of at least two nodes");
  }
  return graph;
}

Graph star_around_server(std::size_t nodes) {
  std::vector<Edge> edges;
  const auto server = static_cast<NodeId>(nodes);
  for (NodeId node = 0; node < server; ++node) edges.emplace_back(node, server);
  return {nodes + 1, edges};
}

class PrimalDualTraining : public Protocol {
 public:
  PrimalDualTraining(const PrimalDualOptions& options, Graph graph, ProtocolParts parts)
      : options_(options),
        graph_(std::move(graph)),
        topology_(graph_),
        task_(parts.task),
        start_(parts.start),
        common_(schedule(options, graph_, parts), options.update, parts.task.parameter_count()) {
    for (NodeId node = 0; node < graph_.node_count(); ++node) nodes_.push_back(make_node(node, parts));
  }

  Topology& topology() override { return topology_; }
  std::vector<Participant*> participants() override {
    std::vector<Participant*> all;
    for (const auto& node : nodes_) all.push_back(node.get());
    return all;
  }
  Round exchanges() const override { return common_.schedule.exchanges(); }
  std::vector<Learner*> learners() override {
    std::vector<Learner*> all;
    for (std::size_t i = 0; i < learning_; ++i) all.push_back(nodes_[i]->learner());
    return all;
  }

  /// The mean over the nodes; where there is a server, its parameters.
  void result(std::span<double> state) const override {
    mean(state);
    if (learning_ == nodes_.size()) return;
    std::ranges::copy(nodes_.back()->state().first(task_.parameter_count()), state.begin());
  }
  std::optional<double> disagreement() const override {
    std::vector<double> middle(start_.size());
    mean(middle);
    double sum = 0;
    for (std::size_t i = 0; i < learning_; ++i) {
      const auto state = nodes_[i]->state();
      for (std::size_t k = 0; k < middle.size(); ++k) sum += (state[k] - middle[k]) * (state[k] - middle[k]);
    }
    return std::sqrt(sum / static_cast<double>(learning_));
  }

  std::vector<std::string> warnings() const override;
  Json public_facts() const override;
  void start_encrypted(const EncryptedChannel& tell) const override;

  void save(StateWriter& out) const override {
    for (const auto& node : nodes_) node->save(out);
  }
  void load(StateReader& in) override {
    for (const auto& node : nodes_) node->load(in);
  }

 private:
  static Schedule schedule(const PrimalDualOptions& options, const Graph& graph, const ProtocolParts& parts) {
    Schedule schedule = options.schedule;
    schedule.nodes = graph.node_count();
    schedule.seed = parts.seed;
    schedule.trial = parts.trial;
    return schedule;
  }

  std::unique_ptr<PrimalDualNode> make_node(NodeId node, ProtocolParts& parts) {
    std::unique_ptr<Learner> learner;
    double scale = 1;
    if (node < parts.shards.size()) {
      scale = scale_of(parts.shards, node);
      LearnerOptions options;
      options.batch = options_.batch;
      options.name = parts.names[node];
      learner = std::make_unique<Learner>(parts.task, parts.shards[node], options, parts.protection,
                                          NodeAddress{parts.seed, parts.trial, node});
      ++learning_;
    }
    return std::make_unique<PrimalDualNode>(
        common_, node,
        make_edges(options_.edges, {parts.seed, parts.trial, options_.z_deviation}, node,
                   graph_.neighbours(node), parts.task.parameter_count()),
        std::move(learner), scale, start_);
  }

  /// By which a node's mean loss is multiplied.
  double scale_of(const std::vector<std::vector<std::size_t>>& shards, NodeId node) const {
    const auto records = static_cast<double>(shards[node].size());
    if (options_.sum_of_losses) return records;
    if (options_.schedule.activation != Activation::kServer) return 1;
    // A server weighs nodes by their records, which is the same as giving their losses that weight.
    double all = 0;
    for (const auto& shard : shards) all += static_cast<double>(shard.size());
    return records * static_cast<double>(shards.size()) / all;
  }

  void mean(std::span<double> state) const {
    std::ranges::fill(state, 0.0);
    for (std::size_t i = 0; i < learning_; ++i) {
      const auto one = nodes_[i]->state();
      for (std::size_t k = 0; k < state.size(); ++k) state[k] += one[k];
    }
    for (double& value : state) value /= static_cast<double>(learning_);
  }

  std::vector<Curvature> curvatures() const;
  void warn_of_parabola(std::vector<std::string>& warnings) const;
  void warn_of_steps(std::vector<std::string>& warnings) const;
  void warn_of_exposure(std::vector<std::string>& warnings) const;

  PrimalDualOptions options_;
  Graph graph_;
  FixedTopology topology_;
  LearningTask& task_;
  std::vector<double> start_;
  PrimalDualCommon common_;
  std::vector<std::unique_ptr<PrimalDualNode>> nodes_;
  std::size_t learning_ = 0;  // nodes with records, which come first
};

/// At the common start.
std::vector<Curvature> PrimalDualTraining::curvatures() const {
  std::vector<Curvature> all(learning_);
  parallel_for(learning_, [&](std::size_t i) {
    all[i] = loss_curvature(task_, nodes_[i]->learner()->records(), start_, nodes_[i]->scale());
  });
  return all;
}

void PrimalDualTraining::warn_of_parabola(std::vector<std::string>& warnings) const {
  const std::vector<Curvature> all = curvatures();
  double needed = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].m) {
      warnings.emplace_back(
          "whether mu > beta^2 / (2 m), which makes quadratic updates converge, is not "
          "checked for a model of this size");
      return;
    }
    if (*all[i].m == 0) {
      warnings.push_back(fmt::format(
          "no mu meets mu > beta^2 / (2 m), which makes quadratic updates converge: the loss of node {} is "
          "not strongly convex at the start (m = 0); it has too few records, or parameters that stand for "
          "each other",
          i));
      return;
    }
    const double bound = all[i].beta * all[i].beta / (2 * *all[i].m);
    if (bound > needed) {
      needed = bound;
      worst = i;
    }
  }
  if (options_.update.mu > needed) return;
  warnings.push_back(
      fmt::format("mu = {:.4g} is not above beta^2 / (2 m) = {:.4g} of node {} at the start: quadratic "
                  "updates may diverge",
                  options_.update.mu, needed, worst));
}

void PrimalDualTraining::warn_of_steps(std::vector<std::string>& warnings) const {
  const std::vector<Curvature> all = curvatures();
  double largest = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double total =
        all[i].beta + options_.edges.rho * static_cast<double>(graph_.degree(static_cast<NodeId>(i)));
    if (total > largest) {
      largest = total;
      worst = i;
    }
  }
  if (options_.update.alpha * largest < 2) return;
  warnings.push_back(
      fmt::format("alpha (L + rho d) = {:.4g} of node {} is not below 2: gradient steps may diverge; lower "
                  "alpha below {:.3g}",
                  options_.update.alpha * largest, worst, 2 / largest));
}

void PrimalDualTraining::warn_of_exposure(std::vector<std::string>& warnings) const {
  if (options_.z_deviation > 0 && hidden_dimension(graph_) == 0) {
    warnings.emplace_back("a random z^(0) hides nothing on a tree: every auxiliary variable shows in some w");
  }
  if (options_.edges.differential && options_.z_deviation == 0) {
    warnings.emplace_back("differences hide nothing when everybody knows z^(0) = 0; set z_deviation above 0");
  }
}

std::vector<std::string> PrimalDualTraining::warnings() const {
  std::vector<std::string> warnings;
  if (options_.update.kind == PrimalUpdate::kQuadratic) warn_of_parabola(warnings);
  if (options_.update.kind == PrimalUpdate::kGradient) warn_of_steps(warnings);
  warn_of_exposure(warnings);
  return warnings;
}

Json PrimalDualTraining::public_facts() const {
  const PrimalUpdateOptions& update = options_.update;
  const EdgeOptions& edges = options_.edges;
  Json facts{{"rho", edges.rho},
             {"theta", edges.theta},
             {"loss", options_.sum_of_losses ? "sum" : "mean"},
             {"messages", edges.differential ? "differential" : "plain"},
             {"z_deviation", options_.z_deviation},
             {"activation", name_of(options_.schedule.activation)},
             {"exchanges", common_.schedule.exchanges()},
             {"hidden_dimension", hidden_dimension(graph_)}};
  if (edges.quantiser.active()) {
    facts["cell_width"] = edges.quantiser.cell_width(0);
    facts["cell_shrink"] = edges.quantiser.cell_width(1) / edges.quantiser.cell_width(0);
    facts["closed_loop"] = !edges.open_loop;
  }
  if (update.kind == PrimalUpdate::kExact) facts["update"] = "exact";
  if (update.kind == PrimalUpdate::kGradient) {
    facts["update"] = "gradient";
    facts["k_max"] = update.k_max;
    if (!options_.private_step) facts["alpha"] = update.alpha;
  }
  if (update.kind == PrimalUpdate::kQuadratic) {
    facts["update"] = "quadratic";
    if (!options_.private_step) facts["mu"] = update.mu;
  }
  return facts;
}

/// Every random z^(0); one that is 0 is known to everybody.
void PrimalDualTraining::start_encrypted(const EncryptedChannel& tell) const {
  if (options_.z_deviation == 0) return;
  for (NodeId node = 0; node < graph_.node_count(); ++node) {
    const std::span<const NodeId> neighbours = graph_.neighbours(node);
    for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
      tell(node, neighbours[slot], nodes_[node]->edges().made(slot));
    }
  }
}

std::uint64_t steps(const Settings& settings, std::size_t nodes, std::size_t) {
  std::uint64_t steps = settings.size("rounds");
  if (settings.text("update") == "gradient") steps *= settings.size("k_max");
  // At worst the same node is drawn every time.
  if (settings.has("activation") && settings.text("activation") == "random_one") steps *= nodes;
  return steps;
}

std::unique_ptr<Protocol> make_on_graph(const Settings& settings, ProtocolParts parts) {
  const PrimalDualOptions options = graph_options(settings);
  check(options, parts);
  Graph graph = graph_of(parts);
  return std::make_unique<PrimalDualTraining>(options, std::move(graph), std::move(parts));
}

std::unique_ptr<Protocol> make_with_server(const Settings& settings, ProtocolParts parts) {
  PrimalDualOptions options = common_options(settings);
  options.schedule.activation = Activation::kServer;
  check(options, parts);
  Graph graph = star_around_server(parts.shards.size());
  return std::make_unique<PrimalDualTraining>(options, std::move(graph), std::move(parts));
}

std::vector<Parameter> local_parameters() {
  return {above_minimum(real_parameter("rho", 0.4, 0, 1e9, "penalty of disagreeing, per edge")),
          choice_parameter("update", "gradient", {"exact", "gradient", "quadratic"},
                           "how a node solves its subproblem: to tolerance, by k_max steps of size alpha, or "
                           "with the loss replaced by a parabola of curvature mu"),
          integer_parameter("k_max", 10, 1, 1'000'000, "gradient: steps per update"),
          above_minimum(real_parameter("alpha", 0.1, 0, 1e6, "gradient: size of a step")),
          above_minimum(real_parameter("mu", 1, 0, 1e12, "quadratic: curvature of the parabola")),
          above_minimum(real_parameter("tolerance", 1e-10, 0, 1,
                                       "exact: length of the gradient left over, relative to 1 + |dual|")),
          choice_parameter("loss", "sum", {"sum", "mean"},
                           "over a node's records; sum: every record of the network weighs the same"),
          boolean_parameter("private_step", false, "alpha and mu are not public")};
}

std::vector<Parameter> graph_parameters(double theta) {
  std::vector<Parameter> all = local_parameters();
  std::vector<Parameter> more = {
      above_minimum(real_parameter("theta", theta, 0, 1, "averaging: 1 is PDMM, 0.5 is ADMM")),
      choice_parameter("messages", "plain", {"plain", "differential"}, "z, or what changed it"),
      real_parameter("z_deviation", 0, 0, 1e9, "of a random z^(0), which is sent encrypted; 0: all zero"),
      real_parameter("cell_width", 0, 0, 1e9, "of the quantiser of differences; 0: none"),
      above_minimum(real_parameter("cell_shrink", 1, 0, 1, "factor of the cell's width, per round")),
      boolean_parameter("as_published", false,
                        "quantise differences of the unquantised z, whose errors add up"),
      choice_parameter("activation", "all", {"all", "random_one", "probability"},
                       "who works in an exchange; with random_one a round is as many exchanges as nodes"),
      above_minimum(real_parameter("activation_probability", 0.5, 0, 1, "probability: of being awake"))};
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return with_common_parameters(std::move(all));
}

}  // namespace

const ProtocolComponent& pdmm_component() {
  static const ProtocolComponent component{
      {"protocol", "pdmm", "primal-dual method of multipliers on a graph, each neighbour told something else",
       "Zhang & Heusdens 2018; Sherson, Heusdens & Kleijn 2019; O'Connor et al. 2018 (quadratic)",
       graph_parameters(1)},
      NetworkNeed::kGraph,
      steps,
      make_on_graph};
  return component;
}

const ProtocolComponent& admm_component() {
  static const ProtocolComponent component{
      {"protocol", "admm", "alternating direction method of multipliers on a graph: PDMM, averaged",
       "Boyd et al. 2011; Sherson, Heusdens & Kleijn 2019", graph_parameters(0.5)},
      NetworkNeed::kGraph,
      steps,
      make_on_graph};
  return component;
}

const ProtocolComponent& server_pdmm_component() {
  static const ProtocolComponent component{
      {"protocol", "server_pdmm", "PDMM on a star around a server without records",
       "Zhang, Niwa & Kleijn 2022; Pathak & Wainwright 2020 (FedSplit)",
       with_common_parameters(local_parameters())},
      NetworkNeed::kNone,
      steps,
      make_with_server};
  return component;
}

}  // namespace earshot
