#include "earshot/accounting/network/formula_survey.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/accounting/network/leverage.hpp"
#include "earshot/accounting/network/published_formula.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/topologies.hpp"

namespace earshot {
namespace {

/// Differences below this are rounding.
constexpr double kTie = 1e-9;

void add_pair(double exact, double formula, FormulaGap& gap) {
  const double capped = std::min(formula, 1.0);
  ++gap.pairs;
  gap.mean_exact += exact;
  gap.mean_formula += capped;
  gap.largest_gap = std::max(gap.largest_gap, exact - capped);
  if (exact - capped > kTie) ++gap.exceeded;
  if (exact == 1) ++gap.reconstructible;
  if (capped > 0) gap.largest_ratio = std::max(gap.largest_ratio, exact / capped);
}

/// What an observer knows after `round` rounds; rounds after saturation add nothing.
const std::vector<double>& after(const LeverageScores& scores, std::size_t round) {
  return scores.by_round.empty() ? scores.leverage
                                 : scores.by_round[std::min(round, scores.by_round.size()) - 1];
}

}  // namespace

std::vector<FormulaGap> formula_gaps(const NamedMatrix& topology, std::span<const std::size_t> rounds) {
  if (rounds.empty() || *std::min_element(rounds.begin(), rounds.end()) == 0)
    fail(Fault::kConfig, "a survey needs numbers of rounds, each at least 1");
  const GossipMatrix& matrix = topology.matrix;
  const std::size_t nodes = matrix.node_count();
  const std::size_t longest = *std::max_element(rounds.begin(), rounds.end());
  std::vector<Adversary> observers;
  for (NodeId v = 0; v < nodes; ++v) observers.push_back(make_adversary(matrix.graph(), {v}));
  const std::vector<LeverageScores> exact =
      leverage_scores(matrix, observers, {longest}, LeverageCurve::kByRound);
  std::vector<std::vector<std::vector<double>>> formula(nodes);
  parallel_for(nodes, [&](std::size_t v) {
    formula[v] = muffliato_pairwise_curve_as_published(matrix, static_cast<NodeId>(v), longest);
  });
  std::vector<FormulaGap> gaps;
  for (const std::size_t round : rounds) {
    FormulaGap& gap = gaps.emplace_back();
    gap.topology = topology.name;
    gap.nodes = nodes;
    gap.rounds = round;
    for (NodeId v = 0; v < nodes; ++v) {
      for (NodeId u = 0; u < nodes; ++u) {
        if (u != v) add_pair(after(exact[v], round)[u], formula[v][round - 1][u], gap);
      }
    }
    const auto pairs = static_cast<double>(std::max<std::size_t>(1, gap.pairs));
    gap.mean_exact /= pairs;
    gap.mean_formula /= pairs;
  }
  return gaps;
}

std::vector<FormulaGap> formula_gaps(std::span<const NamedMatrix> topologies,
                                     std::span<const std::size_t> rounds) {
  std::vector<FormulaGap> gaps;
  for (const NamedMatrix& topology : topologies) {
    const std::vector<FormulaGap> found = formula_gaps(topology, rounds);
    gaps.insert(gaps.end(), found.begin(), found.end());
  }
  return gaps;
}

namespace {

Graph make_named(const std::string& name, const Json& given, const GraphSources& sources) {
  for (const GraphComponent& component : graph_components()) {
    if (component.schema.name != name) continue;
    Stream stream({.seed = 1, .purpose = Purpose::kGraph});
    return component.make(valid_settings(component.schema, given, ""), stream, sources);
  }
  fail(Fault::kInternal, "no graph is called " + name);
}

}  // namespace

std::vector<NamedMatrix> survey_topologies(const GraphSources& sources) {
  struct Entry {
    const char* label;
    const char* component;
    Json settings;
  };
  const std::vector<Entry> entries = {
      {"path", "line", {{"nodes", 20}}},
      {"ring", "ring", {{"nodes", 20}}},
      {"star", "star", {{"nodes", 20}}},
      {"complete", "complete", {{"nodes", 20}}},
      {"binary tree", "binary_tree", {{"nodes", 31}}},
      {"grid 5 x 5", "grid", {{"rows", 5}, {"columns", 5}}},
      {"hypercube", "hypercube", {{"dimension", 5}}},
      {"exponential", "exponential", {{"nodes", 32}}},
      {"Erdos-Renyi, mean degree 4",
       "erdos_renyi",
       {{"nodes", 50}, {"mean_degree", 4.0}, {"connected", true}}},
      {"random geometric, radius 0.3", "random_geometric", {{"nodes", 50}, {"connected", true}}},
      {"Watts-Strogatz", "watts_strogatz", {{"nodes", 50}, {"connected", true}}},
      {"Barabasi-Albert", "barabasi_albert", {{"nodes", 50}}},
      {"Florentine families", "florentine", Json::object()},
      {"karate club", "karate", Json::object()},
      {"Facebook ego 414", "facebook_ego", {{"ego", 414}}}};
  std::vector<NamedMatrix> topologies;
  for (const Entry& entry : entries)
    topologies.push_back(
        {entry.label, metropolis_weights(make_named(entry.component, entry.settings, sources))});
  return topologies;
}

std::string to_markdown(std::span<const FormulaGap> gaps) {
  std::string table =
      "| topology | nodes | T | exact above formula | of pairs | exact = 1 | mean exact | mean formula | "
      "largest gap | largest ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const FormulaGap& gap : gaps) {
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.4g} |\n",
                         gap.topology, gap.nodes, gap.rounds, gap.exceeded, gap.pairs, gap.reconstructible,
                         gap.mean_exact, gap.mean_formula, gap.largest_gap, gap.largest_ratio);
  }
  return table;
}

}  // namespace earshot
