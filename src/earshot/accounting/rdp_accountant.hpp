// Renyi accounting: divergences of fixed orders add up (Mironov 2017, Proposition 1).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "earshot/accounting/accountant.hpp"

namespace earshot {

/// Orders from 1.001 to 1024: close ones where little noise is studied, whole ones where sampling formulas
/// are cheapest.
std::span<const double> default_renyi_orders();

class RdpAccountant : public Accountant {
 public:
  explicit RdpAccountant(std::vector<double> orders = {},
                         RenyiConversion conversion = RenyiConversion::kOptimal);
  std::string name() const override { return "rdp"; }
  std::string method(double delta) const override;
  std::unique_ptr<Accountant> clone() const override { return std::make_unique<RdpAccountant>(*this); }

  std::span<const double> orders() const { return orders_; }
  /// Total divergence so far, by order.
  std::span<const double> renyi() const { return total_; }

 protected:
  void add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) override;
  double private_epsilon(double delta) const override;
  double private_delta(double epsilon) const override;

 private:
  std::vector<double> divergences(const PrivacyCurve& curve) const;
  void add_divergences(const std::vector<double>& divergences, std::uint64_t count);

  std::vector<double> orders_;
  RenyiConversion conversion_;
  std::vector<double> total_;
  std::unordered_map<std::string, std::vector<double>> known_;  // divergences of one release, by its text
};

}  // namespace earshot
