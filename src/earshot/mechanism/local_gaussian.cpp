#include "earshot/mechanism/local_gaussian.hpp"

#include <cmath>
#include <vector>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

void clip_to_norm(std::span<double> value, double bound) {
  double square = 0;
  for (const double x : value) square += x * x;
  const double norm = std::sqrt(square);
  if (!std::isfinite(norm))
    fail(Fault::kNumeric, "a value to be clipped is not finite: the guarantee would be void");
  if (norm <= bound) return;
  const double factor = bound / norm;
  for (double& x : value) x *= factor;
}

LocalGaussian::LocalGaussian(double clip, double sigma, double delta)
    : clip_(clip), sigma_(sigma), delta_(delta) {
  if (!(clip > 0) || !std::isfinite(clip))
    fail(Fault::kConfig, "the clipping norm must be positive and finite");
  if (!(sigma > 0) || !std::isfinite(sigma))
    fail(Fault::kConfig, "the noise deviation must be positive and finite");
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
}

LocalGaussian LocalGaussian::calibrated(double clip, double epsilon, double delta, std::size_t releases) {
  if (releases == 0) fail(Fault::kConfig, "noise cannot be calibrated for zero releases");
  const double mu_per_release = gaussian_mu(epsilon, delta) / std::sqrt(static_cast<double>(releases));
  return {clip, 2 * clip / mu_per_release, delta};
}

void LocalGaussian::privatise(std::span<double> value, Stream& stream) const {
  clip_to_norm(value, clip_);
  for (double& x : value) x += sigma_ * stream.normal();
}

PrivacyStatement LocalGaussian::statement(std::size_t releases) const {
  PrivacyStatement statement;
  statement.epsilon = gaussian_epsilon(compose_gaussian(2 * clip_ / sigma_, releases), delta_);
  statement.delta = delta_;
  statement.definition = "(epsilon, delta)-local differential privacy of the whole run";
  statement.unit = "one node's whole data";
  statement.adjacency = "replace the node's data by any other (sensitivity 2 x clipping norm)";
  statement.adversary = "anyone who hears everything the node sends, all other nodes included";
  statement.assumptions = {
      "exact composition of " + std::to_string(releases) + " Gaussian releases (Dong, Roth & Su 2022)",
      "real-valued Gaussian noise, simulated in double precision from a replayable stream: for study, not "
      "for release"};
  return statement;
}

namespace {

std::unique_ptr<Mechanism> make_none(const Settings&, std::size_t) {
  return std::make_unique<NoMechanism>();
}

std::unique_ptr<Mechanism> make_gaussian(const Settings& settings, std::size_t releases) {
  const bool by_epsilon = settings.has("epsilon");
  if (by_epsilon == settings.has("sigma")) {
    fail(Fault::kConfig,
         "mechanism \"gaussian\" needs exactly one of \"epsilon\" (calibrate) and \"sigma\" (given noise)");
  }
  const double clip = settings.real("clip");
  const double delta = settings.real("delta");
  if (by_epsilon) {
    return std::make_unique<LocalGaussian>(
        LocalGaussian::calibrated(clip, settings.real("epsilon"), delta, releases));
  }
  return std::make_unique<LocalGaussian>(clip, settings.real("sigma"), delta);
}

}  // namespace

std::span<const MechanismComponent> mechanism_components() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const std::vector<MechanismComponent> components = {
      {{"mechanism", "none", "values are sent as they are; the report says so in red", "", {}}, make_none},
      {{"mechanism",
        "gaussian",
        "local DP: each node clips what it releases to an L2 norm and adds Gaussian noise",
        "Balle & Wang 2018 (calibration); Dong, Roth & Su 2022 (composition)",
        {above_minimum(real_parameter("clip", 1.0, 0, kInfinity, "L2 norm a release is clipped to")),
         optional(above_minimum(
             real_parameter("epsilon", {}, 0, 1e9, "total epsilon of the run; noise is calibrated to it"))),
         optional(above_minimum(real_parameter("sigma", {}, 0, kInfinity,
                                               "noise deviation per coordinate, instead of epsilon"))),
         above_minimum(real_parameter("delta", 1e-5, 0, 0.5, "delta at which epsilon is stated"))}},
       make_gaussian}};
  return components;
}

}  // namespace earshot
