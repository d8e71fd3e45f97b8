// Releasing encoded records: an optional domain they are clipped to, Laplace noise, and what that guarantees.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/core/random.hpp"

namespace earshot {

/// Where encoded records may lie. Fixed before any record is collected, it bounds the sensitivity of every
/// input there can be, not only of those that were seen.
class LatentDomain {
 public:
  enum class Shape { kBox, kL1Ball };

  /// The smallest box or L1 ball around the middle of the points that holds `coverage` of them (per axis for
  /// the box); 0 < coverage <= 1.
  static LatentDomain around(Shape shape, const Eigen::MatrixXd& points, double coverage);

  /// Moves every column into the domain: a box clamps each axis, a ball shortens towards its centre.
  void clip(Eigen::MatrixXd& points) const;
  /// Largest L1 distance of two members.
  double diameter() const;
  Shape shape() const { return shape_; }

 private:
  LatentDomain(Shape shape, Eigen::VectorXd centre, Eigen::VectorXd reach)
      : shape_(shape), centre_(std::move(centre)), reach_(std::move(reach)) {}

  Shape shape_;
  Eigen::VectorXd centre_;
  Eigen::VectorXd reach_;  // half widths of the box; the one radius of the ball
};

/// A domain to be fixed on training records once the encoder is known.
struct DomainRule {
  LatentDomain::Shape shape = LatentDomain::Shape::kBox;
  double coverage = 1;
};
/// No rule, no domain.
std::optional<LatentDomain> fix_domain(const std::optional<DomainRule>& rule, const Eigen::MatrixXd& encoded);

/// How noise is calibrated. `as_published` repeats the noise of the published code, whose variance is
/// (sensitivity / epsilon)^2 instead of twice that: it is sqrt(2) epsilon-private, and the statement says so.
struct NoiseRule {
  double epsilon = 1;
  bool as_published = false;
};

/// b of the Laplace density exp(-|x| / b) / (2 b).
double laplace_scale(double sensitivity, const NoiseRule& rule);
/// 2 b^2.
double laplace_variance(double sensitivity, const NoiseRule& rule);
/// Independent Laplace noise of that scale on every entry.
void add_laplace(Eigen::MatrixXd& points, double scale, Stream& stream);

/// The guarantee of one release: worst-case local differential privacy with a domain, and without one only
/// the indistinguishability of the records the sensitivity was measured on.
PrivacyStatement release_statement(const NoiseRule& rule, const std::optional<LatentDomain>& domain);

}  // namespace earshot
