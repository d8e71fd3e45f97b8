// Noise with density proportional to exp(-epsilon |x|_2): metric privacy for vectors and for places.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// Vectors at distance d are told apart with privacy loss at most epsilon d (Chatzikokolakis, Andres,
/// Bordenabe & Palamidessi 2013). The noise has a uniform direction and a Gamma(n, 1/epsilon) length; each
/// coordinate has variance (n + 1) / epsilon^2. Protection draws from P(z) proportional to
/// exp(-epsilon ceil(|z|)) on a grid, exactly; the cost of that grows exponentially with the dimension, and
/// beyond `kMostProtectedCoordinates` it is refused rather than replaced by floating-point noise.
class EuclideanLaplace : public VectorMechanism {
 public:
  static constexpr std::size_t kMostProtectedCoordinates = 15;

  explicit EuclideanLaplace(double epsilon);

  std::string name() const override { return "euclidean_laplace"; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  ReleasePointer protected_release(std::size_t dimension) const override;
  double noise_deviation(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override;

 private:
  double epsilon_;
  ReleasePointer release_;
};

struct PlanarPoint {
  double x = 0;
  double y = 0;
};

/// What reported places are moved to, the nearest point of a rectangle or of a list; moving a place after the
/// noise was added costs no privacy.
struct Rectangle {
  PlanarPoint low;
  PlanarPoint high;
};
using PlanarRegion = std::variant<Rectangle, std::vector<PlanarPoint>>;
PlanarPoint nearest_in(const PlanarRegion& region, const PlanarPoint& point);

/// Geo-indistinguishability: the Euclidean Laplace mechanism in the plane (Andres, Bordenabe, Chatzikokolakis
/// & Palamidessi 2013), optionally remapped to a region.
class PlanarLaplace : public VectorMechanism {
 public:
  explicit PlanarLaplace(double epsilon, std::optional<PlanarRegion> region = {});

  std::string name() const override { return "planar_laplace"; }
  MechanismTerms terms() const override { return noise_.terms(); }
  ReleasePointer release() const override { return noise_.release(); }
  /// `value` is (x, y).
  ReleasePointer simulate(std::span<double> value, Stream& stream) const override;
  ReleasePointer protect(std::span<double> value, SecureRandom& random) const override;
  ReleasePointer protected_release(std::size_t dimension) const override;
  double noise_deviation(std::size_t dimension) const override;
  PrivacyStatement statement(std::size_t releases) const override { return noise_.statement(releases); }

 private:
  void remap(std::span<double> value) const;

  EuclideanLaplace noise_;
  std::optional<PlanarRegion> region_;
};

}  // namespace earshot
