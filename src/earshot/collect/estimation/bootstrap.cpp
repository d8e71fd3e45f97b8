#include "earshot/collect/estimation/bootstrap.hpp"

#include <cmath>
#include <numeric>

#include "earshot/collect/estimation/categorical.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

struct PredictedBatch {
  Categorical reports;
  std::size_t count;   // of reports
  std::size_t offset;  // of the batch's first report among all
};

std::vector<PredictedBatch> predict(std::span<const ReportBatch> batches, std::span<const double> estimate) {
  std::vector<PredictedBatch> predicted;
  std::size_t offset = 0;
  for (const ReportBatch& batch : batches) {
    std::vector<double> shares(batch.channel.outputs);
    for (std::size_t x = 0; x < batch.channel.inputs; ++x) {
      for (std::size_t y = 0; y < shares.size(); ++y) shares[y] += estimate[x] * batch.channel(x, y);
    }
    const double count = std::reduce(batch.counts.begin(), batch.counts.end());
    predicted.push_back(
        {Categorical(normalised(shares)), static_cast<std::size_t>(std::llround(count)), offset});
    offset += shares.size();
  }
  return predicted;
}

}  // namespace

ErrorBars bootstrap_error_bars(std::span<const ReportBatch> batches, std::span<const double> estimate,
                               const BootstrapOptions& options) {
  if (options.replicates < 2) fail(Fault::kConfig, "a bootstrap needs at least two replicates");
  if (!(options.level > 0 && options.level < 1))
    fail(Fault::kConfig, "the level of error bars must lie strictly between 0 and 1");
  const ReportLikelihood likelihood(batches);
  const std::size_t places = likelihood.kernel().columns();
  check_distribution(estimate, places, "the estimate to bootstrap");
  const std::vector<PredictedBatch> predicted = predict(batches, estimate);
  std::vector<std::vector<double>> replicates(options.replicates);
  parallel_for(options.replicates, [&](std::size_t r) {
    StreamName name = options.randomness;
    name.node = r;
    Stream stream(name);
    std::vector<double> counts(likelihood.weights().size());
    for (const PredictedBatch& batch : predicted)
      batch.reports.count(batch.count, stream, std::span(counts).subspan(batch.offset));
    replicates[r] = estimate_places(likelihood.kernel(), normalised(counts), options.estimator).distribution;
  });
  ErrorBars bars{std::vector<double>(places), std::vector<double>(places), std::vector<double>(places)};
  std::vector<double> values(options.replicates);
  for (std::size_t x = 0; x < places; ++x) {
    for (std::size_t r = 0; r < values.size(); ++r) values[r] = replicates[r][x];
    bars.standard_error[x] = sample_deviation(values);
    bars.lower[x] = quantile(values, (1 - options.level) / 2);
    bars.upper[x] = quantile(values, (1 + options.level) / 2);
  }
  return bars;
}

}  // namespace earshot
