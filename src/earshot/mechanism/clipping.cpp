#include "earshot/mechanism/clipping.hpp"

#include <cmath>
#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// The square of every double, and the sum of any number of them, is inside the range of this type.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::max_exponent > 4 * std::numeric_limits<double>::max_exponent);

Wide wide_norm(Norm norm, std::span<const double> value) {
  Wide sum = 0;
  for (const double x : value) sum += norm == Norm::kL1 ? std::fabs(Wide{x}) : Wide{x} * Wide{x};
  if (!std::isfinite(sum))
    fail(Fault::kNumeric, "a value to be clipped is not finite: the guarantee would be void");
  return norm == Norm::kL1 ? sum : std::sqrt(sum);
}

void require_bound(double bound) {
  // Far from the ends of the exponent range, so that rounding is relative throughout.
  if (!(bound >= 1e-200 && bound <= 1e200))
    fail(Fault::kConfig, "the clipping norm must be positive and finite (between 1e-200 and 1e200)");
}

}  // namespace

std::string norm_name(Norm norm) {
  return norm == Norm::kL1 ? "L1" : "L2";
}

std::string adjacency_name(Adjacency adjacency) {
  return adjacency == Adjacency::kReplace ? "replace the unit's data by any other"
                                          : "add or remove the unit's data";
}

double norm_of(Norm norm, std::span<const double> value) {
  return static_cast<double>(wide_norm(norm, value));
}

double clip(Norm norm, double bound, std::span<double> value) {
  require_bound(bound);
  // Relative error of the computed norm (n additions, n products, one root) and of the n products below.
  const Wide slack = static_cast<Wide>(value.size() + 8) * std::numeric_limits<Wide>::epsilon() +
                     Wide{2} * std::numeric_limits<double>::epsilon();
  const Wide norm_at_most = wide_norm(norm, value) * (1 + slack);
  if (norm_at_most <= Wide{bound}) return 1;
  const auto factor = static_cast<double>(Wide{bound} / norm_at_most);
  for (double& x : value) x *= factor;
  return factor;
}

std::vector<double> clipped_sum(Norm norm, double bound, std::span<double> examples, std::size_t dimension) {
  if (dimension == 0 || examples.size() % dimension != 0)
    fail(Fault::kData, "examples to be clipped must be whole rows of the stated dimension");
  std::vector<double> sum(dimension, 0.0);
  for (std::size_t row = 0; row < examples.size(); row += dimension) {
    const std::span<double> example = examples.subspan(row, dimension);
    clip(norm, bound, example);
    for (std::size_t i = 0; i < dimension; ++i) sum[i] += example[i];
  }
  return sum;
}

double clipped_sensitivity(ClipScope scope, double bound, Adjacency adjacency) {
  require_bound(bound);
  const bool moves_once = adjacency == Adjacency::kAddRemove && scope != ClipScope::kBatch;
  return moves_once ? bound : 2 * bound;
}

}  // namespace earshot
