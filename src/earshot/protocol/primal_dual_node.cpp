#include "earshot/protocol/primal_dual_node.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {

Round Schedule::exchanges() const {
  switch (activation) {
    case Activation::kRandomOne:
      return static_cast<Round>(nodes);
    case Activation::kServer:
      return 2;
    case Activation::kAll:
    case Activation::kProbability:
      return 1;
  }
  fail(Fault::kInternal, "unknown activation");
}

bool Schedule::awake(NodeId node, Round exchange) const {
  switch (activation) {
    case Activation::kAll:
      return true;
    case Activation::kRandomOne:
      return Stream({seed, Purpose::kParticipation, trial, 0, exchange}).below(nodes) == node;
    case Activation::kProbability:
      return Stream({seed, Purpose::kParticipation, trial, node, exchange}).uniform() < probability;
    case Activation::kServer:
      return (node + 1 == nodes) == (exchange % 2 == 1);
  }
  fail(Fault::kInternal, "unknown activation");
}

PrimalDualNode::PrimalDualNode(PrimalDualCommon& common, NodeId node, std::unique_ptr<EdgeVariables> edges,
                               std::unique_ptr<Learner> learner, double scale, std::vector<double> start)
    : common_(common),
      node_(node),
      edges_(std::move(edges)),
      learner_(std::move(learner)),
      scale_(scale),
      state_(std::move(start)) {}

void PrimalDualNode::speak(Round round, Outbox& out) {
  if (out.neighbours().size() != edges_->degree()) {
    fail(Fault::kInternal, "the edges of a primal-dual node never change");
  }
  if (!common_.schedule.awake(node_, round)) return;
  const double curvature = edges_->rho() * static_cast<double>(edges_->degree());
  common_.updater.update(
      {learner_.get(), scale_, curvature}, [&](std::span<double> linear) { edges_->signed_sum(linear); },
      state_);
  require_bounded(round);
  edges_->speak(round / common_.schedule.exchanges(), state_, out);
}

void PrimalDualNode::listen(Round round, const Inbox& in) {
  edges_->listen(state_, common_.schedule.awake(node_, round), in);
}

/// Long before numbers overflow, and far beyond any model.
void PrimalDualNode::require_bounded(Round round) const {
  for (const double value : state_) {
    if (std::abs(value) < 1e100) continue;
    fail(Fault::kNumeric,
         fmt::format("training diverges: node {} has left the range of numbers in exchange {}; raise "
                     "protocol.mu, or lower protocol.alpha or protocol.rho",
                     node_, round));
  }
}

void PrimalDualNode::save(StateWriter& out) const {
  if (learner_) learner_->save(out);
  edges_->save(out);
  out.reals(state_);
}

void PrimalDualNode::load(StateReader& in) {
  if (learner_) learner_->load(in);
  edges_->load(in);
  in.reals(state_);
}

}  // namespace earshot
