#include "earshot/attack/leak/honest_sums.hpp"

#include <algorithm>
#include <optional>

#include "earshot/graph/edge_sign.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;

/// One component, and the step of each node whose model its gradient is taken at.
class Component {
 public:
  Component(const PrimalDualTranscript& transcript, LocalRule rule, Links links, std::vector<NodeId> nodes)
      : transcript_(transcript), rule_(rule), links_(links), nodes_(std::move(nodes)) {}

  std::optional<HonestSum> sum(Round at) {
    for (const NodeId node : nodes_) {
      const auto step = transcript_.step_at(node, at);
      const auto model = step ? model_along_links(transcript_, node, *step, links_) : std::nullopt;
      if (!model || *step + ahead() >= transcript_.steps(node).size()) return {};
      steps_.push_back(*step);
      models_.push_back(*model);
    }
    SteppedDifference total{VectorXd::Zero(transcript_.size()), VectorXd::Zero(transcript_.size())};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!add_own(i, total) || !add_links(i, total.known)) return {};
    }
    return HonestSum{nodes_, steps_, models_, std::move(total)};
  }

 private:
  /// Inexact updates have their gradient at the model before the step.
  std::size_t ahead() const { return bend_factor(rule_, 1) == 0 ? 0 : 1; }
  std::size_t position(NodeId node) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
  }
  /// When z was read for the gradient of the node.
  Round read_at(std::size_t i) const { return transcript_.steps(nodes_[i])[steps_[i] + ahead()]; }

  /// - rho d w, and what the rule adds.
  bool add_own(std::size_t i, SteppedDifference& total) const {
    const double weight =
        transcript_.facts().rho * static_cast<double>(transcript_.network().degree(nodes_[i]));
    total.known -= weight * models_[i];
    if (ahead() == 0) return true;
    const auto moved = model_change(transcript_, nodes_[i], steps_[i], steps_[i] + 1, links_);
    if (!moved) return false;
    if (rule_ == LocalRule::kParabola) total.known -= weight * *moved;
    total.bend += *moved;
    return true;
  }

  bool add_links(std::size_t i, VectorXd& total) const {
    for (const NodeId neighbour : transcript_.network().neighbours(nodes_[i])) {
      const bool honest = !transcript_.member(neighbour);
      if (honest && neighbour < nodes_[i]) continue;  // counted at the other end
      const auto z =
          honest ? apart(i, position(neighbour)) : transcript_.value(nodes_[i], neighbour, read_at(i));
      if (!z) return false;
      total -= edge_sign(nodes_[i], neighbour) * *z;
    }
    return true;
  }

  /// z_{i|j} - z_{j|i}, each when it was read: from i's message, which is theta times that and 2 rho B w_i,
  /// and what was said since.
  std::optional<VectorXd> apart(std::size_t i, std::size_t j) const {
    const NodeId a = nodes_[i], b = nodes_[j];
    const Round step = transcript_.steps(a)[steps_[i]];
    const auto message = transcript_.change(b, a, step, step + 1);
    const auto held = transcript_.change(a, b, step, read_at(i));
    const auto made = transcript_.change(b, a, step, read_at(j));
    if (!message || !held || !made) return {};
    const PrimalDualFacts& facts = transcript_.facts();
    return *message / facts.theta - 2 * facts.rho * edge_sign(a, b) * models_[i] + *held - *made;
  }

  const PrimalDualTranscript& transcript_;
  LocalRule rule_;
  Links links_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> steps_;
  std::vector<VectorXd> models_;
};

}  // namespace

std::vector<std::vector<NodeId>> honest_components(const PrimalDualTranscript& transcript) {
  const Graph& network = transcript.network();
  std::vector<char> seen(network.node_count(), 0);
  std::vector<std::vector<NodeId>> all;
  for (NodeId first = 0; first < network.node_count(); ++first) {
    if (seen[first] != 0 || transcript.member(first)) continue;
    seen[first] = 1;
    std::vector<NodeId> found{first};
    for (std::size_t next = 0; next < found.size(); ++next) {
      for (const NodeId neighbour : network.neighbours(found[next])) {
        if (seen[neighbour] != 0 || transcript.member(neighbour)) continue;
        seen[neighbour] = 1;
        found.push_back(neighbour);
      }
    }
    std::ranges::sort(found);
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<HonestSum> honest_sums(const PrimalDualTranscript& transcript, LocalRule rule, Round at,
                                   Links links) {
  std::vector<HonestSum> sums;
  for (std::vector<NodeId>& nodes : honest_components(transcript)) {
    if (auto sum = Component(transcript, rule, links, std::move(nodes)).sum(at))
      sums.push_back(std::move(*sum));
  }
  return sums;
}

}  // namespace earshot
