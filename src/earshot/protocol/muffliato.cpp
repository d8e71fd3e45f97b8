#include "earshot/protocol/muffliato.hpp"

#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/protocol/decentralised.hpp"

namespace earshot {
namespace {

constexpr double kDefaultEdgeFactor = 2;

/// Chebyshev's polynomials are best on a real interval, and their recurrence starts anew with every round of
/// training, whose first gossip step is plain.
std::vector<double> chebyshev_of(const GossipMatrix& matrix, std::size_t gossip_steps) {
  if (!check_weights(matrix).symmetric) {
    fail(Fault::kConfig, "Chebyshev acceleration needs symmetric weights: use metropolis or max_degree");
  }
  return chebyshev_mixing(second_eigenvalue_modulus(matrix), gossip_steps);
}

std::unique_ptr<Protocol> make_muffliato(const Settings& settings, ProtocolParts parts) {
  DecentralisedOptions options = decentralised_options(settings, AveragingOrder::kAdaptThenCombine);
  if (settings.text("acceleration") == "chebyshev") {
    options.mixing = chebyshev_of(*parts.gossip_matrix, options.gossip_steps);
  }
  auto topology = std::make_unique<FixedMixing>(*parts.gossip_matrix);
  return make_decentralised(settings, std::move(options), std::move(topology), std::move(parts));
}

double chosen_edge_probability(const Settings& settings, std::size_t nodes) {
  if (!settings.has("edge_probability")) {
    return connecting_probability(settings.has("c") ? settings.real("c") : kDefaultEdgeFactor, nodes);
  }
  if (settings.has("c")) fail(Fault::kConfig, "give c or edge_probability, not both");
  return settings.real("edge_probability");
}

std::unique_ptr<Protocol> make_muffliato_random(const Settings& settings, ProtocolParts parts) {
  DecentralisedOptions options = decentralised_options(settings, AveragingOrder::kAdaptThenCombine);
  const std::size_t nodes = parts.shards.size();
  auto topology = std::make_unique<RandomMixing>(
      RandomMixingOptions{nodes, chosen_edge_probability(settings, nodes), settings.boolean("connected"),
                          options.gossip_steps, parts.seed, parts.trial});
  return make_decentralised(settings, std::move(options), std::move(topology), std::move(parts));
}

}  // namespace

std::optional<RandomGossip> planned_gossip(const Settings& settings, const Protection& protection,
                                           std::size_t nodes, std::size_t parameters) {
  if (!releases_one_gaussian_vector(protection)) return {};
  return RandomGossip{protection.mechanism->noise_deviation(parameters),
                      protection.mechanism->terms().sensitivity / 2,
                      settings.size("rounds"),
                      nodes,
                      chosen_edge_probability(settings, nodes),
                      settings.size("gossip_steps")};
}

const ProtocolComponent& muffliato_component() {
  static const ProtocolComponent component{
      {"protocol", "muffliato",
       "a noisy local step, then several gossip steps that hide it among the others' noise",
       "Cyffers, Even, Bellet & Massoulie 2022",
       with_decentralised_parameters(0.1, 2,
                                     {choice_parameter("acceleration", "none", {"none", "chebyshev"},
                                                       "second-order gossip, started anew in every round")})},
      NetworkNeed::kWeights,
      decentralised_steps,
      make_muffliato};
  return component;
}

const ProtocolComponent& muffliato_random_component() {
  static const ProtocolComponent component{
      {"protocol", "muffliato_random",
       "muffliato on a fresh Erdos-Renyi graph in every round, with Metropolis weights",
       "Cyffers, Even, Bellet & Massoulie 2022, Algorithm 3",
       with_decentralised_parameters(
           0.1, 2,
           {optional(real_parameter("c", {}, 0, 1e6,
                                    "edges are drawn with probability c ln n / n; 2 unless "
                                    "edge_probability is given")),
            optional(real_parameter("edge_probability", {}, 0, 1, "instead of c")),
            boolean_parameter("connected", false, "draw a graph again until it is connected")})},
      NetworkNeed::kNone,
      decentralised_steps,
      make_muffliato_random};
  return component;
}

}  // namespace earshot
