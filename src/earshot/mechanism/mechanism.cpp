#include "earshot/mechanism/mechanism.hpp"

#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {

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

}  // namespace earshot
