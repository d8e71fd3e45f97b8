// Training in one place: minibatches, optimiser, batch norm statistics, early stopping, and privacy on
// request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "earshot/training/learner.hpp"
#include "earshot/training/optimiser.hpp"
#include "earshot/training/scores.hpp"

namespace earshot {

/// The ledger's names of the two sides.
inline constexpr const char* kTrainer = "trainer";
inline constexpr const char* kModelReader = "everyone who sees the model";

struct TrainerOptions {
  std::size_t epochs = 10;
  std::size_t batch = 64;    // 0: all examples in every step
  bool drop_last = false;    // leave out a last batch that is not full
  std::size_t together = 0;  // with privacy: records differentiated at a time; 0: the batch
  std::variant<SgdOptions, AdamOptions> optimiser = AdamOptions{};
  double statistics_momentum = 0.1;  // of batch norm's running statistics
  std::uint64_t seed = 1;
  Precision precision = Precision::kDouble;
  std::optional<PrivacyOptions> privacy;
  /// Stop after this many epochs without a better validation loss, and go back to the best; 0: never.
  std::size_t patience = 0;
  double least_gain = 0;  // an epoch is better if its loss is lower by more than this
};

/// Which examples are for what. Parts must not overlap; validation and test may be empty.
struct TrainingParts {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

struct EpochReport {
  std::size_t epoch = 0;  // from 1
  std::optional<double>
      train_loss;  // mean over the epoch's steps; absent with privacy, which does not cover it
  std::optional<Scores> validation;
  std::optional<Scores> test;
  std::optional<double> epsilon;  // spent so far
};

struct TrainingResult {
  std::vector<EpochReport> epochs;
  std::uint64_t steps = 0;
  bool interrupted = false;  // Ctrl-C: parameters are those of the last step
  bool stopped_early = false;
  bool budget_exhausted = false;  // the next step would have cost more than the budget
  std::optional<PrivacyStatement> statement;
  std::optional<Ledger> ledger;
  std::optional<ClippingCount> clipping;
};

/// Trains `parameters` (already initialised) and the model's buffers in place. `on_epoch` hears of every
/// epoch. The same options give the same parameters to the bit.
TrainingResult train(Model& model, std::span<double> parameters, const Examples& examples,
                     const TrainingParts& parts, const TrainerOptions& options,
                     const std::function<void(const EpochReport&)>& on_epoch = {});

}  // namespace earshot
