// PRIVIC (Biswas & Palamidessi 2024, Algorithm 1): the collector learns the distribution of places from
// reports, and makes every next cycle's mechanism from what it has learnt.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/estimation/bayesian_update.hpp"
#include "earshot/collect/estimation/blahut_arimoto.hpp"

namespace earshot {

struct PrivicOptions {
  double beta = 1;                       // every report is 2 beta-d-private
  std::size_t mechanism_iterations = 8;  // of Blahut-Arimoto, from the uniform marginal in every cycle
  std::size_t estimate_iterations = 10;  // of the Bayesian update; stopping early regularises
  bool warm_start = true;                // the update starts from the last estimate, not from the uniform one
  bool combine = true;  // an estimate is averaged with those before it, by numbers of reports; false: the
                        // last alone counts
  /// Algorithm 1 as it is printed: reports come through the channel of the cycle before, but are estimated
  /// with this cycle's.
  bool as_published = false;
};

/// Sees reports and never a truth.
class PrivicCollector {
 public:
  PrivicCollector(const Distances& distances, const PrivicOptions& options);

  /// What reporters of the present cycle use.
  const Channel& channel() const { return reporting_; }
  /// The reports of the present cycle, counted; the next cycle begins.
  void receive(std::span<const double> counts);

  /// After the cycles so far; uniform before the first.
  std::span<const double> estimate() const { return estimate_; }
  /// Half the L1 distance the last cycle moved the estimate by: what a collector without the truth can watch.
  double last_change() const { return last_change_; }
  /// How far the Blahut-Arimoto iteration behind the present channel is from its optimum, in nats.
  double mechanism_gap() const { return mechanism_gap_; }

  /// All reports together, each with the channel it was estimated with (generalised update); needs a cycle.
  PlaceEstimate pooled(const BayesianUpdateOptions& options) const;
  const std::vector<ReportBatch>& batches() const { return batches_; }

 private:
  void renew_mechanism();

  PrivicOptions options_;
  BlahutArimoto mechanism_;
  std::vector<double> estimate_;
  double reports_ = 0;  // behind the estimate
  double last_change_ = 0;
  double mechanism_gap_ = 0;
  Channel reporting_{};
  Channel estimating_{};
  std::vector<ReportBatch> batches_{};
};

}  // namespace earshot
