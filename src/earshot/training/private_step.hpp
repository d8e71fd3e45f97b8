// DP-SGD (Abadi et al. 2016): each example's gradient is clipped, the sum gets Gaussian noise, and whoever
// drew sample and noise enters the release into the ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/accounting/ledger.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/record_sampler.hpp"
#include "earshot/training/examples.hpp"
#include "earshot/training/worker.hpp"

namespace earshot {

enum class BatchDraw {
  kPoisson,    // every record independently; the batch size is the expected one
  kFixedSize,  // a fresh sample without replacement in every step
  kShuffled    // dealt from one shuffle per epoch: no amplification, one release per epoch
};

struct PrivacyOptions {
  double clip = 1;
  double noise = 1;  // noise multiplier: standard deviation / clip
  double delta = 1e-5;
  BatchDraw draw = BatchDraw::kPoisson;
  std::string accountant = "rdp";
  std::optional<double> budget{};  // epsilon at which training stops
};

/// The ledger's names of the two sides.
inline constexpr const char* kTrainer = "trainer";
inline constexpr const char* kModelReader = "everyone who sees the model";

/// What clipping did so far, over all steps.
struct ClippingCount {
  std::size_t examples = 0;
  std::size_t clipped = 0;
  std::size_t non_finite = 0;
};

/// One step's records and how to differentiate them.
struct StepBatch {
  std::span<const std::size_t> chosen;  // may be none
  std::size_t together = 0;             // evaluated at a time; the sums add up and get their noise once
  std::size_t outputs = 0;
  Parameters parameters;
  std::optional<std::uint64_t> dropout{};
  std::uint64_t pass = 0;
};

/// The noisy mean gradients of one training run and their ledger.
class PrivateSteps {
 public:
  /// `train` are the records to protect, `batch` the (expected) batch size.
  PrivateSteps(const PrivacyOptions& options, std::vector<std::size_t> train, std::size_t batch,
               std::uint64_t seed);

  PrivateSteps(const PrivateSteps&) = delete;  // the keeper refers to the ledger
  PrivateSteps& operator=(const PrivateSteps&) = delete;

  bool deals() const { return options_.draw == BatchDraw::kShuffled; }
  /// The records of a step, unless they are dealt.
  std::vector<std::size_t> draw(std::uint64_t step) const;

  /// Enters a step's release; false when the budget does not allow it, and then the step must not be made.
  /// Batches dealt from one shuffle hold each record once, so their epoch is one release: after the first
  /// step of an epoch nothing is entered.
  bool spend(std::uint64_t step, bool first_of_epoch);

  /// (sum of clipped gradients + noise) / batch.
  void gradient(Worker& worker, Examples& examples, const StepBatch& batch, std::uint64_t step,
                std::span<double> out);

  PrivacyStatement statement() const;
  const Ledger& ledger() const { return ledger_; }
  const ClippingCount& clipping() const { return clipping_; }

 private:
  PrivacyOptions options_;
  std::vector<std::size_t> train_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::unique_ptr<RecordSampler> sampler_;  // none when dealt
  GaussianMechanism mechanism_;
  ReleasePointer release_;  // of one step, or of one epoch when dealt
  Ledger ledger_;
  std::optional<BudgetKeeper> keeper_;
  ClippingCount clipping_;
  std::vector<double> part_;
};

}  // namespace earshot
