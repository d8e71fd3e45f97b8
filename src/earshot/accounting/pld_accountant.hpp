// Numerical accounting by privacy-loss distributions: nearly exact, bounded from both sides.
#pragma once

#include <map>

#include "earshot/accounting/accountant.hpp"
#include "earshot/accounting/loss_distribution.hpp"

namespace earshot {

class PldAccountant : public Accountant {
 public:
  std::string name() const override { return "pld"; }
  std::string method(double delta) const override;
  std::unique_ptr<Accountant> clone() const override { return std::make_unique<PldAccountant>(*this); }

  /// The true epsilon of the dominating pairs lies between; epsilon(delta) is `upper`. Equal when the answer
  /// is known in closed form (Gaussian noise without sampling).
  struct Interval {
    double lower;
    double upper;
  };
  Interval epsilon_bounds(double delta) const;

 protected:
  void add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) override;
  double private_epsilon(double delta) const override;
  double private_delta(double epsilon) const override;

 private:
  struct Part {
    std::shared_ptr<const PrivacyCurve> curve;
    std::uint64_t count = 0;
  };
  /// All parts, with the unsampled Gaussian releases as one.
  std::vector<Part> parts() const;
  ComposedLoss composed(const std::vector<Part>& parts, Direction direction, double negligible,
                        Bound bound) const;
  double epsilon_bound(const std::vector<Part>& parts, double delta, Bound bound) const;

  double gaussian_mu_squared_ = 0;
  std::map<std::string, Part> others_;  // by the text of the release, or the address of a curve kept here
};

}  // namespace earshot
