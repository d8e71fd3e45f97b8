#include "earshot/accounting/accountant.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "earshot/accounting/pld_accountant.hpp"
#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/accounting/zcdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(Fault::kConfig, "the number of releases exceeds what can be counted");
  return product;
}

}  // namespace

void for_each_leaf(const ReleaseEvent& event, std::uint64_t count,
                   const std::function<void(const ReleaseEvent&, std::uint64_t)>& visit) {
  if (const auto* repetition = std::get_if<RepeatedRelease>(&event.kind)) {
    for_each_leaf(*repetition->inner, times(count, repetition->count), visit);
  } else if (const auto* composition = std::get_if<ComposedRelease>(&event.kind)) {
    for (const ReleasePointer& part : composition->parts) for_each_leaf(*part, count, visit);
  } else {
    visit(event, count);
  }
}

void Accountant::add(const ReleaseEvent& event, std::uint64_t count) {
  if (count == 0) return;
  for_each_leaf(event, count, [&](const ReleaseEvent& leaf, std::uint64_t times) {
    if (std::holds_alternative<NotPrivateRelease>(leaf.kind)) {
      not_private_ = true;
    } else if (std::holds_alternative<MetricRelease>(leaf.kind)) {
      fail(Fault::kConfig,
           fmt::format("the {} accountant cannot interpret a \"metric\" release: its epsilon is per "
                       "unit of distance; use the metric accountant",
                       name()));
    } else {
      add_curve(
          to_json(leaf).dump(), [&leaf] { return curve_of(leaf); }, times);
    }
  });
}

void Accountant::add(const std::shared_ptr<const PrivacyCurve>& curve, std::uint64_t count) {
  if (curve == nullptr) fail(Fault::kInternal, "a privacy curve must not be null");
  if (count > 0)
    add_curve(
        "", [&curve] { return curve; }, count);
}

double Accountant::epsilon(double delta) const {
  if (!(delta > 0 && delta < 1)) fail(Fault::kConfig, "delta must lie strictly between 0 and 1");
  return not_private_ ? kInfinity : private_epsilon(delta);
}

double Accountant::delta(double epsilon) const {
  if (!(epsilon >= 0)) fail(Fault::kConfig, "epsilon must not be negative");
  return not_private_ ? 1 : private_delta(epsilon);
}

std::vector<std::string> accountant_names() {
  return {"rdp", "zcdp", "pld"};
}

std::unique_ptr<Accountant> make_accountant(std::string_view name) {
  if (name == "rdp") return std::make_unique<RdpAccountant>();
  if (name == "zcdp") return std::make_unique<ZcdpAccountant>();
  if (name == "pld") return std::make_unique<PldAccountant>();
  fail(Fault::kUsage,
       fmt::format("no accountant is called \"{}\": {}", name, suggest(name, accountant_names())));
}

double group_epsilon(const Accountant& accountant, std::uint64_t group, double delta) {
  if (group == 0) fail(Fault::kConfig, "a group has at least one member");
  if (group == 1) return accountant.epsilon(delta);
  // One member at (e, d) gives the group (k e, d (e^(k e) - 1) / (e^e - 1)); d falls until that fits.
  const auto k = static_cast<double>(group);
  const auto log_group_delta = [&](double log_delta) {
    const double e = accountant.epsilon(std::exp(log_delta));
    if (!std::isfinite(e)) return kInfinity;
    const double growth =
        e == 0 ? std::log(k) : (k - 1) * e + std::log(-std::expm1(-k * e) / -std::expm1(-e));
    return log_delta + growth;
  };
  double high = std::log(delta);
  double low = high - 1;
  while (log_group_delta(low) > std::log(delta)) {
    high = low;
    low = 2 * low;
    if (low < -700) return kInfinity;
  }
  while (high - low > 1e-6 * std::abs(high)) {
    const double middle = 0.5 * (low + high);
    (log_group_delta(middle) > std::log(delta) ? high : low) = middle;
  }
  return k * accountant.epsilon(std::exp(low));
}

}  // namespace earshot
