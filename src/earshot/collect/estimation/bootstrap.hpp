// How far an estimate would move if the reports were collected again.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/collect/estimation/bayesian_update.hpp"
#include "earshot/core/random.hpp"

namespace earshot {

struct BootstrapOptions {
  std::size_t replicates = 200;
  double level = 0.95;                // of the intervals
  BayesianUpdateOptions estimator{};  // as the estimate was made
  StreamName randomness{};            // replicate r uses node r of it
};

struct ErrorBars {
  std::vector<double> standard_error{};  // one per place
  std::vector<double> lower{};           // percentile interval
  std::vector<double> upper{};
};

/// Parametric bootstrap (Efron 1979): as many reports as there were, in every batch, drawn from what
/// `estimate` predicts through the channel of the batch, and estimated anew. It measures variance; what
/// stopping EM early adds in bias it does not.
ErrorBars bootstrap_error_bars(std::span<const ReportBatch> batches, std::span<const double> estimate,
                               const BootstrapOptions& options);

}  // namespace earshot
