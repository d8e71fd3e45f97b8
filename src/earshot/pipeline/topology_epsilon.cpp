#include "earshot/pipeline/topology_epsilon.hpp"

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/attack/leak/leaks.hpp"
#include "earshot/pipeline/training_sections.hpp"
#include "earshot/protocol/muffliato.hpp"
#include "earshot/protocol/skip_ring.hpp"

namespace earshot {
namespace {

/// Chance that a node takes part in a ring more often than counted.
constexpr double kTooManyTurns = 1e-6;

}  // namespace

std::optional<double> topology_epsilon(const Cell& cell, Protocol& protocol, std::size_t parameters,
                                       std::uint64_t rounds) {
  const auto learners = protocol.learners();
  const Protection& protection = learners.front()->protection();
  if (!releases_one_gaussian_vector(protection)) return {};
  const Settings settings = protocol_settings(cell);
  const std::string& kind = cell.at("protocol").kind;
  if (kind == "skip_ring") {
    SkipRing ring = *planned_ring(settings, protection, learners.size(), parameters);
    ring.visits = ring.visits / settings.size("rounds") * rounds;
    return skip_ring_epsilon(ring, protection.delta, kTooManyTurns, false);
  }
  if (kind == "muffliato_random") {
    RandomGossip gossip = *planned_gossip(settings, protection, learners.size(), parameters);
    gossip.rounds = rounds;
    return random_gossip_epsilon(gossip, protection.delta, false);
  }
  if (leak_source(kind) != LeakSource::kFederated) return {};
  return central_epsilon({protection.mechanism->noise_deviation(parameters),
                          protection.mechanism->terms().sensitivity / 2, rounds},
                         protection.delta, false);
}

}  // namespace earshot
