// How often and how far the published Muffliato formula falls short of the exact loss.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"

namespace earshot {

struct NamedMatrix {
  std::string name;
  GossipMatrix matrix;
};

/// Over all ordered pairs (u, v), v alone observing u for `rounds` rounds. Losses are in units of
/// alpha Delta^2 / (2 sigma^2); the formula is capped at 1, the local loss, before it is compared.
struct FormulaGap {
  std::string topology;
  std::size_t nodes = 0;
  std::size_t rounds = 0;
  std::size_t pairs = 0;
  std::size_t exceeded = 0;         // pairs whose exact loss is above the formula
  std::size_t reconstructible = 0;  // pairs whose exact loss is 1: the noise of others hides nothing
  double mean_exact = 0;
  double mean_formula = 0;
  double largest_gap = 0;    // of exact - formula
  double largest_ratio = 0;  // of exact / formula where the formula is positive
};

/// One entry per number of rounds.
std::vector<FormulaGap> formula_gaps(const NamedMatrix& topology, std::span<const std::size_t> rounds);
std::vector<FormulaGap> formula_gaps(std::span<const NamedMatrix> topologies,
                                     std::span<const std::size_t> rounds);

/// The topologies of the table in docs/network-privacy.md with Metropolis weights; random ones from a fixed
/// stream, the Facebook ego network from the dataset directory.
std::vector<NamedMatrix> survey_topologies(const GraphSources& sources);

/// A table in Markdown.
std::string to_markdown(std::span<const FormulaGap> gaps);

}  // namespace earshot
