// Privacy curves of noise added to a value, in closed form, and of mechanisms with finitely many outcomes.
#pragma once

#include <cstdint>
#include <vector>

#include "earshot/accounting/privacy_curve.hpp"

namespace earshot {

/// N(mu, 1) against N(0, 1), mu = sensitivity / sigma (Balle & Wang 2018, Theorem 8).
class GaussianCurve : public PrivacyCurve {
 public:
  explicit GaussianCurve(double mu) : mu_(mu) {}
  std::string name() const override { return "Gaussian noise"; }
  double delta(Direction, double epsilon) const override;
  double reference_tail(Direction, double epsilon) const override;
  double renyi(double order) const override { return order * mu_ * mu_ / 2; }
  std::optional<double> concentrated() const override { return mu_ * mu_ / 2; }
  double largest_loss() const override;
  double mu() const { return mu_; }

 private:
  double mu_;
};

/// Laplace noise of scale 1 shifted by `shift` = L1 sensitivity / scale. One coordinate that moves by the
/// whole sensitivity dominates any way of spreading it over coordinates.
class LaplaceCurve : public PrivacyCurve {
 public:
  explicit LaplaceCurve(double shift) : shift_(shift) {}
  std::string name() const override { return "Laplace noise"; }
  double delta(Direction, double epsilon) const override;
  double reference_tail(Direction, double epsilon) const override;
  /// Mironov 2017, Proposition 6.
  double renyi(double order) const override;
  std::optional<double> concentrated() const override { return shift_ * shift_ / 2; }
  double largest_loss() const override { return shift_; }

 private:
  double shift_;
};

/// Discrete Laplace noise with P(k) ~ exp(-|k| / scale) on one coordinate, moved by a whole number of steps.
class DiscreteLaplaceCurve : public PrivacyCurve {
 public:
  DiscreteLaplaceCurve(double scale, std::uint64_t sensitivity);
  std::string name() const override { return "discrete Laplace noise"; }
  double delta(Direction, double epsilon) const override;
  double reference_tail(Direction, double epsilon) const override;
  double renyi(double order) const override;
  std::optional<double> concentrated() const override;
  double largest_loss() const override { return sensitivity_ / scale_; }

 private:
  /// Largest k whose loss (|k - sensitivity| - |k|) / scale exceeds epsilon, for |epsilon| < largest_loss().
  double last_outcome_above(double epsilon) const;

  double scale_;
  double sensitivity_;
};

/// Discrete Gaussian noise on one coordinate, moved by a whole number of steps (Canonne, Kamath & Steinke
/// 2020).
class DiscreteGaussianCurve : public PrivacyCurve {
 public:
  /// Sums the probabilities once, which is sensible for sigma up to largest_sigma().
  DiscreteGaussianCurve(double sigma, std::uint64_t sensitivity);
  static double largest_sigma() { return 1e5; }
  std::string name() const override { return "discrete Gaussian noise"; }
  double delta(Direction, double epsilon) const override;
  double reference_tail(Direction, double epsilon) const override;
  /// That of the continuous Gaussian bounds it (Canonne, Kamath & Steinke 2020, Theorem 4).
  double renyi(double order) const override { return order * *concentrated(); }
  std::optional<double> concentrated() const override;
  double largest_loss() const override;

 private:
  double last_outcome_above(double epsilon) const;
  double distribution(double k) const;  // P[noise <= k]

  double sigma_;
  double sensitivity_;
  std::vector<double> lower_tail_;  // P[noise <= -k], k = 0, 1, ...
};

/// Finitely many outcomes with probabilities p and q.
class FinitePairCurve : public PrivacyCurve {
 public:
  FinitePairCurve(std::string name, std::vector<double> p, std::vector<double> q);
  std::string name() const override { return name_; }
  double delta(Direction direction, double epsilon) const override;
  double reference_tail(Direction direction, double epsilon) const override;
  double renyi(double order) const override;
  /// largest_loss()^2 / 2 (Bun & Steinke 2016, Proposition 3.3).
  std::optional<double> concentrated() const override;
  bool symmetric() const override { return symmetric_; }
  double largest_loss() const override;

 private:
  /// Outcomes by descending loss ln(first / second), with the sums of both over all outcomes up to there.
  struct Side {
    std::vector<double> loss;
    std::vector<double> first_sum;
    std::vector<double> second_sum;
    std::size_t above(double epsilon) const;
  };
  static Side sorted(const std::vector<double>& first, const std::vector<double>& second);
  const Side& side(Direction direction) const { return direction == Direction::kRemove ? remove_ : add_; }

  std::string name_;
  std::vector<double> p_;
  std::vector<double> q_;
  Side remove_;
  Side add_;
  bool symmetric_;
};

/// A mechanism of which only rho-zCDP is known: Renyi accounting works, a loss distribution does not exist
/// and asking for it is refused by name.
class ConcentratedCurve : public PrivacyCurve {
 public:
  ConcentratedCurve(std::string name, double rho) : name_(std::move(name)), rho_(rho) {}
  std::string name() const override { return name_; }
  double delta(Direction, double) const override { refuse(); }
  double reference_tail(Direction, double) const override { refuse(); }
  double renyi(double order) const override { return order * rho_; }
  std::optional<double> concentrated() const override { return rho_; }
  double largest_loss() const override { refuse(); }

 private:
  [[noreturn]] void refuse() const;

  std::string name_;
  double rho_;
};

/// The worst mechanism that is (epsilon[i], delta[i])-DP for every i, in both directions: the greatest convex
/// curve through the points has finitely many outcomes (Doroshenko et al. 2022, section 4).
FinitePairCurve curve_through(const CurveRelease& points);

}  // namespace earshot
