#include "earshot/accounting/network/network_statement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

constexpr const char* kUnit = "one node's whole data";

void require_terms(const NoiseTerms& terms) {
  if (!(terms.sensitivity > 0) || !std::isfinite(terms.sensitivity))
    fail(Fault::kConfig, "the sensitivity must be positive and finite");
  if (!(terms.sigma > 0) || !std::isfinite(terms.sigma))
    fail(Fault::kConfig, "the noise deviation must be positive and finite");
  if (!(terms.delta > 0 && terms.delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
}

double epsilon_of(double leverage, const NoiseTerms& terms) {
  return gaussian_epsilon(terms.sensitivity * std::sqrt(leverage) / terms.sigma, terms.delta);
}

std::string names(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<std::string> words;
  for (const NodeId node : nodes) words.push_back(graph.name(node));
  return join(words, ", ");
}

std::string describe(const Graph& graph, const LeverageScores& scores) {
  const Adversary& adversary = scores.adversary;
  const std::string tapped =
      adversary.tapped.empty() ? "" : fmt::format(", the wires of {} tapped", names(graph, adversary.tapped));
  const std::string who = adversary.colluding.empty()
                              ? "an eavesdropper" + tapped
                              : fmt::format("{}{}, honest but curious{}", names(graph, adversary.colluding),
                                            adversary.colluding.size() == 1 ? "" : " together", tapped);
  const std::size_t rounds = scores.rounds;
  return fmt::format("{}: knows the matrices and all it sends, adds and hears in {}", who,
                     scores.saturated ? std::string("any number of rounds")
                                      : fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s"));
}

PrivacyStatement common(const Graph& graph, const LeverageScores& scores, const NoiseTerms& terms) {
  require_terms(terms);
  PrivacyStatement statement;
  statement.delta = terms.delta;
  statement.unit = kUnit;
  statement.adjacency =
      fmt::format("one node's start value moves by at most {} in L2 norm", terms.sensitivity);
  statement.adversary = describe(graph, scores);
  statement.assumptions = {
      fmt::format("every node adds independent N(0, {}^2) to its start value once; linear gossip after that",
                  terms.sigma),
      "the exact loss of the joint view of all messages, not a bound: none is credited for finite precision "
      "of messages",
      "real-valued Gaussian noise"};
  if (const std::string note = scores.numerical_note(); !note.empty()) statement.assumptions.push_back(note);
  return statement;
}

bool is_member(const LeverageScores& scores, NodeId node) {
  const auto& members = scores.adversary.colluding;
  return std::binary_search(members.begin(), members.end(), node);
}

std::vector<NodeId> require_others(const Graph& graph, const LeverageScores& scores) {
  std::vector<NodeId> others = target_nodes(graph, scores.adversary);
  if (others.empty()) fail(Fault::kConfig, "every node is in the coalition: nobody is left to protect");
  return others;
}

}  // namespace

PrivacyStatement pairwise_statement(const Graph& graph, const LeverageScores& scores, NodeId node,
                                    const NoiseTerms& terms) {
  if (node >= scores.leverage.size()) fail(Fault::kConfig, "the node to protect is not in the graph");
  if (is_member(scores, node))
    fail(Fault::kConfig, fmt::format("{} is in the coalition, which knows its value: ask about another node",
                                     graph.name(node)));
  PrivacyStatement statement = common(graph, scores, terms);
  const double leverage = scores.leverage[node];
  statement.epsilon = epsilon_of(leverage, terms);
  statement.definition =
      fmt::format("pairwise network (epsilon, delta)-DP of {}; {}-GDP, leverage {}{}", graph.name(node),
                  terms.sensitivity * std::sqrt(leverage) / terms.sigma, leverage,
                  leverage == 1 ? ": the noisy start value is reconstructible, as in local DP" : "");
  return statement;
}

PrivacyStatement worst_statement(const Graph& graph, const LeverageScores& scores, const NoiseTerms& terms) {
  const std::vector<NodeId> others = require_others(graph, scores);
  const NodeId worst = *std::max_element(others.begin(), others.end(), [&](NodeId a, NodeId b) {
    return scores.leverage[a] < scores.leverage[b];
  });
  PrivacyStatement statement = pairwise_statement(graph, scores, worst, terms);
  statement.definition += "; no other node loses more to this coalition";
  return statement;
}

PrivacyStatement mean_statement(const Graph& graph, const LeverageScores& scores, const NoiseTerms& terms) {
  const std::vector<NodeId> others = require_others(graph, scores);
  PrivacyStatement statement = common(graph, scores, terms);
  double sum = 0;
  for (const NodeId node : others) sum += epsilon_of(scores.leverage[node], terms);
  statement.epsilon = sum / static_cast<double>(others.size());
  statement.definition = fmt::format(
      "mean over {} nodes of their pairwise network epsilons: a summary, not a guarantee for any of them",
      others.size());
  return statement;
}

PrivacyStatement injections_statement(const SquaredLoss& loss, const std::string& adversary,
                                      const NoiseTerms& terms) {
  require_terms(terms);
  PrivacyStatement statement;
  statement.delta = terms.delta;
  statement.unit = kUnit;
  statement.adjacency =
      fmt::format("each contribution of one participant moves by at most {} in L2 norm", terms.sensitivity);
  statement.adversary = adversary;
  if (!std::isfinite(loss.bound)) {
    statement.definition = "none: part of a contribution reaches the adversary without noise";
    return statement;
  }
  statement.epsilon = epsilon_of(loss.bound, terms);
  statement.definition =
      fmt::format("(epsilon, delta)-DP of one participant over all its contributions, {}",
                  loss.exact() ? "exact" : "an upper bound (worst signs of the Gram matrix)");
  statement.assumptions = {
      "the others' contributions are the same in both worlds: they do not react to what the participant sent",
      fmt::format("independent Gaussian noises in units of sigma = {}", terms.sigma)};
  return statement;
}

}  // namespace earshot
