#include "earshot/pipeline/network_statement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/accounting/network/network_statement.hpp"
#include "earshot/accounting/network/trust_models.hpp"

namespace earshot {
namespace {

/// Multiplications of one answer: a fraction of a second.
constexpr double kMostWork = 1e8;

/// One noisy contribution of every node in each round of training, as the exact analysis needs it.
struct Injections {
  std::vector<GossipMatrix> matrices;  // one, or one per step
  InjectionPlan plan;
  MechanismTerms terms;
  NoiseTerms noise;
};

/// Why the messages are not a linear function of one contribution with Gaussian noise per node and round;
/// empty if they are.
std::string obstacle(const DecentralisedTraining& training) {
  const Protection& protection = training.node(0).learner().protection();
  if (protection.mechanism->name() != "gaussian") return "the analysis is for Gaussian noise only";
  if (training.options().local_steps != 1 && protection.scope != ProtectedScope::kUpdate)
    return "several noisy steps in a round are not one contribution";
  if (!training.options().mixing.empty()) return "the analysis is for gossip without acceleration";
  const std::size_t nodes = training.mixing().graph().node_count();
  for (NodeId node = 0; node < nodes; ++node) {
    const auto& entries = training.node(node).learner().ledger().entries();
    std::uint64_t released = 0;
    for (const LedgerEntry& entry : entries) released += entry.count;
    if (protection.scope == ProtectedScope::kExample) released = training.node(node).learner().steps();
    if (released != training.rounds()) return "a node that adds no noise in a round hides nobody in it";
  }
  return {};
}

/// A node that combines before it adapts sends its contribution in the next round: the last one is never
/// sent.
std::size_t steps_heard(const DecentralisedTraining& training) {
  const bool late = training.options().order == AveragingOrder::kCombineThenAdapt;
  return training.rounds() - (late && training.rounds() > 0 ? 1 : 0);
}

Injections injections_of(const DecentralisedTraining& training) {
  const Learner& learner = training.node(0).learner();
  const VectorMechanism& mechanism = *learner.protection().mechanism;
  Injections out;
  out.plan = {steps_heard(training), training.options().gossip_steps};
  for (std::size_t step = 0; step < (training.mixing().fixed() ? 1 : out.plan.steps); ++step) {
    out.matrices.push_back(training.mixing().matrix(static_cast<Round>(step)));
  }
  out.terms = mechanism.terms();
  out.noise = {out.terms.sensitivity, mechanism.noise_deviation(learner.task().parameter_count()),
               learner.protection().delta};
  return out;
}

/// Of the elimination and the Gram matrix.
double work(const Injections& injections, const Adversary& adversary) {
  std::size_t heard = 0;
  for (const GossipMatrix& matrix : injections.matrices) {
    heard = std::max(heard, heard_nodes(matrix.graph(), adversary).size());
  }
  const auto steps = static_cast<double>(injections.plan.steps);
  const double rows = static_cast<double>(heard * injections.plan.gossip_rounds) * steps;
  const double columns = static_cast<double>(injections.matrices.front().node_count()) * steps;
  return rows * columns * (rows + columns);
}

struct NodeLoss {
  SquaredLoss loss;
  NodeId node = 0;
};

/// Of the victim, or the largest.
NodeLoss loss_to(const Injections& injections, const Adversary& adversary, std::optional<NodeId> victim) {
  const ParticipantView view = network_view(injections.matrices, adversary, injections.plan);
  const GaussianGram gram = gaussian_gram(view.view);
  if (victim) return {squared_loss(gram, view.participation(*victim)), *victim};
  NodeLoss worst{{}, view.participants.front()};
  for (const NodeId node : view.participants) {
    const SquaredLoss loss = squared_loss(gram, view.participation(node));
    if (loss.bound > worst.loss.bound) worst = {loss, node};
  }
  return worst;
}

PrivacyStatement statement_of(const Injections& injections, const Adversary& adversary,
                              const NodeLoss& loss) {
  const Graph& graph = injections.matrices.front().graph();
  PrivacyStatement statement = injections_statement(
      loss.loss,
      fmt::format("{}: knows the weights and hears its neighbours", adversary_name(graph, adversary)),
      injections.noise);
  statement.definition +=
      fmt::format("; of {}, who loses {:.3g} of the {} squared losses whoever hears all messages would see",
                  graph.name(loss.node), loss.loss.bound, injections.plan.steps);
  statement.unit = injections.terms.unit;
  statement.adjacency = injections.terms.adjacency;
  statement.assumptions.emplace_back("every message arrived, and the mean over the nodes is not published");
  return statement;
}

NetworkAnswer nothing_heard(const Injections& injections) {
  NetworkAnswer answer;
  answer.statement.emplace();
  answer.statement->epsilon = 0;
  answer.statement->delta = injections.noise.delta;
  answer.statement->definition = "nothing that depends on records has been sent yet";
  answer.statement->unit = injections.terms.unit;
  answer.statement->adjacency = injections.terms.adjacency;
  answer.statement->adversary = "anybody";
  return answer;
}

NetworkAnswer worst_of(const DecentralisedTraining& training, std::span<const Adversary> adversaries,
                       std::optional<NodeId> victim = {}) {
  if (const std::string why = obstacle(training); !why.empty()) return {{}, why};
  const Injections injections = injections_of(training);
  if (injections.plan.steps == 0) return nothing_heard(injections);
  double sum = 0;
  for (const Adversary& adversary : adversaries) sum += work(injections, adversary);
  if (sum > kMostWork)
    return {{},
            "the joint view of all rounds is too large for the exact analysis: the local statement holds"};
  NetworkAnswer answer;
  std::optional<NodeLoss> worst;
  for (const Adversary& adversary : adversaries) {
    const NodeLoss loss = loss_to(injections, adversary, victim);
    if (worst && loss.loss.bound <= worst->loss.bound) continue;
    worst = loss;
    answer.statement = statement_of(injections, adversary, loss);
  }
  return answer;
}

}  // namespace

NetworkAnswer network_statement(const DecentralisedTraining& training, const Adversary& adversary,
                                std::optional<NodeId> victim) {
  return worst_of(training, std::span(&adversary, 1), victim);
}

NetworkAnswer worst_node_statement(const DecentralisedTraining& training) {
  const Graph& graph = training.mixing().graph();
  if (graph.node_count() < 2) return {{}, "there is nobody else"};
  std::vector<Adversary> single;
  for (NodeId node = 0; node < graph.node_count(); ++node) single.push_back(make_adversary(graph, {node}));
  return worst_of(training, single);
}

}  // namespace earshot
