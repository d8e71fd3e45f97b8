#include "earshot/training/batches.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::unique_ptr<RecordSampler> make_sampler(BatchDraw draw, std::size_t population, std::size_t batch) {
  switch (draw) {
    case BatchDraw::kPoisson:
      return std::make_unique<PoissonSampler>(population,
                                              static_cast<double>(batch) / static_cast<double>(population));
    case BatchDraw::kFixedSize:
      return std::make_unique<FixedSizeSampler>(population, batch);
    case BatchDraw::kShuffled:
      return nullptr;
  }
  fail(Fault::kInternal, "unknown way to draw a batch");
}

}  // namespace

Adjacency adjacency_of(BatchDraw draw) {
  return draw == BatchDraw::kPoisson ? Adjacency::kAddRemove : Adjacency::kReplace;
}

Batches::Batches(std::vector<std::size_t> records, const BatchOptions& options, const NodeAddress& address)
    : records_(std::move(records)),
      options_(options),
      address_(address),
      size_(options.size == 0 ? records_.size() : std::min(options.size, records_.size())) {
  if (records_.empty()) fail(Fault::kConfig, "a node that learns needs at least one record");
  sampler_ = make_sampler(options.draw, records_.size(), size_);
}

std::size_t Batches::steps_per_epoch() const {
  const std::size_t whole = records_.size() / size_;
  return options_.drop_last || records_.size() % size_ == 0 ? whole : whole + 1;
}

std::span<const std::size_t> Batches::of_step(std::uint64_t step) {
  if (sampler_) {
    Stream stream({address_.seed, Purpose::kTraining, address_.trial, 2 * address_.node + 1, step});
    drawn_ = sampler_->draw(stream);
    for (std::size_t& index : drawn_) index = records_[index];
    return drawn_;
  }
  const std::uint64_t epoch = epoch_of(step);
  if (epoch != dealt_epoch_) {
    Stream stream({address_.seed, Purpose::kTraining, address_.trial, 2 * address_.node, epoch});
    drawn_ = stream.permutation(records_.size());
    for (std::size_t& index : drawn_) index = records_[index];
    dealt_epoch_ = epoch;
  }
  const std::size_t start = step % steps_per_epoch() * size_;
  return std::span<const std::size_t>(drawn_).subspan(start, std::min(size_, drawn_.size() - start));
}

ReleasePointer Batches::release(std::uint64_t step, const ReleasePointer& inner) {
  if (!sampler_) return step % steps_per_epoch() == 0 ? inner : nullptr;
  if (inner != inner_) {
    inner_ = inner;
    sampled_ = sampler_->release(inner);
  }
  return sampled_;
}

}  // namespace earshot
