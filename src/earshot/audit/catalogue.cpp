#include "earshot/audit/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/text.hpp"
#include "earshot/mechanism/adaptive_clipping.hpp"
#include "earshot/mechanism/euclidean_laplace.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/laplace.hpp"
#include "earshot/mechanism/randomised_response.hpp"
#include "earshot/mechanism/selection.hpp"
#include "earshot/mechanism/staircase.hpp"
#include "earshot/mechanism/truncated_geometric.hpp"
#include "earshot/mechanism/truncated_laplace.hpp"
#include "earshot/mechanism/unary_encoding.hpp"

namespace earshot {
namespace {

MechanismTerms terms(Norm norm, const Settings& settings) {
  return clipped_terms(norm, settings.real("clip"), Adjacency::kReplace, "one vector");
}

Audit laplace(const Settings& settings, Operation operation) {
  const auto mechanism = std::make_shared<LaplaceMechanism>(
      LaplaceMechanism::calibrated(terms(Norm::kL1, settings), settings.real("epsilon")));
  return audit_vector(
      mechanism,
      opposite_outside_clip(Norm::kL1, settings.real("clip"), settings.size("dimension"), Statistic::kL1), 0,
      operation);
}

Audit gaussian(const Settings& settings, Operation operation) {
  const double delta = settings.real("delta");
  const auto mechanism = std::make_shared<GaussianMechanism>(
      GaussianMechanism::analytic(terms(Norm::kL2, settings), settings.real("epsilon"), delta));
  return audit_vector(mechanism,
                      opposite_outside_clip(Norm::kL2, settings.real("clip"), settings.size("dimension"),
                                            Statistic::kProjection),
                      delta, operation);
}

Audit staircase(const Settings& settings, Operation operation) {
  const StaircaseCost cost =
      settings.text("cost") == "variance" ? StaircaseCost::kVariance : StaircaseCost::kMagnitude;
  const auto mechanism =
      std::make_shared<StaircaseMechanism>(terms(Norm::kL1, settings), settings.real("epsilon"), cost);
  return audit_vector(mechanism,
                      opposite_outside_clip(Norm::kL1, settings.real("clip"), 1, Statistic::kProjection), 0,
                      operation);
}

/// Candidate 0 is one of many and gains on all others at once: its probability changes by nearly e^epsilon.
VectorPair rising_candidate(const Settings& settings) {
  const std::size_t candidates = settings.size("candidates");
  const double sensitivity = settings.real("sensitivity");
  VectorPair scores = {std::vector<double>(candidates, sensitivity), std::vector<double>(candidates, 0.0)};
  scores[0][0] = 0;
  scores[1][0] = sensitivity;
  return scores;
}

Audit exponential(const Settings& settings, Operation operation) {
  return audit_selection(
      std::make_shared<ExponentialMechanism>(settings.real("epsilon"), settings.real("sensitivity"),
                                             "one record", "every score moves by up to the sensitivity"),
      rising_candidate(settings), operation);
}

Audit noisy_max_with(NoisyMaxNoise noise, const Settings& settings, Operation operation) {
  return audit_selection(
      std::make_shared<NoisyMax>(settings.real("epsilon"), settings.real("sensitivity"), "one record",
                                 "every score moves by up to the sensitivity", noise),
      rising_candidate(settings), operation);
}

Audit noisy_max(const Settings& settings, Operation operation) {
  return noisy_max_with(NoisyMaxNoise::kExponential, settings, operation);
}

Audit noisy_max_laplace(const Settings& settings, Operation operation) {
  return noisy_max_with(NoisyMaxNoise::kLaplace, settings, operation);
}

Audit randomised_response(const Settings& settings, Operation operation) {
  return audit_categories(
      std::make_shared<RandomisedResponse>(settings.size("categories"), settings.real("epsilon")), {0, 1}, 1,
      operation);
}

Audit symmetric_unary(const Settings& settings, Operation operation) {
  return audit_bits(std::make_shared<UnaryEncoding>(settings.size("categories"), settings.real("epsilon"),
                                                    UnaryKind::kSymmetric),
                    operation);
}

Audit optimised_unary(const Settings& settings, Operation operation) {
  return audit_bits(std::make_shared<UnaryEncoding>(settings.size("categories"), settings.real("epsilon"),
                                                    UnaryKind::kOptimised),
                    operation);
}

/// The origin and the point at `distance` from it on the first axis.
VectorNeighbours along_first_axis(std::size_t dimension, double distance) {
  VectorNeighbours neighbours;
  neighbours.inputs = {std::vector<double>(dimension, 0.0), std::vector<double>(dimension, 0.0)};
  neighbours.inputs[1][0] = distance;
  neighbours.centres = neighbours.inputs;
  neighbours.statistic = Statistic::kL2;
  neighbours.distance = distance;
  return neighbours;
}

Audit euclidean_laplace(const Settings& settings, Operation operation) {
  return audit_vector(std::make_shared<EuclideanLaplace>(settings.real("epsilon")),
                      along_first_axis(settings.size("dimension"), settings.real("distance")), 0, operation);
}

std::optional<PlanarRegion> region_around(const std::string& remap, double distance) {
  if (remap == "none") return {};
  if (remap == "rectangle") return Rectangle{{-distance, -distance}, {2 * distance, distance}};
  std::vector<PlanarPoint> points;
  for (int x = -2; x <= 3; ++x) {
    for (int y = -2; y <= 2; ++y) points.push_back({x * distance, y * distance});
  }
  return points;
}

Audit planar_laplace(const Settings& settings, Operation operation) {
  const double distance = settings.real("distance");
  return audit_vector(std::make_shared<PlanarLaplace>(settings.real("epsilon"),
                                                      region_around(settings.text("remap"), distance)),
                      along_first_axis(2, distance), 0, operation);
}

/// Distances between the places of a square grid, `side` by `side`, of unit spacing.
std::vector<double> square_distances(std::size_t side) {
  const std::size_t places = side * side;
  std::vector<double> distances;
  for (std::size_t i = 0; i < places * places; ++i) {
    const std::size_t x = i / places;
    const std::size_t y = i % places;
    const double across = static_cast<double>(x % side) - static_cast<double>(y % side);
    const double down = static_cast<double>(x / side) - static_cast<double>(y / side);
    distances.push_back(std::hypot(across, down));
  }
  return distances;
}

/// The first two places of the first row: what is truncated lies on one side of them only, so that the
/// channel's delta is spent there, or nearly.
Audit truncated_laplace(const Settings& settings, Operation operation) {
  return audit_categories(
      std::make_shared<TruncatedLaplace>(square_distances(settings.size("side")), settings.real("epsilon"),
                                         settings.real("radius"), "the spacing of a square grid"),
      {0, 1}, 1, operation);
}

Audit truncated_geometric(const Settings& settings, Operation operation) {
  const std::size_t largest = settings.size("largest");
  return audit_categories(std::make_shared<TruncatedGeometric>(largest, settings.real("epsilon")),
                          {largest / 2, largest / 2 + 1}, 1, operation);
}

/// One contribution within the bound, or none: the noised count is all that the new bound depends on.
Audit adaptive_clip(const Settings& settings, Operation operation) {
  const double delta = settings.real("delta");
  AdaptiveClip::Settings clip;
  clip.count_deviation = 0.5 / gaussian_mu(settings.real("epsilon"), delta);
  const VectorPair norms = {std::vector<double>{}, std::vector<double>{0.0}};
  const auto update = [operation, norms](AdaptiveClip& fresh, std::size_t input, Stream& stream) {
    return operation == Operation::kSimulate ? fresh.simulate(norms[input], stream)
                                             : fresh.protect(norms[input], operating_system_random());
  };
  const AdaptiveClip start(clip);
  Audit audit;
  audit.box = {Observation::kScore, [start, update](std::size_t input, Stream& stream) {
                 AdaptiveClip fresh = start;
                 update(fresh, input, stream);
                 return std::log(fresh.bound());
               }};
  AdaptiveClip once = start;
  Stream stream({0, Purpose::kAudit});
  const MechanismTerms count_terms = {
      "sum of +1/2 and -1/2", 0.5, {}, "one contribution", "add or remove it"};
  state(audit, *update(once, 0, stream), count_terms, delta, 1, operation);
  audit.inputs = {"no contribution", "one contribution within the bound"};
  audit.observed = "logarithm of the new clipping bound";
  return audit;
}

Parameter epsilon() {
  return above_minimum(real_parameter("epsilon", 1.0, 0, 20, "what the mechanism is calibrated to"));
}
Parameter epsilon_per_distance() {
  return above_minimum(
      real_parameter("epsilon", 1.0, 0, 20, "what it is calibrated to, per unit of distance"));
}
/// Large for a guarantee, because an audit cannot see events rarer than one in the number of samples.
Parameter delta() {
  return above_minimum(real_parameter("delta", 1e-3, 0, 0.5, "delta at which epsilon is stated and tested"));
}
Parameter clip_norm() {
  return above_minimum(real_parameter("clip", 1.0, 0, 1e100, "norm to which the mechanism clips"));
}
Parameter dimension() {
  return integer_parameter("dimension", 2, 1, 1000, "coordinates of the vectors");
}
Parameter sensitivity() {
  return above_minimum(real_parameter("sensitivity", 1.0, 0, 1e100, "how far one score can move"));
}
Parameter candidates() {
  return integer_parameter("candidates", 20, 2, 10000, "how many to choose from");
}
Parameter categories(int fallback, int most) {
  return integer_parameter("categories", fallback, 2, most, "how many categories there are");
}
Parameter distance() {
  return above_minimum(real_parameter("distance", 1.0, 0, 1e6, "distance of the two inputs"));
}

Schema schema(std::string name, std::string summary, std::string reference,
              std::vector<Parameter> parameters) {
  return {"audit", std::move(name), std::move(summary), std::move(reference), std::move(parameters)};
}

std::vector<AuditComponent> vector_audits() {
  return {
      {schema("laplace", "vectors clipped in L1, Laplace noise", "Dwork, McSherry, Nissim & Smith 2006",
              {epsilon(), clip_norm(), dimension()}),
       laplace},
      {schema("gaussian", "vectors clipped in L2, Gaussian noise", "Balle & Wang 2018",
              {epsilon(), delta(), clip_norm(), dimension()}),
       gaussian},
      {schema("staircase", "one clipped number, staircase noise", "Geng & Viswanath 2014",
              {epsilon(), clip_norm(),
               choice_parameter("cost", "magnitude", {"magnitude", "variance"}, "what the stairs minimise")}),
       staircase},
      {schema("euclidean_laplace", "vectors, noise of density exp(-epsilon |x|)",
              "Chatzikokolakis, Andres, Bordenabe & Palamidessi 2013",
              {epsilon_per_distance(), distance(),
               integer_parameter("dimension", 2, 1, 15, "coordinates of the vectors")}),
       euclidean_laplace},
      {schema("planar_laplace", "places in the plane, reported as drawn or moved to a region",
              "Andres, Bordenabe, Chatzikokolakis & Palamidessi 2013",
              {epsilon_per_distance(), distance(),
               choice_parameter("remap", "none", {"none", "rectangle", "points"},
                                "where reported places are moved to")}),
       planar_laplace},
      {schema("adaptive_clip", "the private count behind a clipping norm that follows a quantile",
              "Andrew, Thakkar, McMahan & Ramaswamy 2021", {epsilon(), delta()}),
       adaptive_clip}};
}

std::vector<AuditComponent> finite_audits() {
  return {{schema("exponential", "the exponential mechanism", "McSherry & Talwar 2007",
                  {epsilon(), sensitivity(), candidates()}),
           exponential},
          {schema("noisy_max", "report-noisy-max with exponential noise (permute-and-flip)",
                  "McKenna & Sheldon 2020", {epsilon(), sensitivity(), candidates()}),
           noisy_max},
          {schema("noisy_max_laplace", "report-noisy-max with Laplace noise",
                  "Dwork & Roth 2014, section 3.3", {epsilon(), sensitivity(), candidates()}),
           noisy_max_laplace},
          {schema("randomised_response", "Warner's yes or no; more categories with --categories",
                  "Warner 1965", {epsilon(), categories(2, 10000)}),
           randomised_response},
          {schema("k_randomised_response", "randomised response on several categories",
                  "Kairouz, Oh & Viswanath 2016", {epsilon(), categories(8, 10000)}),
           randomised_response},
          {schema("symmetric_unary_encoding", "unary encoding, both kinds of bits kept alike",
                  "Erlingsson, Pihur & Korolova 2014", {epsilon(), categories(4, 12)}),
           symmetric_unary},
          {schema("optimised_unary_encoding", "unary encoding of least variance",
                  "Wang, Blocki, Li & Jha 2017", {epsilon(), categories(4, 12)}),
           optimised_unary},
          {schema("truncated_laplace", "places of a square grid, truncated planar Laplace channel",
                  "Biswas 2024, Definition 4.3.2",
                  {epsilon_per_distance(), integer_parameter("side", 6, 2, 30, "places per side of the grid"),
                   real_parameter("radius", 4.0, 0, 1000, "distance beyond which no place is reported")}),
           truncated_laplace},
          {schema("truncated_geometric", "a count, geometric noise, clamped to its range",
                  "Ghosh, Roughgarden & Sundararajan 2009",
                  {epsilon(), integer_parameter("largest", 10, 1, 1000000, "largest possible count")}),
           truncated_geometric}};
}

}  // namespace

std::span<const AuditComponent> audit_components() {
  static const std::vector<AuditComponent> components = [] {
    std::vector<AuditComponent> all = vector_audits();
    for (AuditComponent& component : finite_audits()) all.push_back(std::move(component));
    return all;
  }();
  return components;
}

const AuditComponent& audit_component(std::string_view name) {
  std::string wanted(name);
  std::ranges::replace(wanted, '-', '_');
  std::vector<std::string> names;
  for (const AuditComponent& component : audit_components()) {
    if (component.schema.name == wanted) return component;
    names.push_back(component.schema.name);
  }
  fail(Fault::kUsage, fmt::format("there is no audit of \"{}\": {}", name, suggest(wanted, names)));
}

Audit make_audit(const AuditComponent& component, const Json& parameters, Operation operation) {
  return component.make(valid_settings(component.schema, parameters, component.schema.name + ": "),
                        operation);
}

}  // namespace earshot
