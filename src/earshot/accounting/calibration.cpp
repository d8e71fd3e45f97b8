#include "earshot/accounting/calibration.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {
constexpr double kLeastNoise = 1e-6;
constexpr double kMostNoise = 1e12;
constexpr double kPrecision = 1e-5;
}  // namespace

double least_noise(const std::function<double(double)>& epsilon_of, double target) {
  if (!(target > 0) || !std::isfinite(target))
    fail(Fault::kConfig, "the epsilon to calibrate for must be positive and finite");
  double low = 1;
  double high = 1;
  if (epsilon_of(1) > target) {
    while (epsilon_of(high) > target) {
      low = high;
      high *= 2;
      if (high > kMostNoise) fail(Fault::kNumeric, "no reasonable amount of noise reaches that epsilon");
    }
  } else {
    while (epsilon_of(low) <= target) {
      high = low;
      low /= 2;
      if (low < kLeastNoise) return high;
    }
  }
  while (high - low > kPrecision * high) {
    const double middle = std::sqrt(low * high);
    (epsilon_of(middle) > target ? low : high) = middle;
  }
  return high;
}

double calibrate_noise(const std::function<ReleasePointer(double)>& release_of, std::uint64_t count,
                       double epsilon, double delta, std::string_view accountant) {
  return least_noise(
      [&](double noise) {
        const auto fresh = make_accountant(accountant);
        fresh->add(*release_of(noise), count);
        return fresh->epsilon(delta);
      },
      epsilon);
}

}  // namespace earshot
