// One node's private records and the only code that touches them: it draws batches, clips, adds noise, and
// enters what it lets out into a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "earshot/accounting/ledger.hpp"
#include "earshot/core/state.hpp"
#include "earshot/training/batches.hpp"
#include "earshot/training/learning_task.hpp"
#include "earshot/training/protection.hpp"

namespace earshot {

/// What clipping did so far, over all steps.
struct ClippingCount {
  std::size_t examples = 0;
  std::size_t clipped = 0;
  std::size_t non_finite = 0;
};

struct LearnerOptions {
  BatchOptions batch;
  std::size_t together = 0;  // kExample: records differentiated at a time; 0: the batch
  double statistics_momentum = 0.1;
  std::string name = "trainer";                             // in the ledger
  std::string observer = "everyone who sees its messages";  // to whom its releases go
  std::vector<std::string> assumptions{};                   // of the protocol, added to statements
};

class Learner {
 public:
  Learner(LearningTask& task, std::vector<std::size_t> records, const LearnerOptions& options,
          Protection protection, const NodeAddress& address);
  Learner(const Learner&) = delete;  // the budget's keeper refers to the ledger
  Learner& operator=(const Learner&) = delete;

  LearningTask& task() const { return task_; }
  const std::vector<std::size_t>& records() const { return batches_.records(); }
  std::size_t steps_per_epoch() const { return batches_.steps_per_epoch(); }
  const Protection& protection() const { return protection_; }

  /// The next step's gradient of the mean loss at `state`: of its batch, clipped and noised where steps are
  /// protected; with records unprotected also the running statistics in `state` move. False, and nothing has
  /// happened, when the budget allows no such release. A batch without records gives zero (and noise).
  bool gradient(std::span<double> state, std::span<double> out);
  /// What a round changed, about to be sent: clipped and noised where updates are protected, untouched
  /// otherwise. False, and nothing has happened, when the budget allows no such release.
  bool protect_update(std::span<double> update);
  /// It takes part in a round of training.
  void take_part() { ++participations_; }

  /// Steps made so far.
  std::uint64_t steps() const { return steps_; }
  /// Which records a step used or will use, and in which pass over the data: for those who score attacks.
  std::pair<std::vector<std::size_t>, std::uint64_t> records_of_step(std::uint64_t step);
  std::uint64_t participations() const { return participations_; }
  bool exhausted() const { return exhausted_; }
  /// Mean loss over the records of the steps since the last call; none under protection, which does not cover
  /// it, and none without steps.
  std::optional<double> take_loss();
  const ClippingCount& clipping() const { return clipping_; }
  const Ledger& ledger() const { return ledger_; }
  /// What the releases so far promise this node; with nothing released, epsilon is 0.
  PrivacyStatement statement() const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  bool spend(const ReleasePointer& release, std::uint64_t when);
  PrivacyStatement nothing_released() const;
  void step_gradient(std::span<double> state, const LearningTask::Look& look, std::span<double> out);
  /// Clips and adds noise; what is not finite counts as zero, because staying silent would tell.
  void protect_whole(std::span<double> value, std::uint64_t address);
  Stream noise(std::uint64_t address) const;

  LearningTask& task_;
  Batches batches_;
  LearnerOptions options_;
  Protection protection_;
  NodeAddress address_;
  std::uint64_t steps_ = 0;
  std::uint64_t updates_ = 0;  // protected ones
  std::uint64_t participations_ = 0;
  bool exhausted_ = false;
  double loss_sum_ = 0;
  std::size_t loss_records_ = 0;
  ClippingCount clipping_;
  Ledger ledger_;
  std::optional<BudgetKeeper> keeper_;
};

}  // namespace earshot
