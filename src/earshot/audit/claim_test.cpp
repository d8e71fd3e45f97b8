#include "earshot/audit/claim.hpp"

#include <cmath>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Claim, PureMechanismsStateTheirLargestLoss) {
  EXPECT_DOUBLE_EQ(claim_of(*make_release(LaplaceRelease{0.5}), 0, 1).epsilon, 2);
  EXPECT_DOUBLE_EQ(claim_of(*make_release(PureRelease{"x", 0.7}), 0, 1).epsilon, 0.7);
  EXPECT_NEAR(claim_of(*make_release(FinitePairRelease{"rr", {0.8, 0.2}, {0.2, 0.8}}), 0, 1).epsilon,
              std::log(4), 1e-12);
}

TEST(Claim, DeltaAsksAnAccountant) {
  EXPECT_NEAR(claim_of(*make_release(GaussianRelease{2}), 1e-3, 1).epsilon, gaussian_epsilon(0.5, 1e-3),
              1e-12);
  // Laplace noise of scale 1: delta(epsilon) = 1 - exp((epsilon - 1) / 2).
  EXPECT_NEAR(claim_of(*make_release(LaplaceRelease{1}), 0.1, 1).epsilon, 1 + 2 * std::log(0.9), 1e-3);
  // Of discrete Gaussian vectors only Renyi divergences are known, which can only cost more.
  const double renyi = claim_of(*make_release(DiscreteGaussianRelease{2e6, 1e6, 2}), 1e-3, 1).epsilon;
  EXPECT_GE(renyi, gaussian_epsilon(0.5, 1e-3));
  EXPECT_LE(renyi, 1.3 * gaussian_epsilon(0.5, 1e-3));
}

TEST(Claim, MetricPrivacyIsReadAtADistance) {
  const Claim claim = claim_of(*make_release(MetricRelease{"x", 0.5, 0.01, "km"}), 0, 3);
  EXPECT_DOUBLE_EQ(claim.epsilon, 1.5);
  EXPECT_DOUBLE_EQ(claim.delta, 0.01 * std::exp(1.5));
  EXPECT_THROW(claim_of(*make_release(MetricRelease{"x", 0.5, 0, "km"}), 1e-3, 3), Error);
  EXPECT_THROW(claim_of(*make_release(MetricRelease{"x", 0.5, 0, "km"}), 0, 0), Error);
}

TEST(Claim, NothingStatedIsRefused) {
  EXPECT_THROW(claim_of(*make_release(GaussianRelease{2}), 0, 1), Error);
  EXPECT_THROW(claim_of(*make_release(NotPrivateRelease{"by choice"}), 0, 1), Error);
  EXPECT_THROW(claim_of(*make_release(NotPrivateRelease{"by choice"}), 1e-3, 1), Error);
}

}  // namespace
}  // namespace earshot
