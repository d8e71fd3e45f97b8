#include "account_network.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "account_align.hpp"
#include "console.hpp"
#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/network/formula_survey.hpp"
#include "earshot/accounting/network/network_statement.hpp"
#include "earshot/accounting/network/published_formula.hpp"
#include "earshot/accounting/network/trust_models.hpp"
#include "earshot/accounting/pld_accountant.hpp"
#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "graph_argument.hpp"
#include "statement_text.hpp"

namespace earshot::cli {
namespace {

/// Without --attackers every node is tried in turn, up to this size.
constexpr std::size_t kSmallEnoughForAll = 300;
/// Several injections are accounted densely: rows heard x contributions.
constexpr std::size_t kMostContributions = 6000;

struct GossipOptions : NetworkArguments {
  std::size_t injections = 1;
  bool fresh_graphs = false;
  NoiseTerms noise;
  double align_epsilon = 0;
  bool as_published = false;
  CommonOptions common;
};

/// The published accountant: RDP of factor * alpha Delta^2 / (2 sigma^2), classic conversion.
double published_epsilon(double factor, const NoiseTerms& noise) {
  const double mu = noise.sensitivity / noise.sigma;
  const double rho = factor * mu * mu / 2;
  return rho + 2 * std::sqrt(rho * std::log(1 / noise.delta));
}

std::vector<Adversary> adversaries_of(const GossipOptions& options, const Stage& stage) {
  if (!options.attackers.empty()) {
    std::vector<NodeId> nodes;
    for (const std::string& name : options.attackers) nodes.push_back(stage.graph().require(name));
    return {make_adversary(stage.graph(), nodes)};
  }
  if (stage.graph().node_count() > kSmallEnoughForAll) {
    fail(Fault::kUsage,
         fmt::format("with {} nodes say who listens: --attackers ID,ID", stage.graph().node_count()));
  }
  return stage.adversaries;
}

/// The matrices of all steps: one for all of them, or a fresh graph for each.
std::vector<GossipMatrix> step_matrices(const GossipOptions& options, const Stage& stage) {
  std::vector<GossipMatrix> matrices = {stage.matrix};
  for (std::size_t step = 1; options.fresh_graphs && step < options.injections; ++step) {
    NetworkArguments fresh = options;
    fresh.seed += step;
    matrices.push_back(build_network(fresh).matrix);
  }
  return matrices;
}

struct ObserverLoss {
  Adversary adversary;
  std::vector<double> factor;     // exact, by node, in units of alpha Delta^2 / (2 sigma^2)
  std::vector<double> published;  // empty unless asked for
  std::size_t rounds = 0;
  PrivacyStatement worst;  // of the node that loses most
};

/// Noise injected once: the leverage of every node.
ObserverLoss leverage_loss(const GossipOptions& options, const Graph& graph, const LeverageScores& scores) {
  return {
      scores.adversary, scores.leverage, {}, scores.rounds, worst_statement(graph, scores, options.noise)};
}

/// Noise injected in several steps: bounds on mu^2 in units of sensitivity^2 / sigma^2.
ObserverLoss injection_loss(const GossipOptions& options, std::span<const GossipMatrix> matrices,
                            const Adversary& adversary) {
  const Graph& graph = matrices.front().graph();
  const ParticipantView view = network_view(matrices, adversary, {options.injections, options.rounds});
  const GaussianGram gram = gaussian_gram(view.view);
  ObserverLoss out{adversary, std::vector<double>(graph.node_count(), 0.0), {}, options.rounds, {}};
  SquaredLoss worst;
  for (const NodeId node : view.participants) {
    const SquaredLoss loss = squared_loss(gram, view.participation(node));
    out.factor[node] = loss.bound;
    if (loss.bound > worst.bound) worst = loss;
  }
  out.worst = injections_statement(worst, adversary_name(graph, adversary), options.noise);
  return out;
}

/// The published losses of all steps, added up.
std::vector<double> published_losses(const GossipOptions& options, std::span<const GossipMatrix> matrices,
                                     const Adversary& adversary) {
  const NodeId observer = adversary.colluding.front();
  std::vector<double> sum(matrices.front().node_count(), 0.0);
  for (std::size_t step = 0; step < options.injections; ++step) {
    const GossipMatrix& matrix = matrices[matrices.size() == 1 ? 0 : step];
    const auto one = options.fresh_graphs
                         ? muffliato_random_graph_as_published(matrix.graph(), observer, options.rounds)
                         : muffliato_pairwise_as_published(matrix, observer, options.rounds);
    for (std::size_t node = 0; node < sum.size(); ++node) sum[node] += one[node];
  }
  return sum;
}

void check_gossip(const GossipOptions& options, const Stage& stage,
                  const std::vector<Adversary>& adversaries) {
  const std::size_t contributions = options.injections * stage.graph().node_count();
  if (options.injections > 1 && options.rounds == 0)
    fail(Fault::kUsage, "--injections needs --rounds: how often the nodes gossip after each of them");
  if (options.injections > 1 && contributions > kMostContributions) {
    fail(Fault::kUsage,
         fmt::format("{} nodes x {} injections are {} contributions; at most {} are accounted exactly",
                     stage.graph().node_count(), options.injections, contributions, kMostContributions));
  }
  if (!options.as_published) return;
  if (options.rounds == 0) fail(Fault::kUsage, "--as-published needs --rounds: its formula never saturates");
  if (adversaries.front().colluding.size() != 1)
    fail(Fault::kUsage, "--as-published: the published formula knows single observers only");
}

std::vector<ObserverLoss> observe(const GossipOptions& options, const Stage& stage,
                                  const std::vector<Adversary>& adversaries) {
  check_gossip(options, stage, adversaries);
  const std::vector<GossipMatrix> matrices = step_matrices(options, stage);
  std::vector<ObserverLoss> losses;
  if (options.injections > 1) {
    for (const Adversary& adversary : adversaries)
      losses.push_back(injection_loss(options, matrices, adversary));
  } else {
    for (const LeverageScores& scores : leverage_scores(stage.matrix, adversaries, {options.rounds}))
      losses.push_back(leverage_loss(options, stage.graph(), scores));
  }
  for (ObserverLoss& loss : losses) {
    if (options.as_published) loss.published = published_losses(options, matrices, loss.adversary);
  }
  return losses;
}

double exact_epsilon(double factor, const NoiseTerms& noise) {
  return gaussian_epsilon(noise.sensitivity * std::sqrt(factor) / noise.sigma, noise.delta);
}

Json node_entries(const Stage& stage, const ObserverLoss& loss, const NoiseTerms& noise) {
  Json nodes = Json::array();
  for (const NodeId node : target_nodes(stage.graph(), loss.adversary)) {
    Json entry = {{"node", stage.graph().name(node)},
                  {"factor", loss.factor[node]},
                  {"epsilon", exact_epsilon(loss.factor[node], noise)}};
    if (!loss.published.empty()) {
      entry["as_published_factor"] = loss.published[node];
      entry["as_published_epsilon"] = published_epsilon(loss.published[node], noise);
    }
    nodes.push_back(entry);
  }
  return nodes;
}

Json observer_entry(const Stage& stage, const ObserverLoss& loss, const NoiseTerms& noise, double injections,
                    bool with_nodes) {
  double worst = 0;
  double sum = 0;
  double published_worst = 0;
  std::size_t exact_ones = 0;
  std::size_t exceeding = 0;
  NodeId worst_node = 0;
  const auto targets = target_nodes(stage.graph(), loss.adversary);
  for (const NodeId node : targets) {
    sum += loss.factor[node];
    // One injection is decided exactly; several only up to rounding.
    const bool exposed =
        injections == 1 ? loss.factor[node] == 1 : loss.factor[node] > injections * (1 - 1e-9);
    exact_ones += exposed ? 1U : 0U;
    if (loss.factor[node] > worst) {
      worst = loss.factor[node];
      worst_node = node;
    }
    if (!loss.published.empty()) {
      published_worst = std::max(published_worst, loss.published[node]);
      exceeding += loss.factor[node] > std::min(injections, loss.published[node]) * (1 + 1e-9) ? 1U : 0U;
    }
  }
  const double count = std::max<double>(1, static_cast<double>(targets.size()));
  Json entry = {{"observer", adversary_name(stage.graph(), loss.adversary)},
                {"rounds", loss.rounds},
                {"worst_node", stage.graph().name(worst_node)},
                {"worst_factor", worst},
                {"worst_epsilon", exact_epsilon(worst, noise)},
                {"mean_factor", sum / count},
                {"fully_exposed", exact_ones}};
  if (!loss.published.empty()) {
    entry["as_published_worst_factor"] = published_worst;
    entry["nodes_above_published"] = exceeding;
  }
  if (with_nodes) entry["nodes"] = node_entries(stage, loss, noise);
  return entry;
}

void print_observers(const Json& observers) {
  fmt::print("\n{:<20} {:>12} {:<16} {:>12} {:>12} {:>10}{}\n", "observer", "epsilon", "  of", "factor",
             "mean", "exposed",
             observers.front().contains("nodes_above_published") ? "   as published (not a bound)" : "");
  for (const Json& o : observers) {
    fmt::print("{:<20} {:>12.5g}   {:<14} {:>12.6g} {:>12.6g} {:>10}", o["observer"].get<std::string>(),
               o["worst_epsilon"].get<double>(), o["worst_node"].get<std::string>(),
               o["worst_factor"].get<double>(), o["mean_factor"].get<double>(), o["fully_exposed"].dump());
    if (o.contains("nodes_above_published")) {
      fmt::print("   {:.4g}, exceeded for {} nodes", o["as_published_worst_factor"].get<double>(),
                 o["nodes_above_published"].dump());
    }
    fmt::print("\n");
  }
}

void print_nodes(const Json& nodes) {
  const bool published = !nodes.empty() && nodes.front().contains("as_published_factor");
  fmt::print("\n{:<20} {:>12} {:>12}{}\n", "node", "factor", "epsilon",
             published ? "   as published (not a bound)" : "");
  for (const Json& node : nodes) {
    fmt::print("{:<20} {:>12.6g} {:>12.5g}", node["node"].get<std::string>(), node["factor"].get<double>(),
               node["epsilon"].get<double>());
    if (published) {
      fmt::print("   {:.4g} -> epsilon {:.4g}", node["as_published_factor"].get<double>(),
                 node["as_published_epsilon"].get<double>());
    }
    fmt::print("\n");
  }
}

void account_gossip(const GossipOptions& options) {
  set_thread_count(options.common.threads);
  const Stage stage = build_network(options);
  const std::vector<Adversary> adversaries = adversaries_of(options, stage);
  Json observers = Json::array();
  double worst = 0;
  PrivacyStatement statement;
  for (const ObserverLoss& loss : observe(options, stage, adversaries)) {
    observers.push_back(observer_entry(stage, loss, options.noise, static_cast<double>(options.injections),
                                       !options.attackers.empty()));
    const double factor = observers.back()["worst_factor"].get<double>();
    if (factor > worst || !statement.is_private()) statement = loss.worst;
    worst = std::max(worst, factor);
  }
  if (adversaries.size() > 1) {
    statement.assumptions.push_back(
        fmt::format("the worst of {} single observers, each with this view of its own", adversaries.size()));
  }
  Json facts = {{"worst_factor", worst}, {"observers", observers}};
  if (options.align_epsilon > 0) {
    facts["sigma_for_epsilon"] = options.noise.sensitivity * std::sqrt(worst) /
                                 gaussian_mu(options.align_epsilon, options.noise.delta);
  }
  print_statement(statement, facts, options.common.json);
  if (options.common.json) return;
  if (options.attackers.empty()) {
    print_observers(observers);
  } else {
    print_nodes(observers.front()["nodes"]);
  }
}

void add_gossip(CLI::App& account) {
  CLI::App* command = account.add_subcommand(
      "muffliato", "Gossip after noise: what any node or coalition learns about any other, exactly");
  auto options = std::make_shared<GossipOptions>();
  add_network_options(*command, "--graph", *options);
  command->add_option("--sigma", options->noise.sigma, "standard deviation of the noise per coordinate")
      ->required();
  command->add_option("--sensitivity", options->noise.sensitivity,
                      "how far a node's value may move (2 x clipping norm)");
  command->add_option("--delta", options->noise.delta, "delta at which epsilon is stated");
  command
      ->add_option("--injections", options->injections,
                   "training steps, each with fresh noise and its own gossip")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--fresh-graphs", options->fresh_graphs,
                    "a new random graph for every injection, known to the observer");
  command->add_option("--align-epsilon", options->align_epsilon,
                      "also find the sigma at which the worst pair has this epsilon");
  command->add_flag("--as-published", options->as_published,
                    "show the published pairwise formula beside the exact loss; it is not a bound");
  add_common_options(*command, options->common);
  command->callback([options] { account_gossip(*options); });
}

void add_survey(CLI::App& account) {
  CLI::App* command = account.add_subcommand(
      "formula-survey",
      "How often and how far the published gossip formula falls short, by topology and rounds");
  auto rounds = std::make_shared<std::vector<std::size_t>>(std::vector<std::size_t>{1, 2, 4, 7, 10});
  auto common = std::make_shared<CommonOptions>();
  command->add_option("--rounds", *rounds, "numbers of gossip rounds")->delimiter(',');
  add_common_options(*command, *common);
  command->callback([rounds, common] {
    set_thread_count(common->threads);
    const auto topologies = survey_topologies(sources_from("."));
    const auto gaps = formula_gaps(topologies, *rounds);
    if (!common->json) {
      fmt::print("{}", to_markdown(gaps));
      return;
    }
    Json rows = Json::array();
    for (const FormulaGap& gap : gaps) {
      rows.push_back({{"topology", gap.topology},
                      {"nodes", gap.nodes},
                      {"rounds", gap.rounds},
                      {"pairs", gap.pairs},
                      {"exceeded", gap.exceeded},
                      {"reconstructible", gap.reconstructible},
                      {"mean_exact", gap.mean_exact},
                      {"mean_formula", gap.mean_formula},
                      {"largest_gap", gap.largest_gap},
                      {"largest_ratio", gap.largest_ratio}});
    }
    print_json({{"rows", rows}});
  });
}

struct RingOptions {
  SkipRing ring;
  double delta = 1e-6;
  double delta_visits = 1e-6;
  std::uint64_t align_rounds = 0;
  bool as_published = false;
  bool json = false;
};

void add_ring(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("skip-ring", "Training by a token on a ring that skips slow nodes");
  auto options = std::make_shared<RingOptions>();
  command->add_option("--sigma", options->ring.sigma, "standard deviation of the noise per coordinate")
      ->required();
  command->add_option("--visits", options->ring.visits, "visits of all nodes together")->required();
  command->add_option("--nodes", options->ring.nodes, "nodes on the ring")->required();
  command->add_option("--skip", options->ring.skip, "probability that a node is too slow and skipped");
  command->add_option("--clip", options->ring.clip, "L2 norm an update is clipped to");
  command->add_option("--delta", options->delta, "delta of the releases");
  command->add_option("--delta-visits", options->delta_visits,
                      "probability that a node takes part more often than accounted");
  command->add_option("--align-rounds", options->align_rounds,
                      "also find the sigma at which a server hearing that many rounds has the same epsilon");
  command->add_flag("--as-published", options->as_published,
                    "the theorem's closed form instead of exact composition");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] {
    const RingOptions& o = *options;
    Json facts = {{"participations", skip_ring_participations(o.ring, o.delta_visits, o.as_published)},
                  {"as_published", o.as_published}};
    if (o.align_rounds > 0) {
      facts["aligned_central_sigma"] =
          aligned_central_sigma(o.ring, o.align_rounds, o.ring.clip, o.delta_visits, o.as_published);
    }
    print_statement(skip_ring_statement(o.ring, o.delta, o.delta_visits, o.as_published), facts, o.json);
  });
}

struct CentralOptions {
  CentralTraining training;
  double delta = 1e-6;
  bool as_published = false;
  bool json = false;
};

void add_central(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("central", "Training through a server that hears every noised update");
  auto options = std::make_shared<CentralOptions>();
  command->add_option("--sigma", options->training.sigma, "standard deviation of the noise per coordinate")
      ->required();
  command->add_option("--rounds", options->training.rounds, "updates of one node")->required();
  command->add_option("--clip", options->training.clip, "L2 norm an update is clipped to");
  command->add_option("--delta", options->delta, "delta at which epsilon is stated");
  command->add_flag("--as-published", options->as_published,
                    "zCDP with the classic conversion instead of exact composition");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] {
    print_statement(central_statement(options->training, options->delta, options->as_published),
                    {{"as_published", options->as_published}}, options->json);
  });
}

struct FederatedOptions {
  double sigma = 1;
  std::uint64_t records = 0;
  std::uint64_t batch = 0;
  std::uint64_t rounds = 0;
  std::uint64_t local_steps = 1;
  double delta = 1e-5;
  std::string sampling = "poisson";
  bool json = false;
};

/// One client's records against everybody who sees its uploads. The server knows who takes part, so client
/// sampling amplifies nothing; clients hold disjoint records, so the system's epsilon is the worst client's.
void account_federated(const FederatedOptions& options) {
  if (options.records == 0 || options.batch == 0 || options.batch > options.records)
    fail(Fault::kConfig, "a batch holds between one and all of a client's records");
  const double rate = static_cast<double>(options.batch) / static_cast<double>(options.records);
  const ReleasePointer step = make_release(GaussianRelease{options.sigma});
  const std::uint64_t steps = options.rounds * options.local_steps;
  PldAccountant accountant;
  accountant.add(*(options.sampling == "poisson" ? poisson_sampled(rate, step) : step), steps);
  PrivacyStatement statement;
  statement.epsilon = accountant.epsilon(options.delta);
  statement.delta = options.delta;
  statement.definition = "(epsilon, delta)-differential privacy of all uploads of one client";
  statement.unit = "one record of one client";
  statement.adjacency = "add or remove one record of that client";
  statement.adversary = "the server and everyone who sees the client's uploads";
  statement.assumptions = {
      fmt::format("{} rounds in which the client takes part x {} local steps, noise multiplier {:g}, clipped "
                  "per example",
                  options.rounds, options.local_steps, options.sigma),
      options.sampling == "poisson"
          ? fmt::format("Poisson batches of rate {:.4g}; shuffled batches do not have this guarantee", rate)
          : "no amplification by sampling: every record may be in every batch",
      "no amplification by client sampling: the server knows who takes part",
      accountant.method(options.delta)};
  const double label = std::sqrt(2 * std::log(1.25 / options.delta)) / options.sigma;
  print_statement(statement,
                  {{"releases", steps},
                   {"single_release_epsilon", gaussian_epsilon(1 / options.sigma, options.delta)},
                   {"single_release_label", label},
                   {"label_holds_for", "one release only, not for this run"}},
                  options.json);
}

void add_federated(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("fedavg", "DP-SGD on the clients of federated averaging, per client");
  auto options = std::make_shared<FederatedOptions>();
  command->add_option("--sigma", options->sigma, "noise multiplier of a local step")->required();
  command->add_option("--records", options->records, "training records of the client")->required();
  command->add_option("--batch", options->batch, "(expected) batch size")->required();
  command->add_option("--rounds", options->rounds, "rounds in which the client takes part")
      ->required()
      ->check(CLI::Range(1, 1000000000));
  command->add_option("--local-steps", options->local_steps, "local steps per round")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--delta", options->delta, "delta at which epsilon is stated");
  command->add_option("--sampling", options->sampling, "poisson, or none for shuffled and fixed batches")
      ->check(CLI::IsMember({"poisson", "none"}));
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { account_federated(*options); });
}

}  // namespace

void add_network_accounts(CLI::App& account) {
  add_gossip(account);
  add_survey(account);
  add_ring(account);
  add_alignment(account);
  add_central(account);
  add_federated(account);
}

}  // namespace earshot::cli
