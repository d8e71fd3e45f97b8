// Which records a step uses, and what drawing them so does to the step's release.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/accounting/release_event.hpp"
#include "earshot/core/random.hpp"
#include "earshot/mechanism/clipping.hpp"

namespace earshot {

/// The sampler issues the event, so a batch that was drawn otherwise cannot be accounted as a Poisson sample.
class RecordSampler {
 public:
  virtual ~RecordSampler() = default;
  /// Indices of the records of one step, ascending.
  virtual std::vector<std::size_t> draw(Stream& stream) const = 0;
  /// The event of applying `inner` to such a sample. `inner` must be about `adjacency()`.
  virtual ReleasePointer release(const ReleasePointer& inner) const = 0;
  virtual Adjacency adjacency() const = 0;
};

/// Every record independently with probability `rate`; samples may be empty.
class PoissonSampler : public RecordSampler {
 public:
  PoissonSampler(std::size_t population, double rate);
  std::vector<std::size_t> draw(Stream& stream) const override;
  ReleasePointer release(const ReleasePointer& inner) const override;
  Adjacency adjacency() const override { return Adjacency::kAddRemove; }

 private:
  std::size_t population_;
  double rate_;
};

/// `sample` of the records, uniformly without replacement, anew in every step.
class FixedSizeSampler : public RecordSampler {
 public:
  FixedSizeSampler(std::size_t population, std::size_t sample);
  std::vector<std::size_t> draw(Stream& stream) const override;
  ReleasePointer release(const ReleasePointer& inner) const override;
  Adjacency adjacency() const override { return Adjacency::kReplace; }

 private:
  std::size_t population_;
  std::size_t sample_;
};

/// All records in every step: nothing is amplified. Also the honest event of batches dealt from one shuffle
/// per epoch, whose sampling no theorem here covers.
class EveryRecord : public RecordSampler {
 public:
  explicit EveryRecord(std::size_t population) : population_(population) {}
  std::vector<std::size_t> draw(Stream& stream) const override;
  ReleasePointer release(const ReleasePointer& inner) const override { return inner; }
  Adjacency adjacency() const override { return Adjacency::kAddRemove; }

 private:
  std::size_t population_;
};

}  // namespace earshot
