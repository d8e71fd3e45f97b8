// Zero-concentrated accounting: one number rho adds up (Bun & Steinke 2016, Lemma 1.7).
#pragma once

#include "earshot/accounting/accountant.hpp"

namespace earshot {

class ZcdpAccountant : public Accountant {
 public:
  std::string name() const override { return "zcdp"; }
  std::string method(double delta) const override;
  std::unique_ptr<Accountant> clone() const override { return std::make_unique<ZcdpAccountant>(*this); }
  double rho() const { return rho_; }

 protected:
  /// Refuses by name what is not zCDP, as mechanisms whose loss can be infinite.
  void add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) override;
  double private_epsilon(double delta) const override;
  double private_delta(double epsilon) const override;

 private:
  double rho_ = 0;
};

}  // namespace earshot
