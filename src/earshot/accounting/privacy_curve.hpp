// The privacy curve of one release: all that an accountant needs to know about a mechanism.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "earshot/accounting/release_event.hpp"

namespace earshot {

/// Neighbours are ordered: what the observer saw with the record in (P) against without it (Q), or the
/// reverse. For a relation that is symmetric, as replacing a record, both directions have the same curve.
enum class Direction { kRemove, kAdd };

/// A pair of distributions (P, Q) that dominates every pair of neighbours of a mechanism, seen through its
/// hockey-stick divergence (Zhu, Dong & Wang 2022, Definition 7). A mechanism of one's own enters every
/// accountant by implementing this, or as data by CurveRelease and FinitePairRelease.
class PrivacyCurve {
 public:
  virtual ~PrivacyCurve() = default;

  virtual std::string name() const = 0;

  /// sup_S P(S) - e^epsilon Q(S), for every real epsilon; accurate relative to its size, so that tails of
  /// 1e-30 mean something.
  virtual double delta(Direction direction, double epsilon) const = 0;

  /// Q[ln(dP/dQ) > epsilon] = -d delta / d e^epsilon: the slope of the curve.
  virtual double reference_tail(Direction direction, double epsilon) const = 0;

  /// Renyi divergence of order > 1, the larger of the two directions; may be infinite.
  virtual double renyi(double order) const = 0;

  /// Smallest known rho such that renyi(order) <= rho * order for every order; empty when there is none.
  virtual std::optional<double> concentrated() const = 0;

  /// The same curve in both directions.
  virtual bool symmetric() const { return true; }

  /// Largest possible privacy loss: the epsilon of pure differential privacy, often infinite.
  virtual double largest_loss() const = 0;
};

/// The curve of a release that is not a composition. Composed and repeated events, and events that have no
/// such curve (metric privacy, nothing private), are refused by name.
std::shared_ptr<const PrivacyCurve> curve_of(const ReleaseEvent& event);

}  // namespace earshot
