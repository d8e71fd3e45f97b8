#include "earshot/training/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

void check(const LearningTask& task, const Protection& protection, BatchDraw draw) {
  if (protection.scope != ProtectedScope::kExample) return;
  if (task.examples().connected()) {
    fail(Fault::kConfig,
         "clipping per node does not protect a node: its features enter the losses of its neighbours");
  }
  if (protection.mechanism->terms().adjacency != adjacency_name(adjacency_of(draw))) {
    fail(Fault::kInternal, "the noise was made for another way of drawing batches");
  }
}

ProtectedUnit unit_of(const MechanismTerms& terms) {
  return {terms.unit, terms.adjacency};
}

}  // namespace

Learner::Learner(LearningTask& task, std::vector<std::size_t> records, const LearnerOptions& options,
                 Protection protection, const NodeAddress& address)
    : task_(task),
      batches_(std::move(records), options.batch, address),
      options_(options),
      protection_(std::move(protection)),
      address_(address) {
  check(task, protection_, options.batch.draw);
  if (options_.together == 0) options_.together = batches_.size();
  if (protection_.budget) {
    keeper_.emplace(ledger_, Budget{*protection_.budget, protection_.delta, protection_.accountant});
  }
}

/// An epoch of dealt batches is one release, entered with its first step.
bool Learner::spend(const ReleasePointer& release, std::uint64_t when) {
  if (exhausted_) return false;
  if (!release) return true;
  const ProtectedUnit unit = unit_of(protection_.mechanism->terms());
  if (keeper_) {
    exhausted_ = !keeper_->spend(options_.name, options_.observer, unit, when, release);
    return !exhausted_;
  }
  ledger_.record(options_.name, options_.observer, unit, when, release);
  return true;
}

Stream Learner::noise(std::uint64_t address) const {
  return Stream({address_.seed, Purpose::kPrivacyNoise, address_.trial, address_.node, address});
}

bool Learner::gradient(std::span<double> state, std::span<double> out) {
  const ReleasePointer inner = protection_.mechanism->release();
  if (protection_.scope == ProtectedScope::kUpdate) {
    if (exhausted_) return false;
  } else {
    const bool sampled = protection_.scope == ProtectedScope::kExample;
    if (!spend(sampled ? batches_.release(steps_, inner) : inner, steps_)) return false;
  }
  const std::uint64_t dropout =
      Stream({address_.seed, Purpose::kDropout, address_.trial, address_.node, steps_}).bits();
  step_gradient(state, {batches_.of_step(steps_), batches_.epoch_of(steps_), dropout}, out);
  ++steps_;
  return true;
}

void Learner::step_gradient(std::span<double> state, const LearningTask::Look& look, std::span<double> out) {
  if (protection_.scope == ProtectedScope::kExample) {
    const ClippingReport report =
        task_.clipped_sum(state, look, protection_.norm, protection_.clip, options_.together, out);
    clipping_.examples += look.records.size();
    clipping_.clipped += report.clipped;
    clipping_.non_finite += report.non_finite;
    Stream stream = noise(steps_);
    protection_.mechanism->simulate(out, stream);
    for (double& value : out) value /= static_cast<double>(batches_.size());
    return;
  }
  const bool open = protection_.scope == ProtectedScope::kNothing;
  if (look.records.empty()) {
    std::ranges::fill(out, 0.0);
  } else {
    const double loss =
        task_.gradient(state, look, out, open ? std::optional(options_.statistics_momentum) : std::nullopt);
    loss_sum_ += loss * static_cast<double>(look.records.size());
    loss_records_ += look.records.size();
  }
  if (protection_.scope == ProtectedScope::kBatch) protect_whole(out, steps_);
}

void Learner::protect_whole(std::span<double> value, std::uint64_t address) {
  if (!all_finite(value)) {
    ++clipping_.non_finite;
    std::ranges::fill(value, 0.0);
  }
  Stream stream = noise(address);
  protection_.mechanism->simulate(value, stream);
}

bool Learner::protect_update(std::span<double> update) {
  if (protection_.scope != ProtectedScope::kUpdate) return true;
  if (!spend(protection_.mechanism->release(), updates_)) return false;
  protect_whole(update, updates_);
  ++updates_;
  return true;
}

std::pair<std::vector<std::size_t>, std::uint64_t> Learner::records_of_step(std::uint64_t step) {
  const auto records = batches_.of_step(step);
  return {{records.begin(), records.end()}, batches_.epoch_of(step)};
}

std::optional<double> Learner::take_loss() {
  const double sum = std::exchange(loss_sum_, 0);
  const std::size_t records = std::exchange(loss_records_, 0);
  if (protection_.scope != ProtectedScope::kNothing || records == 0) return {};
  return sum / static_cast<double>(records);
}

PrivacyStatement Learner::nothing_released() const {
  PrivacyStatement statement = statement_of_run(protection_.mechanism->terms());
  statement.epsilon = 0;
  statement.definition = "nothing was released";
  statement.adversary = options_.observer;
  return statement;
}

PrivacyStatement Learner::statement() const {
  if (protection_.scope == ProtectedScope::kNothing) return no_privacy();
  if (ledger_.entries().empty()) return nothing_released();
  PrivacyStatement statement =
      ledger_.statement({options_.name, options_.observer}, protection_.accountant, protection_.delta);
  if (protection_.scope == ProtectedScope::kExample && options_.batch.draw == BatchDraw::kShuffled) {
    statement.assumptions.emplace_back(
        "each epoch deals every record into one batch at most, so an epoch is one release");
  }
  statement.assumptions.insert(statement.assumptions.end(), options_.assumptions.begin(),
                               options_.assumptions.end());
  for (const std::string& assumption : statement_of_run(protection_.mechanism->terms()).assumptions) {
    statement.assumptions.push_back(assumption);
  }
  return statement;
}

void Learner::save(StateWriter& out) const {
  out.number(steps_);
  out.number(updates_);
  out.number(participations_);
  out.number(exhausted_ ? 1 : 0);
  out.real(loss_sum_);
  out.number(loss_records_);
  out.number(clipping_.examples);
  out.number(clipping_.clipped);
  out.number(clipping_.non_finite);
  out.text(ledger_.to_text());
}

void Learner::load(StateReader& in) {
  steps_ = in.number();
  updates_ = in.number();
  participations_ = in.number();
  exhausted_ = in.number() != 0;
  loss_sum_ = in.real();
  loss_records_ = in.number();
  clipping_.examples = in.number();
  clipping_.clipped = in.number();
  clipping_.non_finite = in.number();
  ledger_ = Ledger::from_text(in.text(), "checkpoint");
  if (keeper_) {
    keeper_.emplace(ledger_, Budget{*protection_.budget, protection_.delta, protection_.accountant});
  }
}

}  // namespace earshot
