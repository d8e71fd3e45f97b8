#include "earshot/accounting/zcdp_accountant.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/accounting/privacy_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

void ZcdpAccountant::add_curve(const std::string&, const MakeCurve& make, std::uint64_t count) {
  const auto curve = make();
  const auto rho = curve->concentrated();
  if (!rho) {
    fail(Fault::kConfig, fmt::format("the zcdp accountant cannot interpret \"{}\": its privacy loss is not "
                                     "concentrated; use the pld accountant",
                                     curve->name()));
  }
  rho_ += static_cast<double>(count) * *rho;
}

double ZcdpAccountant::private_epsilon(double delta) const {
  return concentrated_epsilon(rho_, delta).epsilon;
}

double ZcdpAccountant::private_delta(double epsilon) const {
  if (rho_ == 0) return 0;
  const auto log_delta_at = [&](double log_excess) {
    const double order = 1 + std::exp(log_excess);
    return log_delta_from_renyi(order, rho_ * order, epsilon);
  };
  double low = -12;
  double high = 16;
  for (int step = 0; step < 200; ++step) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (log_delta_at(a) < log_delta_at(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return std::exp(std::min(0.0, log_delta_at(0.5 * (low + high))));
}

std::string ZcdpAccountant::method(double delta) const {
  return fmt::format("zero-concentrated accounting, rho {:.6g}, best order {:.4g}", rho_,
                     concentrated_epsilon(rho_, delta).order);
}

}  // namespace earshot
