#include "earshot/attack/gossip/target_system.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Eigen::Index position(const std::vector<NodeId>& sorted, NodeId node) {
  return std::lower_bound(sorted.begin(), sorted.end(), node) - sorted.begin();
}
bool contains(const std::vector<NodeId>& sorted, NodeId node) {
  return std::binary_search(sorted.begin(), sorted.end(), node);
}
Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

}  // namespace

TargetSystem make_target_system(const GossipMatrix& matrix, const Adversary& adversary) {
  const Graph& graph = matrix.graph();
  TargetSystem system;
  system.members = adversary.colluding;
  system.targets = target_nodes(graph, adversary);
  for (const NodeId node : heard_nodes(graph, adversary))
    system.heard.push_back(position(system.targets, node));
  std::vector<Eigen::Triplet<double>> among;
  std::vector<Eigen::Triplet<double>> from;
  for (std::size_t i = 0; i < system.targets.size(); ++i) {
    const NodeId node = system.targets[i];
    among.emplace_back(i, i, matrix.self_weight(node));
    const auto neighbours = graph.neighbours(node);
    const auto weights = matrix.weights(node);
    for (std::size_t j = 0; j < neighbours.size(); ++j) {
      if (contains(system.members, neighbours[j]))
        from.emplace_back(i, position(system.members, neighbours[j]), weights[j]);
      else
        among.emplace_back(i, position(system.targets, neighbours[j]), weights[j]);
    }
  }
  system.among_targets.resize(system.target_count(), system.target_count());
  system.among_targets.setFromTriplets(among.begin(), among.end());
  system.from_members.resize(system.target_count(), index(system.members.size()));
  system.from_members.setFromTriplets(from.begin(), from.end());
  return system;
}

double mixing_at(std::span<const double> mixing, std::size_t round) {
  return round < mixing.size() ? mixing[round] : 1.0;
}

namespace {
RowMajorMatrix heard_unit_rows(const TargetSystem& system) {
  RowMajorMatrix rows = RowMajorMatrix::Zero(system.heard_count(), system.target_count());
  for (Eigen::Index i = 0; i < system.heard_count(); ++i)
    rows(i, system.heard[static_cast<std::size_t>(i)]) = 1;
  return rows;
}
}  // namespace

Eigen::MatrixXd gossip_knowledge_matrix(const TargetSystem& system, std::size_t rounds,
                                        std::span<const double> mixing) {
  RowMajorMatrix current = heard_unit_rows(system);
  RowMajorMatrix previous = current;
  Eigen::MatrixXd knowledge(index(rounds) * system.heard_count(), system.target_count());
  for (std::size_t t = 0; t < rounds; ++t) {
    knowledge.middleRows(index(t) * system.heard_count(), system.heard_count()) = current;
    const double omega = mixing_at(mixing, t);
    RowMajorMatrix next = omega * (current * system.among_targets);
    if (omega != 1.0) next += (1 - omega) * previous;
    previous.swap(current);
    current.swap(next);
  }
  return knowledge;
}

Eigen::MatrixXd dgd_knowledge_matrix(const TargetSystem& system, std::size_t rounds) {
  const RowMajorMatrix unit = heard_unit_rows(system);
  RowMajorMatrix sum = unit;
  Eigen::MatrixXd knowledge(index(rounds) * system.heard_count(), system.target_count());
  for (std::size_t t = 0; t < rounds; ++t) {
    knowledge.middleRows(index(t) * system.heard_count(), system.heard_count()) = sum;
    sum = (sum * system.among_targets + unit).eval();
  }
  return knowledge;
}

Eigen::MatrixXd dgd_noise_covariance(const TargetSystem& system, std::size_t rounds) {
  const Eigen::Index block = system.heard_count();
  const Eigen::MatrixXd powers = gossip_knowledge_matrix(system, rounds, {});
  const auto power = [&](std::size_t t) { return powers.middleRows(index(t) * block, block); };
  Eigen::MatrixXd covariance(index(rounds) * block, index(rounds) * block);
  for (std::size_t t1 = 0; t1 < rounds; ++t1) {
    for (std::size_t t2 = 0; t2 < rounds; ++t2) {
      auto entry = covariance.block(index(t1) * block, index(t2) * block, block, block);
      entry = power(t1) * power(t2).transpose();  // the noise of round 0
      if (t1 > 0 && t2 > 0)
        entry += covariance.block(index(t1 - 1) * block, index(t2 - 1) * block, block, block);
    }
  }
  return covariance;
}

namespace {

/// The view's broadcasts by round, as matrices: members' own and the heard nodes', shifted by the origin.
struct Broadcasts {
  RowMajorMatrix members;
  RowMajorMatrix heard;
};

void store_row(RowMajorMatrix& matrix, Eigen::Index row, std::span<const double> message,
               std::span<const double> origin) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    matrix(row, index(i)) = message[i] - (origin.empty() ? 0.0 : origin[i]);
  }
}

std::vector<Broadcasts> collect_broadcasts(const TargetSystem& system, const View& view,
                                           std::span<const double> origin) {
  if (view.messages().empty())
    fail(Fault::kConfig, "the adversary overheard nothing: there is nothing to attack");
  const std::size_t dimension = view.messages().front().message.size();
  std::vector<Broadcasts> rounds(view.rounds());
  for (Broadcasts& round : rounds) {
    round.members = RowMajorMatrix::Zero(index(system.members.size()), index(dimension));
    round.heard = RowMajorMatrix::Zero(system.heard_count(), index(dimension));
  }
  for (const Overheard& said : view.messages()) {
    if (said.to || said.message.size() != dimension)
      fail(Fault::kConfig, "this attack needs a broadcast protocol");
    if (contains(system.members, said.from)) {
      store_row(rounds[said.round].members, position(system.members, said.from), said.message, origin);
      continue;
    }
    const Eigen::Index target = position(system.targets, said.from);
    const auto found = std::lower_bound(system.heard.begin(), system.heard.end(), target);
    store_row(rounds[said.round].heard, found - system.heard.begin(), said.message, origin);
  }
  return rounds;
}

}  // namespace

RowMajorMatrix remove_own_influence(const TargetSystem& system, const View& view,
                                    std::span<const double> origin) {
  const std::vector<Broadcasts> rounds = collect_broadcasts(system, view, origin);
  const Eigen::Index dimension = rounds.front().heard.cols();
  RowMajorMatrix influence = RowMajorMatrix::Zero(system.target_count(), dimension);
  RowMajorMatrix previous = influence;
  RowMajorMatrix cleaned(index(rounds.size()) * system.heard_count(), dimension);
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    for (Eigen::Index i = 0; i < system.heard_count(); ++i) {
      const Eigen::Index row = index(t) * system.heard_count() + i;
      cleaned.row(row) = rounds[t].heard.row(i) - influence.row(system.heard[static_cast<std::size_t>(i)]);
    }
    const double omega = mixing_at(view.told().mixing, t);
    RowMajorMatrix next =
        omega * (system.among_targets * influence + system.from_members * rounds[t].members);
    if (omega != 1.0) next += (1 - omega) * previous;
    previous.swap(influence);
    influence.swap(next);
  }
  return cleaned;
}

}  // namespace earshot
