#include "earshot/training/private_step.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::unique_ptr<RecordSampler> make_sampler(BatchDraw draw, std::size_t population, std::size_t batch) {
  if (population == 0 || batch == 0 || batch > population) {
    fail(Fault::kConfig, fmt::format("a batch of {} cannot be drawn from {} records", batch, population));
  }
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

/// With dealt batches a neighbour replaces one record: one batch per epoch then differs in one gradient.
Adjacency adjacency_of(const RecordSampler* sampler) {
  return sampler == nullptr ? Adjacency::kReplace : sampler->adjacency();
}

GaussianMechanism mechanism(const PrivacyOptions& options, Adjacency adjacency) {
  require_positive(options.clip, "the clipping bound");
  require_positive(options.noise, "the noise multiplier");
  const double sensitivity = clipped_sensitivity(ClipScope::kExample, options.clip, adjacency);
  return {promised_terms(Norm::kL2, sensitivity, adjacency, "record"), options.noise * options.clip,
          options.delta};
}

}  // namespace

PrivateSteps::PrivateSteps(const PrivacyOptions& options, std::vector<std::size_t> train, std::size_t batch,
                           std::uint64_t seed)
    : options_(options),
      train_(std::move(train)),
      batch_(batch),
      seed_(seed),
      sampler_(make_sampler(options.draw, train_.size(), batch)),
      mechanism_(mechanism(options, adjacency_of(sampler_.get()))),
      release_(sampler_ ? sampler_->release(mechanism_.release()) : mechanism_.release()) {
  if (options_.budget) {
    keeper_.emplace(ledger_, Budget{*options_.budget, options_.delta, options_.accountant});
  }
}

std::vector<std::size_t> PrivateSteps::draw(std::uint64_t step) const {
  Stream stream({seed_, Purpose::kTraining, 0, 1, step});
  std::vector<std::size_t> chosen = sampler_->draw(stream);
  for (std::size_t& index : chosen) index = train_[index];
  return chosen;
}

bool PrivateSteps::spend(std::uint64_t step, bool first_of_epoch) {
  if (deals() && !first_of_epoch) return true;
  const MechanismTerms terms = mechanism_.terms();
  const ProtectedUnit unit{terms.unit, terms.adjacency};
  if (keeper_) return keeper_->spend(kTrainer, kModelReader, unit, step, release_);
  ledger_.record(kTrainer, kModelReader, unit, step, release_);
  return true;
}

void PrivateSteps::gradient(Worker& worker, Examples& examples, const StepBatch& batch, std::uint64_t step,
                            std::span<double> out) {
  std::ranges::fill(out, 0.0);
  part_.resize(out.size());
  for (std::size_t start = 0; start < batch.chosen.size(); start += batch.together) {
    const auto some = batch.chosen.subspan(start, std::min(batch.together, batch.chosen.size() - start));
    Problems<double> problem = examples.gather(some, batch.outputs, batch.pass);
    problem.parameters = batch.parameters;
    problem.dropout = batch.dropout;
    const ClippingReport report = worker.clipped_sum(problem, options_.clip, part_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += part_[i];
    clipping_.clipped += report.clipped;
    clipping_.non_finite += report.non_finite;
  }
  clipping_.examples += batch.chosen.size();
  Stream noise({seed_, Purpose::kPrivacyNoise, 0, 0, step});
  mechanism_.simulate(out, noise);
  for (double& value : out) value /= static_cast<double>(batch_);
}

PrivacyStatement PrivateSteps::statement() const {
  PrivacyStatement statement =
      ledger_.statement({kTrainer, kModelReader}, options_.accountant, options_.delta);
  if (deals()) {
    statement.assumptions.emplace_back(
        "each epoch deals every record into one batch at most, so an epoch is one release");
  }
  for (const std::string& assumption : statement_of_run(mechanism_.terms()).assumptions) {
    statement.assumptions.push_back(assumption);
  }
  return statement;
}

}  // namespace earshot
