#include "earshot/protocol/decentralised_node.hpp"

#include <algorithm>
#include <utility>

namespace earshot {

VectorPool::Loan::Loan(VectorPool& pool) : pool_(pool) {
  const std::lock_guard lock(pool_.lock_);
  if (!pool_.idle_.empty()) {
    values_ = std::move(pool_.idle_.back());
    pool_.idle_.pop_back();
  } else {
    values_.resize(pool_.size_);
  }
}

VectorPool::Loan::~Loan() {
  const std::lock_guard lock(pool_.lock_);
  pool_.idle_.push_back(std::move(values_));
}

DecentralisedNode::DecentralisedNode(const Common& common, NodeId node, std::unique_ptr<Learner> learner,
                                     const Memory& memory)
    : common_(common), node_(node), learner_(std::move(learner)), memory_(memory) {}

void DecentralisedNode::speak(Round round, Outbox& out) {
  const Round gossip_steps = common_.options.gossip_steps;
  if (round % gossip_steps == 0) adapt(round / gossip_steps);
  out.broadcast(memory_.current);
}

/// A node that is too late makes no step of its own in this round; it still takes part in averaging.
void DecentralisedNode::adapt(Round training_round) {
  const bool late = !common_.clock.in_time(node_, training_round);
  if (common_.options.order == AveragingOrder::kAdaptThenCombine) {
    if (!late) descend(memory_.current);
    return;
  }
  std::ranges::copy(memory_.current, memory_.step.begin());
  if (!late) descend(memory_.step);
  for (std::size_t i = 0; i < memory_.step.size(); ++i) memory_.step[i] -= memory_.current[i];
}

/// Where rounds are protected as a whole, all that leaves the node of its steps is their protected sum.
void DecentralisedNode::descend(std::span<double> state) {
  if (learner_->protection().scope != ProtectedScope::kUpdate) {
    take_steps(state);
    return;
  }
  VectorPool::Loan loan(common_.scratch);
  const std::span<double> update = loan.values();
  const auto parameters = state.first(update.size());
  std::ranges::copy(parameters, update.begin());
  const bool moved = take_steps(state);
  for (std::size_t i = 0; i < update.size(); ++i) {
    const double start = update[i];
    update[i] = parameters[i] - start;
    parameters[i] = start;
  }
  if (!moved || !learner_->protect_update(update)) return;
  for (std::size_t i = 0; i < update.size(); ++i) parameters[i] += update[i];
}

/// False when the budget allowed none.
bool DecentralisedNode::take_steps(std::span<double> state) {
  VectorPool::Loan loan(common_.scratch);
  const std::span<double> gradient = loan.values();
  for (std::size_t step = 0; step < common_.options.local_steps; ++step) {
    if (!learner_->gradient(state, gradient)) return step > 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      state[i] -= common_.options.learning_rate * gradient[i];
    }
  }
  return true;
}

void DecentralisedNode::listen(Round round, const Inbox& in) {
  const auto& mixing = common_.options.mixing;
  const double omega = mixing.empty() ? 1.0 : mixing[round % common_.options.gossip_steps];
  mix_neighbourhood(common_.topology.row(node_), omega, in,
                    {memory_.previous, memory_.current, memory_.next});
}

void DecentralisedNode::finish(Round round) {
  if (!memory_.previous.empty()) std::swap(memory_.previous, memory_.current);
  std::swap(memory_.current, memory_.next);
  const Round gossip_steps = common_.options.gossip_steps;
  if (round % gossip_steps + 1 != gossip_steps) return;
  rounds_ = round / gossip_steps + 1;
  // A node that misses the start of the next round must not take this step twice.
  for (std::size_t i = 0; i < memory_.step.size(); ++i) {
    memory_.current[i] += std::exchange(memory_.step[i], 0.0);
  }
}

void DecentralisedNode::save(StateWriter& out) const {
  learner_->save(out);
  out.number(rounds_);
  out.reals(memory_.current);
  out.reals(memory_.previous);
  out.reals(memory_.step);
}

void DecentralisedNode::load(StateReader& in) {
  learner_->load(in);
  rounds_ = static_cast<Round>(in.number());
  in.reals(memory_.current);
  in.reals(memory_.previous);
  in.reals(memory_.step);
}

}  // namespace earshot
