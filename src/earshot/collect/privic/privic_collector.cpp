#include "earshot/collect/privic/privic_collector.hpp"

#include <numeric>
#include <utility>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

PrivicCollector::PrivicCollector(const Distances& distances, const PrivicOptions& options)
    : options_(options),
      mechanism_(distances, options.beta),
      estimate_(uniform_distribution(distances.inputs)) {
  if (distances.inputs != distances.outputs)
    fail(Fault::kData, "PRIVIC reports the places themselves; give the distances between them");
  renew_mechanism();
  reporting_ = estimating_;
}

void PrivicCollector::renew_mechanism() {
  const BlahutArimotoRun run = mechanism_.run(estimate_, {.iterations = options_.mechanism_iterations});
  mechanism_gap_ = run.gap;
  if (options_.as_published) reporting_ = std::move(estimating_);
  estimating_ = mechanism_.channel(run.shape);
  if (!options_.as_published) reporting_ = estimating_;
}

void PrivicCollector::receive(std::span<const double> counts) {
  batches_.push_back({estimating_, {counts.begin(), counts.end()}});
  const ReportLikelihood likelihood(batches_.back());
  BayesianUpdateOptions update{.iterations = options_.estimate_iterations};
  if (options_.warm_start) update.start = estimate_;
  std::vector<double> next = estimate_places(likelihood, update).distribution;
  // The uniform start is no estimate: the first cycle replaces it.
  const double kept = options_.combine ? reports_ / (reports_ + likelihood.reports()) : 0;
  for (std::size_t x = 0; x < next.size(); ++x) next[x] = kept * estimate_[x] + (1 - kept) * next[x];
  reports_ += likelihood.reports();
  last_change_ = total_variation(next, estimate_);
  estimate_ = std::move(next);
  renew_mechanism();
}

PlaceEstimate PrivicCollector::pooled(const BayesianUpdateOptions& options) const {
  return estimate_places(ReportLikelihood(batches_), options);
}

}  // namespace earshot
