#include "earshot/attack/leak/primal_dual_gradients.hpp"

#include <vector>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;

bool solves_exactly(LocalRule rule) {
  return rule == LocalRule::kExact || rule == LocalRule::kSteps;
}

/// rho d_i.
double penalty(const PrimalDualTranscript& transcript, NodeId node) {
  return transcript.facts().rho * static_cast<double>(transcript.network().degree(node));
}

SteppedDifference exactly(VectorXd known) {
  VectorXd bend = VectorXd::Zero(known.size());
  return {std::move(known), std::move(bend)};
}

void require_published_setting(const PrimalDualTranscript& transcript) {
  const PrimalDualFacts& facts = transcript.facts();
  bool together = facts.exchanges == 1;
  std::span<const Round> first;
  for (NodeId node = 0; node < transcript.network().node_count() && together; ++node) {
    const std::span<const Round> steps = transcript.steps(node);
    if (first.empty()) first = steps;
    together = steps.empty() || std::ranges::equal(steps, first);
  }
  if (facts.theta != 1 || !together)
    fail(Fault::kConfig,
         "the published form of the difference is for pdmm with theta = 1 and activation = \"all\"; use the "
         "form from one round to the next");
}

}  // namespace

double bend_factor(LocalRule rule, double step) {
  if (solves_exactly(rule)) return 0;
  return rule == LocalRule::kOneStep ? 1 / step : step;
}

std::optional<SteppedDifference> gradient_difference(const PrimalDualTranscript& transcript, NodeId node,
                                                     std::size_t m, LocalRule rule, Links links) {
  const std::span<const Round> steps = transcript.steps(node);
  const double weight = penalty(transcript, node);
  const auto moved = model_change(transcript, node, m, m + 1, links);
  if (!moved) return {};
  if (solves_exactly(rule)) {
    const auto pulled = transcript.dual_change(node, steps[m], steps[m + 1]);
    if (!pulled) return {};
    return exactly(-*pulled - weight * *moved);
  }
  const auto moved_next = model_change(transcript, node, m + 1, m + 2, links);
  if (!moved_next) return {};
  const auto pulled = transcript.dual_change(node, steps[m + 1], steps[m + 2]);
  if (!pulled) return {};
  const VectorXd& dragged = rule == LocalRule::kOneStep ? *moved : *moved_next;
  return SteppedDifference{-*pulled - weight * dragged, *moved_next - *moved};
}

std::optional<SteppedDifference> whole_gradient(const PrimalDualTranscript& transcript, NodeId node,
                                                std::size_t m, LocalRule rule, Links links) {
  const std::span<const Round> steps = transcript.steps(node);
  const double weight = penalty(transcript, node);
  const auto model = model_at_known_link(transcript, node, m, links);
  if (!model) return {};
  if (solves_exactly(rule)) {
    const auto pull = transcript.dual(node, steps[m]);
    if (!pull) return {};
    return exactly(-*pull - weight * *model);
  }
  const auto moved = model_change(transcript, node, m, m + 1, links);
  if (!moved) return {};
  const auto pull = transcript.dual(node, steps[m + 1]);
  if (!pull) return {};
  const VectorXd dragged = rule == LocalRule::kOneStep ? *model : VectorXd(*model + *moved);
  return SteppedDifference{-*pull - weight * dragged, *moved};
}

std::optional<SteppedDifference> published_difference(const PrimalDualTranscript& transcript, NodeId node,
                                                      std::size_t m, LocalRule rule,
                                                      const ModelGuess& models) {
  require_published_setting(transcript);
  const std::size_t last = solves_exactly(rule) ? m + 2 : m + 3;
  std::vector<VectorXd> w;
  for (std::size_t k = m; k <= last; ++k) {
    auto model = models(node, k);
    if (!model) return {};
    w.push_back(std::move(*model));
  }
  VectorXd around = VectorXd::Zero(transcript.size());
  for (const NodeId neighbour : transcript.network().neighbours(node)) {
    const auto model = models(neighbour, last - 1);
    if (!model) return {};
    around += *model;
  }
  const double weight = penalty(transcript, node);
  const VectorXd pulled = 2 * transcript.facts().rho * around;
  if (solves_exactly(rule)) return exactly(weight * (w[0] + w[2]) - pulled);
  if (rule == LocalRule::kOneStep)
    return SteppedDifference{weight * (w[2] - w[0] + 2 * w[1]) - pulled, w[2] - w[0] - w[3] + w[1]};
  return SteppedDifference{weight * (w[1] + w[3]) - pulled, w[1] - w[3] - w[0] + w[2]};
}

}  // namespace earshot
