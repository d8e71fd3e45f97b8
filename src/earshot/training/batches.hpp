// Which of a node's records each step uses, and what drawing them so does to the step's release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "earshot/mechanism/record_sampler.hpp"

namespace earshot {

/// Who draws: every random choice of a node comes from streams of this address.
struct NodeAddress {
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
  std::uint64_t node = 0;
};

enum class BatchDraw {
  kPoisson,    // every record independently; the batch size is the expected one
  kFixedSize,  // a fresh sample without replacement in every step
  kShuffled    // dealt from one shuffle per epoch: no amplification, one release per epoch
};

struct BatchOptions {
  std::size_t size = 0;  // 0, or more than there are: all records in every step
  BatchDraw draw = BatchDraw::kShuffled;
  bool drop_last = false;  // kShuffled: leave out a last batch that is not full
};

/// Neighbouring data under this way of drawing. With dealt batches a neighbour replaces one record: one batch
/// per epoch then differs in one gradient.
Adjacency adjacency_of(BatchDraw draw);

/// Steps are numbered from 0 and may be asked for in any order.
class Batches {
 public:
  Batches(std::vector<std::size_t> records, const BatchOptions& options, const NodeAddress& address);

  const std::vector<std::size_t>& records() const { return records_; }
  /// The (expected) number of records of a full batch.
  std::size_t size() const { return size_; }
  std::size_t steps_per_epoch() const;
  /// From 1: the passes over the data.
  std::uint64_t epoch_of(std::uint64_t step) const { return step / steps_per_epoch() + 1; }
  /// Valid until the next call. May be empty under kPoisson.
  std::span<const std::size_t> of_step(std::uint64_t step);

  /// The release of applying `inner` (about adjacency_of(draw)) to a step's batch. Batches dealt from one
  /// shuffle hold each record once, so an epoch of them is one release: none for its later steps.
  ReleasePointer release(std::uint64_t step, const ReleasePointer& inner);

 private:
  std::vector<std::size_t> records_;
  BatchOptions options_;
  NodeAddress address_;
  std::size_t size_;
  std::unique_ptr<RecordSampler> sampler_;  // none when dealt
  std::vector<std::size_t> drawn_;          // of a step, or a whole epoch's order
  std::uint64_t dealt_epoch_ = 0;           // whose order is in drawn_; 0: none
  ReleasePointer inner_;                    // whose sampled release is kept, so that the ledger can merge
  ReleasePointer sampled_;
};

}  // namespace earshot
