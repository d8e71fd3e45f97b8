#include "earshot/collect/campaign/collector.hpp"

#include "earshot/collect/estimation/adversary.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

BayesianUpdateOptions update_options(std::size_t steps) {
  if (steps > 0) return {.iterations = steps};
  return {.iterations = 20'000, .precision = 1e-7, .accelerated = true};
}

}  // namespace

Collected collect_reports(const PlaceMechanism& mechanism, std::span<const std::size_t> reports,
                          const CollectorOptions& options) {
  const Channel& channel = mechanism.channel.channel();
  const Distances& metric = mechanism.channel.metric().between_truths;
  Collected collected;
  collected.report_counts.assign(channel.outputs, 0);
  for (const std::size_t report : reports) ++collected.report_counts.at(report);
  if (reports.empty()) fail(Fault::kData, "no check-in lies in the box, so there is nothing to report");
  const ReportBatch batch{channel, collected.report_counts};
  const BayesianUpdateOptions update = update_options(options.steps);
  collected.estimate = estimate_places(ReportLikelihood(batch), update);
  const std::vector<double>& estimate = collected.estimate.distribution;
  collected.bars = bootstrap_error_bars(std::span(&batch, 1), estimate,
                                        {.replicates = options.replicates,
                                         .level = options.level,
                                         .estimator = update,
                                         .randomness = {.seed = options.seed}});
  collected.profiles = row_profiles(channel, mechanism.to_reports, metric);
  collected.local_epsilon = local_privacy(channel).epsilon;
  collected.expected_distance = average_distortion(estimate, channel, mechanism.to_reports);
  const BayesAttack attack = bayes_attack(estimate, channel, metric);
  collected.adversary_error = attack.expected_error;
  collected.blind_error = attack.error_without_report;
  collected.leaked_bits = bits(mutual_information(estimate, channel));
  return collected;
}

TruthComparison compare_with_truth(const Collected& collected, std::span<const double> visit_counts,
                                   const Distances& metric) {
  TruthComparison comparison;
  comparison.truth = normalised(visit_counts);
  const std::size_t places = comparison.truth.size();
  comparison.estimate_distance =
      earth_movers_distance(collected.estimate.distribution, comparison.truth, metric).distance;
  comparison.uniform_distance =
      earth_movers_distance(uniform_distribution(places), comparison.truth, metric).distance;
  for (std::size_t x = 0; x < places; ++x)
    if (collected.bars.lower[x] <= comparison.truth[x] && comparison.truth[x] <= collected.bars.upper[x])
      comparison.covered += 1 / static_cast<double>(places);
  return comparison;
}

}  // namespace earshot
