#include "earshot/collect/campaign/place_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/optimal_channel.hpp"
#include "earshot/collect/location/planar_channel.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

/// The channel before it is rounded, and what its reports are.
struct Draft {
  Channel channel;
  std::optional<PlaceGrid> reports;
  Distances to_reports;
};

Draft on_the_places(const PlaceDomain& domain, Channel channel) {
  return {std::move(channel), domain.grid, domain.metric.between_truths};
}

Draft planar(const PlaceDomain& domain, const MechanismChoice& choice) {
  if (!domain.grid || domain.unit == DistanceUnit::kGreatCircleMetres)
    fail(
        Fault::kConfig,
        "planar_laplace needs a grid, with distances in cells or in metres in the plane; use exponential for "
        "other distances");
  const CellSize size = cell_size(*domain.grid, domain.unit);
  return on_the_places(
      domain, planar_laplace_channel(domain.grid->rows(), domain.grid->columns(), size, choice.epsilon));
}

/// The steepest kernel found whose normalised rows keep epsilon: half of it always does.
double kept_rate(const Distances& to_reports, const Distances& metric, double epsilon) {
  if (epsilon == 0 || std::isinf(epsilon)) return epsilon;
  const auto keeps = [&](double rate) {
    return metric_privacy(laplace_kernel(to_reports, rate), metric).epsilon <= epsilon;
  };
  double kept = epsilon / 2;
  double broken = epsilon;
  if (keeps(broken)) return broken;
  for (int step = 0; step < 10; ++step) {
    const double middle = (kept + broken) / 2;
    (keeps(middle) ? kept : broken) = middle;
  }
  return kept;
}

Draft laplace(const PlaceDomain& domain, const MechanismChoice& choice) {
  std::optional<PlaceGrid> reports = domain.grid;
  if (reports) reports = reports->widened(choice.margin);
  Distances to_reports =
      reports ? distances(*domain.grid, *reports, domain.unit) : domain.metric.between_truths;
  const double rate = choice.as_published
                          ? choice.epsilon
                          : kept_rate(to_reports, domain.metric.between_truths, choice.epsilon);
  Channel channel = laplace_kernel(to_reports, rate);
  return {std::move(channel), std::move(reports), std::move(to_reports)};
}

Draft truncated(const PlaceDomain& domain, const MechanismChoice& choice) {
  return on_the_places(domain,
                       truncated_laplace_kernel(domain.metric.between_truths, choice.epsilon, choice.radius));
}

Draft exponential(const PlaceDomain& domain, const MechanismChoice& choice) {
  return on_the_places(domain, exponential_kernel(domain.metric.between_truths, choice.epsilon));
}

Draft response(const PlaceDomain& domain, const MechanismChoice& choice) {
  return on_the_places(domain, randomised_response_channel(domain.places(), choice.epsilon));
}

std::vector<double> prior_of(const PlaceDomain& domain, const MechanismChoice& choice) {
  if (choice.prior.empty()) return uniform_distribution(domain.places());
  check_distribution(choice.prior, domain.places(), "the prior");
  return choice.prior;
}

/// Blahut-Arimoto at beta is 2 beta-d-private (Oya, Troncoso & Perez-Gonzalez 2017).
Draft blahut_arimoto(const PlaceDomain& domain, const MechanismChoice& choice) {
  const BlahutArimoto mechanism(domain.metric.between_truths, choice.epsilon / 2);
  const BlahutArimotoRun run = mechanism.run(prior_of(domain, choice), {.iterations = choice.iterations});
  return on_the_places(domain, mechanism.channel(run.shape));
}

Draft optimal(const PlaceDomain& domain, const MechanismChoice& choice) {
  const Distances& metric = domain.metric.between_truths;
  if (choice.epsilon == 0) return response(domain, choice);
  return on_the_places(
      domain,
      optimal_channel(prior_of(domain, choice), metric, metric, choice.epsilon, choice.dilation).channel);
}

using Maker = Draft (*)(const PlaceDomain&, const MechanismChoice&);
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all{{"planar_laplace", planar},
                                                {"laplace", laplace},
                                                {"truncated_laplace", truncated},
                                                {"exponential", exponential},
                                                {"randomised_response", response},
                                                {"blahut_arimoto", blahut_arimoto},
                                                {"optimal", optimal}};
  return all;
}

}  // namespace

const std::vector<std::string>& place_mechanism_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, maker] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

PlaceMechanism make_place_mechanism(const PlaceDomain& domain, const MechanismChoice& choice) {
  const auto maker = makers().find(choice.name);
  if (maker == makers().end())
    fail(Fault::kConfig, fmt::format("no mechanism of places is called \"{}\"; {}", choice.name,
                                     suggest(choice.name, place_mechanism_names())));
  if (!(choice.epsilon >= 0))
    fail(Fault::kConfig, fmt::format("epsilon is {}, it must be 0 or positive", choice.epsilon));
  Draft draft = maker->second(domain, choice);
  ExactChannel exact = choice.name == "truncated_laplace"
                           ? ExactChannel(draft.channel, domain.metric, choice.name, choice.epsilon)
                           : ExactChannel(draft.channel, domain.metric, choice.name);
  return {std::move(exact), std::move(draft.reports), std::move(draft.to_reports)};
}

}  // namespace earshot
