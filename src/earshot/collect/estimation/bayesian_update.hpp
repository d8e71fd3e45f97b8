// Iterative Bayesian update: the distribution of places that makes the reports most likely, by EM, over one
// mechanism or several.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/estimation/mixture_kernel.hpp"
#include "earshot/collect/location/channel.hpp"

namespace earshot {

/// How often every report came through a channel.
struct ReportBatch {
  Channel channel{};
  std::vector<double> counts{};  // one per report
};

/// The likelihood of a distribution of places given batches of reports, each through a mechanism of its own
/// (generalised IBU, ElSalamouny & Palamidessi 2020): the transposed channels stacked, every report weighted
/// by its share of all reports.
class ReportLikelihood {
 public:
  explicit ReportLikelihood(std::span<const ReportBatch> batches);
  explicit ReportLikelihood(const ReportBatch& batch) : ReportLikelihood(std::span(&batch, 1)) {}

  const DenseKernel& kernel() const { return kernel_; }
  std::span<const double> weights() const { return weights_; }
  double reports() const { return reports_; }

 private:
  DenseKernel kernel_;
  std::vector<double> weights_;
  double reports_;
};

struct BayesianUpdateOptions {
  std::size_t iterations = 1000;  // passes over the reports, at most
  double precision =
      0;  // stops once the log-likelihood per report is this close to its maximum, in nats; 0: never
  std::vector<double> start{};  // positive everywhere, because zeros stay; empty: uniform
  bool accelerated =
      false;  // squared extrapolation (Varadhan & Roland 2008), for the maximum; a few plain steps regularise
};

struct PlaceEstimate {
  std::vector<double> distribution{};
  double log_likelihood = 0;  // per report, in nats
  double gap = 0;             // how much higher it could be
  std::size_t iterations = 0;
};

PlaceEstimate estimate_places(const ReportLikelihood& likelihood, const BayesianUpdateOptions& options);
/// The same on any kernel with one row per report, for example a truncated channel transposed; weights add up
/// to 1.
PlaceEstimate estimate_places(const MixtureKernel& kernel, std::span<const double> weights,
                              const BayesianUpdateOptions& options);

}  // namespace earshot
