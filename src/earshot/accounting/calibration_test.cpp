#include "earshot/accounting/calibration.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Calibration, FindsTheExactGaussianNoise) {
  const auto release = [](double noise) { return make_release(GaussianRelease{noise}); };
  for (const double epsilon : {0.01, 0.5, 3.0, 200.0}) {
    const double noise = calibrate_noise(release, 100, epsilon, 1e-6, "pld");
    const double exact = 10 / gaussian_mu(epsilon, 1e-6);
    EXPECT_GE(noise, exact * (1 - 1e-9));  // never too little
    EXPECT_NEAR(noise, exact, 2e-5 * exact);
  }
}

/// Honest noise for 1000 local steps at rate 50/205 and delta 1e-4 (improved conversion): 10.3 for a total of
/// 3, where the single-release label has 1.45.
TEST(Calibration, HonestFederatedNoise) {
  const auto noise_for = [](double epsilon) {
    return least_noise(
        [](double noise) {
          RdpAccountant accountant({}, RenyiConversion::kImproved);
          accountant.add(*poisson_sampled(50.0 / 205, make_release(GaussianRelease{noise})), 1000);
          return accountant.epsilon(1e-4);
        },
        epsilon);
  };
  EXPECT_NEAR(noise_for(3), 10.3, 0.06);
  EXPECT_NEAR(noise_for(1), 27.1, 0.1);
  EXPECT_NEAR(noise_for(10), 3.83, 0.02);
}

TEST(Calibration, ImpossibleTargetsAreRefused) {
  const auto release = [](double noise) { return make_release(GaussianRelease{noise}); };
  EXPECT_THROW(calibrate_noise(release, 1, 0, 1e-5, "rdp"), Error);
  EXPECT_THROW(calibrate_noise(release, 1, std::nan(""), 1e-5, "rdp"), Error);
  EXPECT_THROW(least_noise([](double) { return 5.0; }, 1), Error);  // noise does not help
}

}  // namespace
}  // namespace earshot
