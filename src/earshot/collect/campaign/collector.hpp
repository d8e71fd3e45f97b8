// What a collector learns from protected reports: where people are, with error bars, and what it costs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "earshot/collect/campaign/place_mechanism.hpp"
#include "earshot/collect/estimation/bayesian_update.hpp"
#include "earshot/collect/estimation/bootstrap.hpp"
#include "earshot/collect/location/row_profile.hpp"

namespace earshot {

struct CollectorOptions {
  std::size_t steps = 100;  // of the iterative Bayesian update; 0: to the maximum of the likelihood
  std::size_t replicates = 50;
  double level = 0.95;  // of the error bars
  std::uint64_t seed = 1;
};

/// Everything here is computed from reports and mechanism alone.
struct Collected {
  std::vector<double> report_counts{};  // by report
  PlaceEstimate estimate{};
  ErrorBars bars{};
  std::vector<RowProfile> profiles{};  // by place
  double local_epsilon = 0;            // of local differential privacy: between any two places
  double expected_distance = 0;        // of a report from its truth, under the estimate
  double adversary_error = 0;          // of the best guess from estimate and report, in units of distance
  double blind_error = 0;              // of the best guess from the estimate alone
  double leaked_bits = 0;              // mutual information of place and report, under the estimate
};
Collected collect_reports(const PlaceMechanism& mechanism, std::span<const std::size_t> reports,
                          const CollectorOptions& options);

/// What an experiment that knows the truth can say: the earth mover's distance of the estimate, and of no
/// report at all (the uniform distribution).
struct TruthComparison {
  std::vector<double> truth{};
  double estimate_distance = 0;
  double uniform_distance = 0;
  double covered = 0;  // share of places whose interval holds the truth
};
TruthComparison compare_with_truth(const Collected& collected, std::span<const double> visit_counts,
                                   const Distances& metric);

}  // namespace earshot
