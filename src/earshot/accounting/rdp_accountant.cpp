#include "earshot/accounting/rdp_accountant.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/privacy_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Divergences of one-off releases need not be remembered for ever.
constexpr std::size_t kMostRemembered = 4096;

std::vector<double> make_default_orders() {
  std::vector<double> orders = {1.001, 1.002, 1.005, 1.01, 1.02, 1.05};
  for (int i = 1; i <= 99; ++i) orders.push_back(1 + i / 10.0);
  for (int i = 11; i <= 64; ++i) orders.push_back(i);
  for (const double order : {72., 80., 96., 112., 128., 160., 192., 256., 384., 512., 1024.})
    orders.push_back(order);
  return orders;
}

}  // namespace

std::span<const double> default_renyi_orders() {
  static const std::vector<double> orders = make_default_orders();
  return orders;
}

RdpAccountant::RdpAccountant(std::vector<double> orders, RenyiConversion conversion)
    : orders_(std::move(orders)), conversion_(conversion) {
  if (orders_.empty()) orders_.assign(default_renyi_orders().begin(), default_renyi_orders().end());
  for (const double order : orders_) {
    if (!(order > 1) || !std::isfinite(order))
      fail(Fault::kConfig, fmt::format("a Renyi order must be finite and above 1, not {}", order));
  }
  total_.assign(orders_.size(), 0.0);
}

std::vector<double> RdpAccountant::divergences(const PrivacyCurve& curve) const {
  std::vector<double> out(orders_.size());
  std::ranges::transform(orders_, out.begin(), [&](double order) { return curve.renyi(order); });
  return out;
}

void RdpAccountant::add_divergences(const std::vector<double>& divergences, std::uint64_t count) {
  for (std::size_t i = 0; i < total_.size(); ++i) total_[i] += static_cast<double>(count) * divergences[i];
}

void RdpAccountant::add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) {
  if (text.empty()) return add_divergences(divergences(*make()), count);
  auto known = known_.find(text);
  if (known == known_.end()) {
    if (known_.size() >= kMostRemembered) known_.clear();
    known = known_.emplace(text, divergences(*make())).first;
  }
  add_divergences(known->second, count);
}

double RdpAccountant::private_epsilon(double delta) const {
  if (std::ranges::all_of(total_, [](double r) { return r == 0; })) return 0;
  return best_epsilon(orders_, total_, delta, conversion_).epsilon;
}

double RdpAccountant::private_delta(double epsilon) const {
  double least = 0;  // logarithm
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (total_[i] == 0) return 0;
    least = std::min(least, log_delta_from_renyi(orders_[i], total_[i], epsilon));
  }
  if (conversion_ != RenyiConversion::kOptimal) return std::exp(least);
  // The optimal conversion has no formula for delta: invert its epsilon, starting from the improved one.
  double high = least;
  double low = least - 4;
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    (private_epsilon(std::exp(middle)) > epsilon ? low : high) = middle;
  }
  return std::exp(high);
}

std::string RdpAccountant::method(double delta) const {
  const BestOrder best = best_epsilon(orders_, total_, delta, conversion_);
  return fmt::format("Renyi accounting over {} orders, best order {:g}", orders_.size(), best.order);
}

}  // namespace earshot
