#include "earshot/attack/tabular/tableak.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// What is left when every member has to commit itself to cells; infinite where a gradient is not finite.
std::vector<double> distances_of_cells(const Model& model, const TableEncoder& encoder,
                                       const Observation& observation, const TabLeakOptions& options,
                                       std::span<const std::vector<double>> members) {
  const auto predictor = make_predictor<double>(model, observation);
  std::vector<double> predicted(observation.values.size());
  std::vector<double> direction(predicted.size());
  std::vector<double> distances;
  for (const std::vector<double>& member : members) {
    const auto records = to_records(encoder, to_cells(encoder, member));
    predictor->predict({1, observation.records, records, options.targets}, predicted);
    const double distance = compare<double>(options.matching, observation.values, predicted, direction);
    distances.push_back(std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity());
  }
  return distances;
}

}  // namespace

InversionOptions member_searches(const TableEncoder& encoder, const Observation& observation,
                                 const TabLeakOptions& options) {
  InversionOptions out;
  out.matching = options.matching;
  out.descent = options.descent;
  out.decoder = table_decoder(encoder, options.relaxation);
  out.restarts = options.members;
  out.start = Start::kUniform;
  out.targets = options.targets;
  out.single_precision = options.single_precision && !observation.local_training;
  out.seed = options.seed;
  out.trial = options.trial;
  return out;
}

TabLeak tableak(const Model& model, const TableEncoder& encoder, const Observation& observation,
                const TabLeakOptions& options, const OnSearchStep& on_step) {
  const auto begin = std::chrono::steady_clock::now();
  const Inversion found = invert(model, Shape{encoder.width()}, observation,
                                 member_searches(encoder, observation, options), on_step);
  TabLeak out;
  for (const RestartReport& restart : found.restarts)
    if (!restart.inputs.empty()) out.members.push_back(restart.inputs);
  out.distances = distances_of_cells(model, encoder, observation, options, out.members);
  out.best = static_cast<std::size_t>(std::ranges::min_element(out.distances) - out.distances.begin());
  out.pooled = match_and_pool(encoder, out.members, out.best);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace earshot
