#include "earshot/mechanism/euclidean_laplace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/gamma.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/grid.hpp"

namespace earshot {
namespace {

constexpr int kBitsBelowScale = 16;

/// The lattice on which vectors are protected: 1 / epsilon is `scale` steps.
struct Lattice {
  Grid grid;
  std::uint64_t scale;
};

Lattice lattice_for(double epsilon, std::size_t dimension) {
  if (dimension == 0 || dimension > EuclideanLaplace::kMostProtectedCoordinates) {
    fail(Fault::kConfig,
         fmt::format(
             "euclidean_laplace can be drawn exactly for 1 to {} coordinates, not for {}: protect fewer "
             "coordinates, or use laplace or gaussian",
             EuclideanLaplace::kMostProtectedCoordinates, dimension));
  }
  const Grid grid = grid_below(1 / epsilon, kBitsBelowScale);
  return {grid, static_cast<std::uint64_t>(std::ceil(std::ldexp(1 / epsilon, -grid.exponent)))};
}

void require_plane(std::size_t dimension) {
  if (dimension != 2) fail(Fault::kConfig, "planar_laplace releases points of two coordinates");
}

double squared_distance(const PlanarPoint& a, const PlanarPoint& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

void require_region(const PlanarRegion& region) {
  if (const auto* rectangle = std::get_if<Rectangle>(&region)) {
    if (!(rectangle->low.x <= rectangle->high.x && rectangle->low.y <= rectangle->high.y))
      fail(Fault::kConfig, "a rectangle's low corner must not lie above its high corner");
  } else if (std::get<std::vector<PlanarPoint>>(region).empty()) {
    fail(Fault::kConfig, "a region of points needs at least one point");
  }
}

}  // namespace

EuclideanLaplace::EuclideanLaplace(double epsilon)
    : epsilon_(require_positive(epsilon, "epsilon per unit of distance")),
      release_(make_release(MetricRelease{"euclidean_laplace", epsilon, 0, "Euclidean distance"})) {}

MechanismTerms EuclideanLaplace::terms() const {
  return {"L2",
          1,
          {},
          "one vector",
          "replace it by one at distance 1; at distance d the loss is d times as large"};
}

ReleasePointer EuclideanLaplace::simulate(std::span<double> value, Stream& stream) const {
  require_finite(value);
  if (value.empty()) fail(Fault::kData, "a value to be protected must have at least one coordinate");
  const double length = gamma_variable(static_cast<double>(value.size()), stream) / epsilon_;
  std::vector<double> direction(value.size());
  stream.fill_normal(direction, 1);
  const double factor = length / norm_of(Norm::kL2, direction);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] += factor * direction[i];
  return release_;
}

ReleasePointer EuclideanLaplace::protect(std::span<double> value, SecureRandom& random) const {
  require_finite(value);
  const Lattice lattice = lattice_for(epsilon_, value.size());
  const std::vector<std::int64_t> noise = lattice_laplace(random, lattice.scale, value.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    value[i] = lattice.grid.value(lattice.grid.nearest(value[i]), noise[i]);
  return protected_release(value.size());
}

ReleasePointer EuclideanLaplace::protected_release(std::size_t dimension) const {
  const Lattice lattice = lattice_for(epsilon_, dimension);
  // `scale` steps are at least 1 / epsilon, so epsilon itself is an upper bound.
  return make_release(MetricRelease{
      "euclidean_laplace", epsilon_, 0,
      fmt::format(
          "Euclidean distance between the inputs rounded to a grid of step {}, rounded up to whole steps",
          lattice.grid.step())});
}

double EuclideanLaplace::noise_deviation(std::size_t dimension) const {
  return std::sqrt(static_cast<double>(dimension) + 1) / epsilon_;
}

PrivacyStatement EuclideanLaplace::statement(std::size_t releases) const {
  PrivacyStatement statement = statement_of_run(terms());
  statement.epsilon = static_cast<double>(releases) * epsilon_;
  statement.definition = "metric privacy of the whole run: epsilon per unit of Euclidean distance";
  statement.assumptions.insert(statement.assumptions.begin(),
                               "epsilon adds up over " + std::to_string(releases) + " releases");
  return statement;
}

PlanarPoint nearest_in(const PlanarRegion& region, const PlanarPoint& point) {
  if (const auto* rectangle = std::get_if<Rectangle>(&region)) {
    return {std::clamp(point.x, rectangle->low.x, rectangle->high.x),
            std::clamp(point.y, rectangle->low.y, rectangle->high.y)};
  }
  return *std::ranges::min_element(std::get<std::vector<PlanarPoint>>(region), {},
                                   [&](const PlanarPoint& each) { return squared_distance(each, point); });
}

PlanarLaplace::PlanarLaplace(double epsilon, std::optional<PlanarRegion> region)
    : noise_(epsilon), region_(std::move(region)) {
  if (region_) require_region(*region_);
}

void PlanarLaplace::remap(std::span<double> value) const {
  if (!region_) return;
  const PlanarPoint point = nearest_in(*region_, {value[0], value[1]});
  value[0] = point.x;
  value[1] = point.y;
}

ReleasePointer PlanarLaplace::simulate(std::span<double> value, Stream& stream) const {
  require_plane(value.size());
  ReleasePointer release = noise_.simulate(value, stream);
  remap(value);
  return release;
}

ReleasePointer PlanarLaplace::protect(std::span<double> value, SecureRandom& random) const {
  require_plane(value.size());
  ReleasePointer release = noise_.protect(value, random);
  remap(value);
  return release;
}

ReleasePointer PlanarLaplace::protected_release(std::size_t dimension) const {
  require_plane(dimension);
  return noise_.protected_release(dimension);
}

double PlanarLaplace::noise_deviation(std::size_t dimension) const {
  require_plane(dimension);
  return noise_.noise_deviation(dimension);
}

}  // namespace earshot
