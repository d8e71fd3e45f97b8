#include "earshot/accounting/network/leverage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "earshot/attack/gossip/target_system.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

Eigen::Index index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

bool known_by(const std::optional<std::size_t>& first_round, std::size_t round) {
  return first_round && *first_round <= round;
}

/// Squared norms of the targets' rows, written out over all nodes: 1 where exact arithmetic says so, and
/// nowhere else.
std::vector<double> decided_leverage(const ExactKnowledge& exact, std::size_t round,
                                     std::span<const NodeId> targets, const Eigen::VectorXd& squared_norms) {
  std::vector<double> leverage(exact.first_round.size(), 1.0);
  const double largest_below_one = std::nextafter(1.0, 0.0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!known_by(exact.first_round[targets[i]], round))
      leverage[targets[i]] = std::min(squared_norms[index(i)], largest_below_one);
  }
  return leverage;
}

bool all_known(const ExactKnowledge& exact) {
  return std::all_of(exact.first_round.begin(), exact.first_round.end(),
                     [](const auto& round) { return round.has_value(); });
}

LeverageScores scores_from(const Adversary& adversary, const ExactKnowledge& exact) {
  LeverageScores scores;
  scores.adversary = adversary;
  scores.rounds = exact.rounds();
  scores.saturated = exact.saturated;
  scores.rank = std::accumulate(exact.new_directions.begin(), exact.new_directions.end(), std::size_t{0});
  scores.first_exact_round = exact.first_round;
  return scores;
}

Eigen::MatrixXd heard_units(const TargetSystem& system) {
  Eigen::MatrixXd units = Eigen::MatrixXd::Zero(system.target_count(), system.heard_count());
  for (Eigen::Index i = 0; i < system.heard_count(); ++i)
    units(system.heard[static_cast<std::size_t>(i)], i) = 1;
  return units;
}

/// The known space grows as a block Krylov space: what is new in round t + 1 comes from W_TT^T times what was
/// new in round t. Orthonormalising as it grows avoids the powers of W, which converge to rank one.
LeverageScores krylov_leverage(const GossipMatrix& matrix, const Adversary& adversary,
                               const ExactKnowledge& exact, LeverageCurve curve) {
  LeverageScores scores = scores_from(adversary, exact);
  const TargetSystem system = make_target_system(matrix, adversary);
  Eigen::VectorXd squared_norms = Eigen::VectorXd::Zero(system.target_count());
  if (curve == LeverageCurve::kByRound || !all_known(exact)) {
    OrthonormalBasis basis(system.target_count(), index(scores.rank));
    Eigen::MatrixXd candidates = heard_units(system);
    for (std::size_t round = 1; round <= scores.rounds; ++round) {
      const Eigen::MatrixXd fresh =
          basis.append(std::move(candidates), index(exact.new_directions[round - 1]));
      squared_norms += fresh.rowwise().squaredNorm();
      if (curve == LeverageCurve::kByRound)
        scores.by_round.push_back(decided_leverage(exact, round, system.targets, squared_norms));
      candidates = system.among_targets.transpose() * fresh;
    }
    scores.condition = basis.condition();
  }
  scores.leverage = decided_leverage(exact, scores.rounds, system.targets, squared_norms);
  return scores;
}

/// Leverage after `rounds` rounds of a schedule, from the last message back to the first: the space of what
/// is heard from round s on is spanned by the nodes heard in round s and by M_s^T times the space of round
/// s + 1. Orthonormalised at every step, so that products of gossip matrices are never formed.
Eigen::VectorXd backward_leverage(const GossipSchedule& schedule, const Adversary& adversary,
                                  std::size_t rounds, NumericalCondition& condition) {
  const std::vector<std::size_t> dimensions = backward_dimensions(schedule, adversary, rounds);
  Eigen::MatrixXd space;
  for (std::size_t round = rounds; round-- > 0;) {
    const TargetSystem system = make_target_system(schedule.at(round), adversary);
    OrthonormalBasis basis(system.target_count(), index(dimensions[round]));
    basis.append(heard_units(system), system.heard_count());
    if (round + 1 < rounds) {
      basis.append(system.among_targets.transpose() * space, index(dimensions[round]) - system.heard_count());
    }
    condition.merge(basis.condition());
    space = basis.columns();
  }
  return space.rowwise().squaredNorm();
}

/// Each length is computed on its own; what later rounds add must not be undone by rounding.
void keep_monotone(std::vector<std::vector<double>>& curves) {
  for (std::size_t t = 1; t < curves.size(); ++t) {
    for (std::size_t node = 0; node < curves[t].size(); ++node)
      curves[t][node] = std::max(curves[t][node], curves[t - 1][node]);
  }
}

std::vector<NodeId> closed_neighbourhood(const Graph& graph, const Adversary& adversary) {
  const std::vector<NodeId> heard = heard_nodes(graph, adversary);
  std::vector<NodeId> nodes(heard.size() + adversary.colluding.size());
  std::merge(heard.begin(), heard.end(), adversary.colluding.begin(), adversary.colluding.end(),
             nodes.begin());
  return nodes;
}

/// The same space seen by another coalition with the same closed neighbourhood: whoever is heard is known
/// from round 1 on, whoever is a member from the start.
LeverageScores restated_for(LeverageScores scores, const Graph& graph, const Adversary& adversary) {
  scores.rank = scores.rank + scores.adversary.colluding.size() - adversary.colluding.size();
  scores.adversary = adversary;
  for (const NodeId node : heard_nodes(graph, adversary)) scores.first_exact_round[node] = 1;
  for (const NodeId node : adversary.colluding) scores.first_exact_round[node] = 0;
  return scores;
}

}  // namespace

std::string LeverageScores::numerical_note() const {
  if (condition.unresolved == 0) return "";
  return fmt::format(
      "{} of the directions known to the coalition are new by no more than rounding (smallest residual "
      "{:.1e}): leverages strictly between 0 and 1 may be off; those that are 1 are decided exactly",
      condition.unresolved, condition.smallest_residual);
}

double LeverageScores::worst() const {
  double largest = 0;
  for (std::size_t node = 0; node < leverage.size(); ++node) {
    if (first_exact_round[node] != std::size_t{0}) largest = std::max(largest, leverage[node]);
  }
  return largest;
}

double LeverageScores::mean() const {
  const std::size_t others = leverage.size() - adversary.colluding.size();
  if (others == 0) return 0;
  const double members = static_cast<double>(adversary.colluding.size());
  return (std::accumulate(leverage.begin(), leverage.end(), 0.0) - members) / static_cast<double>(others);
}

LeverageScores leverage_scores(const GossipMatrix& matrix, const Adversary& adversary, RoundLimit limit,
                               LeverageCurve curve) {
  return krylov_leverage(matrix, adversary, ExactAnalysis(matrix).of(adversary, limit), curve);
}

std::vector<LeverageScores> leverage_scores(const GossipMatrix& matrix,
                                            std::span<const Adversary> adversaries, RoundLimit limit,
                                            LeverageCurve curve) {
  const ExactAnalysis analysis(matrix);
  std::map<std::pair<bool, std::vector<NodeId>>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < adversaries.size(); ++i) {
    require_schedule({{&matrix, 1}}, adversaries[i]);
    const std::vector<NodeId> nodes = closed_neighbourhood(matrix.graph(), adversaries[i]);
    groups[{nodes.size() > adversaries[i].colluding.size(), nodes}].push_back(i);  // who hears nobody: apart
  }
  std::vector<std::span<const std::size_t>> work;
  work.reserve(groups.size());
  for (const auto& group : groups) work.emplace_back(group.second);
  std::vector<LeverageScores> scores(adversaries.size());
  parallel_for(work.size(), [&](std::size_t g) {
    const Adversary& first = adversaries[work[g].front()];
    const LeverageScores found = krylov_leverage(matrix, first, analysis.of(first, limit), curve);
    for (const std::size_t i : work[g]) scores[i] = restated_for(found, matrix.graph(), adversaries[i]);
  });
  return scores;
}

LeverageScores leverage_scores(const GossipSchedule& schedule, const Adversary& adversary,
                               LeverageCurve curve) {
  const ExactKnowledge exact = exact_knowledge(schedule, adversary);
  LeverageScores scores = scores_from(adversary, exact);
  const std::vector<NodeId> targets = target_nodes(schedule.matrices.front().graph(), adversary);
  const std::size_t first = curve == LeverageCurve::kByRound ? 1 : scores.rounds;
  std::vector<NumericalCondition> conditions(scores.rounds + 1 - first);
  std::vector<std::vector<double>> curves(conditions.size());
  parallel_for(curves.size(), [&](std::size_t i) {
    const std::size_t rounds = first + i;
    curves[i] = decided_leverage(exact, rounds, targets,
                                 backward_leverage(schedule, adversary, rounds, conditions[i]));
  });
  for (const NumericalCondition& condition : conditions) scores.condition.merge(condition);
  keep_monotone(curves);
  scores.leverage = curves.back();
  if (curve == LeverageCurve::kByRound) scores.by_round = std::move(curves);
  return scores;
}

}  // namespace earshot
