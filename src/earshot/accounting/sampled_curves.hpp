// What sampling does to a privacy curve: exact hockey-stick curves of a mechanism run on a random sample.
#pragma once

#include "earshot/accounting/privacy_curve.hpp"

namespace earshot {

/// Every record is in the sample independently with probability `rate`; neighbours differ by one record added
/// or removed. The pair ((1-rate) Q + rate P, Q) and its mirror dominate (Zhu, Dong & Wang 2022, Theorem 11).
class PoissonSampledCurve : public PrivacyCurve {
 public:
  PoissonSampledCurve(double rate, std::shared_ptr<const PrivacyCurve> base);
  std::string name() const override { return base_->name() + " on a Poisson sample"; }
  double delta(Direction direction, double epsilon) const override;
  double reference_tail(Direction direction, double epsilon) const override;
  double renyi(double order) const override;
  /// Sampling keeps zCDP but may not improve it: the base's rho.
  std::optional<double> concentrated() const override { return base_->concentrated(); }
  bool symmetric() const override { return false; }
  double largest_loss() const override;

 private:
  double rate_;
  std::shared_ptr<const PrivacyCurve> base_;
};

/// A sample of fixed size drawn without replacement; neighbours differ by replacing one record. For epsilon
/// >= 0 delta'(epsilon') = rate * delta(epsilon) with e^epsilon' = 1 + rate (e^epsilon - 1) (Balle, Barthe &
/// Gaboardi 2018, Theorem 9); the relation is symmetric, which gives the other half.
class SampledWithoutReplacementCurve : public PrivacyCurve {
 public:
  SampledWithoutReplacementCurve(double rate, std::shared_ptr<const PrivacyCurve> base);
  std::string name() const override { return base_->name() + " on a sample without replacement"; }
  double delta(Direction, double epsilon) const override;
  double reference_tail(Direction, double epsilon) const override;
  double renyi(double order) const override;
  std::optional<double> concentrated() const override { return base_->concentrated(); }
  double largest_loss() const override;

 private:
  double rate_;
  std::shared_ptr<const PrivacyCurve> base_;
};

/// Renyi divergence of Gaussian noise on a Poisson sample, for any order > 1 (Mironov, Talwar & Zhang 2019,
/// sections 3.2 and 3.3): exact, and the larger of the two directions (their Theorem 5).
double poisson_gaussian_renyi(double rate, double sigma, double order);

/// Renyi divergence of a curve's dominating pair by numerical integration of its slope, rounded up by the
/// accuracy of the quadrature; the larger of the two directions.
double renyi_by_quadrature(const PrivacyCurve& curve, double order);

}  // namespace earshot
