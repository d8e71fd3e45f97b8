#include "earshot/accounting/network/trust_models.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/network/agreed.hpp"
#include "earshot/accounting/network/exact_knowledge.hpp"
#include "earshot/attack/gossip/echelon_basis.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

/// The coalition's rows in any arithmetic. A message of step s is a row over the contributions of all steps
/// up to s: follow it back round by round, and note what it weighs whenever a step added contributions.
template <class Number, class Advance, class Consume>
void for_each_message(const GossipSchedule& schedule, const Adversary& adversary, const Advance& advance,
                      const Consume& consume) {
  const std::size_t nodes = schedule.matrices.front().node_count();
  for (std::size_t round = 0; round < schedule.rounds(); ++round) {
    for (const NodeId heard : heard_nodes(schedule.at(round).graph(), adversary)) {
      std::vector<Number> row(nodes * schedule.matrices.size(), Number{0});
      std::vector<Number> current(nodes, Number{0}), before(nodes);
      current[heard] = Number{1};
      for (std::size_t past = round;; --past) {
        if (past % schedule.rounds_each == 0) {
          std::copy(current.begin(), current.end(), row.begin() + index(past / schedule.rounds_each * nodes));
        }
        if (past == 0) break;
        advance(past - 1, current, before);
        for (const NodeId member : adversary.colluding) before[member] = Number{0};
        current.swap(before);
      }
      consume(row);
    }
  }
}

std::size_t exact_rank(const GossipSchedule& schedule, const Adversary& adversary) {
  return agreed_modulo_primes<std::size_t>([&](std::size_t prime) {
    const PrimeField field(audit_prime(prime));
    std::vector<ModularGossipMatrix> copies;
    for (const GossipMatrix& matrix : schedule.matrices) copies.emplace_back(matrix, field);
    EchelonBasis basis(field, schedule.matrices.front().node_count() * schedule.matrices.size());
    for_each_message<Residue>(
        schedule, adversary,
        [&](std::size_t round, const auto& in, auto& out) {
          copies[round / schedule.rounds_each].advance(in, out);
        },
        [&](const std::vector<Residue>& row) { basis.insert(row); });
    return basis.rank();
  });
}

/// One row per message, members' columns left out.
Eigen::MatrixXd message_matrix(const GossipSchedule& schedule, const Adversary& adversary,
                               std::span<const NodeId> participants) {
  const std::size_t nodes = schedule.matrices.front().node_count();
  std::vector<std::vector<double>> rows;
  for_each_message<double>(
      schedule, adversary,
      [&](std::size_t round, const auto& in, auto& out) { schedule.at(round).multiply_transposed(in, out); },
      [&](const std::vector<double>& row) { rows.push_back(row); });
  Eigen::MatrixXd messages(index(rows.size()), index(participants.size() * schedule.matrices.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Eigen::Index column = 0;
    for (std::size_t step = 0; step < schedule.matrices.size(); ++step) {
      for (const NodeId node : participants) messages(index(i), column++) = rows[i][step * nodes + node];
    }
  }
  return messages;
}

/// Two non-members who are linked share a secret.
std::vector<Edge> secret_pairs(const Graph& graph, std::span<const NodeId> participants) {
  const auto position = [&](NodeId node) {
    return static_cast<NodeId>(std::lower_bound(participants.begin(), participants.end(), node) -
                               participants.begin());
  };
  std::vector<Edge> pairs;
  for (const auto& [a, b] : graph.edges()) {
    if (std::binary_search(participants.begin(), participants.end(), a) &&
        std::binary_search(participants.begin(), participants.end(), b))
      pairs.emplace_back(position(a), position(b));
  }
  return pairs;
}

}  // namespace

std::size_t ParticipantView::column(std::size_t step, NodeId node) const {
  const auto found = std::lower_bound(participants.begin(), participants.end(), node);
  if (step >= steps || found == participants.end() || *found != node)
    fail(Fault::kConfig, fmt::format("node {} has no contribution to protect at step {}", node, step));
  return step * participants.size() + static_cast<std::size_t>(found - participants.begin());
}

std::vector<std::size_t> ParticipantView::participation(NodeId node, std::size_t first,
                                                        std::size_t period) const {
  if (period == 0) fail(Fault::kConfig, "a participation period must be at least 1");
  std::vector<std::size_t> columns;
  for (std::size_t step = first; step < steps; step += period) columns.push_back(column(step, node));
  return columns;
}

ParticipantView local_view(const Eigen::MatrixXd& mixing) {
  ParticipantView local;
  local.view = {Eigen::MatrixXd::Identity(mixing.rows(), mixing.rows()), mixing, std::nullopt};
  local.participants = {0};
  local.steps = static_cast<std::size_t>(mixing.rows());
  return local;
}

ParticipantView network_view(std::span<const GossipMatrix> matrices, const Adversary& adversary,
                             const InjectionPlan& plan) {
  if (plan.steps == 0 || plan.gossip_rounds == 0)
    fail(Fault::kConfig, "a plan needs at least one step and one gossip round per step");
  if (matrices.size() != 1 && matrices.size() != plan.steps)
    fail(Fault::kConfig, fmt::format("give one gossip matrix for all {} steps or one per step, not {}",
                                     plan.steps, matrices.size()));
  const std::vector<GossipMatrix> repeated = matrices.size() == plan.steps
                                                 ? std::vector<GossipMatrix>{}
                                                 : std::vector<GossipMatrix>(plan.steps, matrices.front());
  const GossipSchedule schedule{repeated.empty() ? matrices : std::span<const GossipMatrix>(repeated),
                                plan.gossip_rounds};
  require_schedule(schedule, adversary);
  ParticipantView network;
  network.participants = target_nodes(matrices.front().graph(), adversary);
  network.steps = plan.steps;
  network.view.noise = message_matrix(schedule, adversary, network.participants);
  network.view.signal = network.view.noise;  // signal and noise enter together
  network.view.noise_rank = exact_rank(schedule, adversary);
  return network;
}

ParticipantView secret_sharing_view(const Graph& graph, const Adversary& adversary, const SecretNoise& noise,
                                    std::size_t steps) {
  for (const double deviation : {noise.local, noise.pairwise}) {
    if (!(deviation >= 0) || !std::isfinite(deviation))
      fail(Fault::kConfig, "the deviations of secret and local noise must be finite and not negative");
  }
  if (steps == 0) fail(Fault::kConfig, "a plan needs at least one step");
  ParticipantView shared;
  shared.participants = target_nodes(graph, adversary);
  shared.steps = steps;
  const std::vector<Edge> pairs = secret_pairs(graph, shared.participants);
  const Eigen::Index nodes = index(shared.participants.size());
  const Eigen::Index noises = nodes + index(pairs.size());
  Eigen::MatrixXd one_step = Eigen::MatrixXd::Zero(nodes, noises);
  one_step.leftCols(nodes).diagonal().setConstant(noise.local);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    one_step(pairs[i].first, nodes + index(i)) = noise.pairwise;
    one_step(pairs[i].second, nodes + index(i)) = -noise.pairwise;
  }
  shared.view.signal = Eigen::MatrixXd::Identity(nodes * index(steps), nodes * index(steps));
  shared.view.noise = Eigen::MatrixXd::Zero(nodes * index(steps), noises * index(steps));
  for (Eigen::Index step = 0; step < index(steps); ++step)
    shared.view.noise.block(step * nodes, step * noises, nodes, noises) = one_step;
  return shared;
}

}  // namespace earshot
