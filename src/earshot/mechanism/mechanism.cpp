#include "earshot/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

void require_finite(std::span<const double> value) {
  if (!std::ranges::all_of(value, [](double x) { return std::isfinite(x); }))
    fail(Fault::kNumeric, "a value to be protected is not finite: the guarantee would be void");
}

double require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    fail(Fault::kConfig, std::string(what) + " must be positive and finite");
  return value;
}

MechanismTerms clipped_terms(Norm norm, double clip, Adjacency adjacency, std::string unit) {
  return {norm_name(norm), clipped_sensitivity(ClipScope::kNode, clip, adjacency), clip, std::move(unit),
          adjacency_name(adjacency)};
}

MechanismTerms promised_terms(Norm norm, double sensitivity, Adjacency adjacency, std::string unit) {
  require_positive(sensitivity, "the sensitivity");
  return {norm_name(norm), sensitivity, {}, std::move(unit), adjacency_name(adjacency)};
}

void require_norm(const MechanismTerms& terms, Norm norm, const char* mechanism) {
  if (terms.norm != norm_name(norm)) {
    fail(Fault::kConfig, std::string("mechanism \"") + mechanism + "\" needs the " + norm_name(norm) +
                             " sensitivity, not the " + terms.norm + " one");
  }
}

void bound_value(const MechanismTerms& terms, Norm norm, std::span<double> value) {
  if (terms.clip) {
    clip(norm, *terms.clip, value);
  } else {
    require_finite(value);
  }
}

PrivacyStatement statement_of_run(const MechanismTerms& terms) {
  PrivacyStatement statement;
  statement.unit = terms.unit;
  statement.adjacency =
      fmt::format("{} ({} sensitivity {}{})", terms.adjacency, terms.norm, terms.sensitivity,
                  terms.clip ? fmt::format(", by clipping to {}", *terms.clip) : ", promised");
  statement.adversary = "anyone who hears everything the unit releases, all others included";
  statement.assumptions = {
      "real-valued noise, simulated in double precision from a replayable stream: for study, not for "
      "release"};
  return statement;
}

}  // namespace earshot
