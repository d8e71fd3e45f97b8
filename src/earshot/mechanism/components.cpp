#include "earshot/mechanism/components.hpp"

#include <limits>
#include <string>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/laplace.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A node clips what it sends and must not be told apart from itself with any other data.
MechanismTerms node_terms(Norm norm, const Settings& settings) {
  return clipped_terms(norm, settings.real("clip"), Adjacency::kReplace, "one node's whole data");
}

/// True for "epsilon" (calibrate), false for `noise`; exactly one of the two must be set.
bool calibrates(const Settings& settings, const std::string& mechanism, const std::string& noise) {
  const bool by_epsilon = settings.has("epsilon");
  if (by_epsilon == settings.has(noise)) {
    fail(Fault::kConfig, "mechanism \"" + mechanism +
                             "\" needs exactly one of \"epsilon\" (calibrate) and \"" + noise +
                             "\" (given noise)");
  }
  return by_epsilon;
}

std::unique_ptr<VectorMechanism> make_none(const Settings&, std::size_t) {
  return std::make_unique<NoMechanism>();
}

std::unique_ptr<VectorMechanism> make_gaussian(const Settings& settings, std::size_t releases) {
  const MechanismTerms terms = node_terms(Norm::kL2, settings);
  const double delta = settings.real("delta");
  return std::make_unique<GaussianMechanism>(
      calibrates(settings, "gaussian", "sigma")
          ? GaussianMechanism::analytic(terms, settings.real("epsilon"), delta, releases)
          : GaussianMechanism(terms, settings.real("sigma"), delta));
}

std::unique_ptr<VectorMechanism> make_laplace(const Settings& settings, std::size_t releases) {
  const MechanismTerms terms = node_terms(Norm::kL1, settings);
  return std::make_unique<LaplaceMechanism>(
      calibrates(settings, "laplace", "scale")
          ? LaplaceMechanism::calibrated(terms, settings.real("epsilon"), releases)
          : LaplaceMechanism(terms, settings.real("scale")));
}

Parameter total_epsilon() {
  return optional(above_minimum(
      real_parameter("epsilon", {}, 0, 1e9, "total epsilon of the run; noise is calibrated to it")));
}

}  // namespace

NoMechanism::NoMechanism() : release_(make_release(NotPrivateRelease{"sent as it is, by choice"})) {}

MechanismTerms NoMechanism::terms() const {
  return {"none", kInfinity, {}, "nothing", "no change of the data is hidden"};
}

std::span<const MechanismComponent> mechanism_components() {
  static const std::vector<MechanismComponent> components = {
      {{"mechanism", "none", "values are sent as they are; the report says so in red", "", {}}, make_none},
      {{"mechanism",
        "gaussian",
        "local DP: each node clips what it releases to an L2 norm and adds Gaussian noise",
        "Balle & Wang 2018 (calibration); Dong, Roth & Su 2022 (composition)",
        {above_minimum(real_parameter("clip", 1.0, 0, kInfinity, "L2 norm a release is clipped to")),
         total_epsilon(),
         optional(above_minimum(real_parameter("sigma", {}, 0, kInfinity,
                                               "noise deviation per coordinate, instead of epsilon"))),
         above_minimum(real_parameter("delta", 1e-5, 0, 0.5, "delta at which epsilon is stated"))}},
       make_gaussian},
      {{"mechanism",
        "laplace",
        "local DP: each node clips what it releases to an L1 norm and adds Laplace noise",
        "Dwork, McSherry, Nissim & Smith 2006",
        {above_minimum(real_parameter("clip", 1.0, 0, kInfinity, "L1 norm a release is clipped to")),
         total_epsilon(),
         optional(above_minimum(
             real_parameter("scale", {}, 0, kInfinity,
                            "scale b of the noise density exp(-|x|/b)/(2b), instead of epsilon")))}},
       make_laplace}};
  return components;
}

}  // namespace earshot
