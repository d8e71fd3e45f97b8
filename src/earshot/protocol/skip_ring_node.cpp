#include "earshot/protocol/skip_ring_node.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// The nearest point of the ball around the origin.
void project(std::span<double> parameters, double radius) {
  double square = 0;
  for (const double value : parameters) square += value * value;
  const double norm = std::sqrt(square);
  if (norm <= radius) return;
  for (double& value : parameters) value *= radius / norm;
}

/// With its memory: assigning {} keeps that, and a ring of n nodes would end up with n models.
void give_up(std::vector<double>& token) {
  token = std::vector<double>();
}

std::size_t position_of(std::span<const NodeId> neighbours, NodeId node) {
  return static_cast<std::size_t>(std::ranges::lower_bound(neighbours, node) - neighbours.begin());
}

}  // namespace

RingOrder::RingOrder(std::size_t nodes, bool random, std::uint64_t seed, std::uint64_t trial)
    : nodes_(nodes), random_(random), seed_(seed), trial_(trial) {}

NodeId RingOrder::at(std::uint64_t visit) const {
  const std::uint64_t place = visit % nodes_;
  if (!random_) return static_cast<NodeId>(place);
  Stream stream({seed_, Purpose::kParticipation, trial_, 0, visit / nodes_});
  return static_cast<NodeId>(stream.permutation(nodes_)[place]);
}

std::vector<double> RingToken::start(std::span<const double> state) {
  std::vector<double> values(state.begin(), state.end());
  values.resize(state.size() + kHeader, 0.0);
  return values;
}

SkipRingNode::SkipRingNode(const RingRules& rules, NodeId node, LearningTask& task,
                           std::vector<std::size_t> records, const LearnerOptions& options,
                           Protection protection, const NodeAddress& address)
    : rules_(rules),
      node_(node),
      learner_(task, std::move(records), options, std::move(protection), address) {}

void SkipRingNode::begin(std::span<const double> state) {
  token_ = RingToken::start(state);
  phase_ = Phase::kTurn;
  next_visit_ = 1;
}

void SkipRingNode::speak(Round, Outbox& out) {
  neighbours_.assign(out.neighbours().begin(), out.neighbours().end());
  said_ = false;
  if (!incoming_.empty()) {
    token_.swap(incoming_);  // what was said before stays where it is until everybody has spoken
    phase_ = Phase::kTurn;
  }
  if (phase_ == Phase::kTurn) {
    take_turn();
    said_ = phase_ == Phase::kSent;
  } else if (phase_ == Phase::kSent) {
    said_ = time_to_repeat();
  }
  if (said_) out.send(position_of(neighbours_, target_), token_);
  for (const auto& [sender, visit] : to_acknowledge_) {
    if (said_ && sender == target_) continue;  // a newer token says as much
    const auto message = out.compose(1);
    message[0] = static_cast<double>(visit);
    out.send(position_of(neighbours_, sender), message);
  }
}

void SkipRingNode::take_turn() {
  const RingToken token(token_);
  const std::uint64_t visit = token.visit_number();
  if (rules_.clock.in_time(node_, visit)) update(token);
  token.time() += rules_.clock.visit(node_, visit);
  aim();
}

void SkipRingNode::update(const RingToken& token) {
  const std::size_t parameters = learner_.task().parameter_count();
  std::vector<double> gradient(parameters);
  if (!learner_.gradient(token.state(), gradient) || !learner_.protect_update(gradient)) return;
  token.updates() += 1;
  const double step = rules_.step / std::sqrt(token.updates());
  const auto values = token.state().first(parameters);
  for (std::size_t i = 0; i < parameters; ++i) values[i] -= step * gradient[i];
  if (rules_.radius > 0) project(values, rules_.radius);
}

/// The next visit is whose turn it is: with a random order this may be the same node's.
void SkipRingNode::aim() {
  const RingToken token(token_);
  token.visit() += 1;
  const std::uint64_t visit = token.visit_number();
  target_ = rules_.order.at(visit);
  phase_ = target_ == node_ ? Phase::kTurn : Phase::kSent;
  next_visit_ = target_ == node_ ? visit + 1 : visit;
  tries_ = 1;
  acknowledged_ = false;
}

/// An acknowledgement takes a round to come back, so every other round is spent listening.
bool SkipRingNode::time_to_repeat() {
  if (acknowledged_) return false;
  ++tries_;
  if (tries_ % 2 == 0) return false;
  RingToken(token_).time() += rules_.clock.communication();
  if (tries_ < 2 * rules_.attempts) return true;
  aim();
  return phase_ == Phase::kSent;
}

void SkipRingNode::listen(Round, const Inbox& in) {
  give_up(incoming_);
  to_acknowledge_.clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto message = in.from(i);
    if (message.empty()) continue;
    if (message.size() > 1) {
      receive(neighbours_[in.neighbour(i)], message);
    } else if (phase_ == Phase::kSent && static_cast<std::uint64_t>(message[0]) == own_visit()) {
      acknowledged_ = true;
    }
  }
  if (phase_ == Phase::kSent && acknowledged_ && !said_) {
    give_up(token_);
    phase_ = Phase::kNothing;
  }
}

void SkipRingNode::receive(NodeId from, std::span<const double> message) {
  const std::uint64_t visit = RingToken::visit_of(message);
  to_acknowledge_.emplace_back(from, visit);
  if (visit < next_visit_) return;
  next_visit_ = visit + 1;
  incoming_.assign(message.begin(), message.end());
}

void SkipRingNode::append_links(std::vector<Edge>& links) const {
  const auto link = [&](NodeId other) {
    if (other != node_) links.emplace_back(std::min(node_, other), std::max(node_, other));
  };
  for (const auto& [sender, visit] : to_acknowledge_) link(sender);
  const auto newest = token();
  if (newest.empty()) return;
  const std::uint64_t visit = RingToken::visit_of(newest);
  const bool turn = phase_ == Phase::kTurn || !incoming_.empty();
  link(rules_.order.at(turn ? visit + 1 : visit));
  if (!turn && tries_ >= 2 * rules_.attempts) link(rules_.order.at(visit + 1));
}

void SkipRingNode::save(StateWriter& out) const {
  learner_.save(out);
  out.number(static_cast<std::uint64_t>(phase_));
  out.reals(token_);
  out.reals(incoming_);
  out.number(target_);
  out.number(next_visit_);
  out.number(tries_);
  out.number(acknowledged_ ? 1 : 0);
  out.number(to_acknowledge_.size());
  for (const auto& [sender, visit] : to_acknowledge_) {
    out.number(sender);
    out.number(visit);
  }
}

void SkipRingNode::load(StateReader& in) {
  learner_.load(in);
  phase_ = static_cast<Phase>(in.number());
  token_ = in.reals();
  incoming_ = in.reals();
  target_ = static_cast<NodeId>(in.number());
  next_visit_ = in.number();
  tries_ = in.number();
  acknowledged_ = in.number() != 0;
  to_acknowledge_.resize(in.number());
  for (auto& [sender, visit] : to_acknowledge_) {
    sender = static_cast<NodeId>(in.number());
    visit = in.number();
  }
}

}  // namespace earshot
