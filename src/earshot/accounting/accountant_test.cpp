#include "earshot/accounting/accountant.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/basic_curves.hpp"
#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/accounting/loss_distribution.hpp"
#include "earshot/accounting/pld_accountant.hpp"
#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ReleasePointer gaussian(double noise) {
  return make_release(GaussianRelease{noise});
}
ReleasePointer sampled(double rate, double noise) {
  return rate == 1 ? gaussian(noise) : poisson_sampled(rate, gaussian(noise));
}
double epsilon(const std::string& accountant, const ReleasePointer& release, std::uint64_t count,
               double delta) {
  const auto a = make_accountant(accountant);
  a->add(*release, count);
  return a->epsilon(delta);
}

// ---- the contract every accountant keeps

class AccountantContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Accountant> fresh() const { return make_accountant(GetParam()); }
  /// Releases that every accountant understands.
  static std::vector<ReleasePointer> releases() {
    return {gaussian(1.3),
            make_release(LaplaceRelease{3}),
            sampled(0.05, 1.1),
            make_release(DiscreteLaplaceRelease{5, 2}),
            make_release(DiscreteGaussianRelease{4, 1, 1}),
            make_release(PureRelease{"poll", 0.4}),
            make_release(FinitePairRelease{"lopsided", {0.6, 0.3, 0.1}, {0.4, 0.3, 0.3}}),
            make_release(SampledWithoutReplacementRelease{50, 10, gaussian(2)})};
  }
};

TEST_P(AccountantContract, NothingReleasedCostsNothing) {
  EXPECT_EQ(fresh()->epsilon(1e-6), 0);
  EXPECT_EQ(fresh()->delta(0), 0);
  const auto accountant = fresh();
  accountant->add(*make_release(ComposedRelease{}));
  accountant->add(*gaussian(1), 0);
  EXPECT_EQ(accountant->epsilon(1e-6), 0);
}

TEST_P(AccountantContract, AnswersStayAboveWhatOneReleaseTrulyCosts) {
  for (const ReleasePointer& release : releases()) {
    SCOPED_TRACE(describe(*release));
    const auto accountant = fresh();
    accountant->add(*release);
    const auto curve = curve_of(*release);
    for (const double delta : {1e-2, 1e-4, 1e-7}) {
      const double e = accountant->epsilon(delta);
      EXPECT_LE(curve->delta(Direction::kRemove, e), delta * (1 + 1e-9));
      EXPECT_LE(curve->delta(Direction::kAdd, e), delta * (1 + 1e-9));
    }
  }
}

TEST_P(AccountantContract, MoreReleasesOrLessDeltaNeverCostLess) {
  for (const ReleasePointer& release : releases()) {
    SCOPED_TRACE(describe(*release));
    const auto accountant = fresh();
    double last = 0;
    for (int i = 0; i < 4; ++i) {
      accountant->add(*release, 1 + 3 * i);
      const double now = accountant->epsilon(1e-5);
      EXPECT_GT(now, last);
      EXPECT_GE(accountant->epsilon(1e-7), now);
      EXPECT_LE(accountant->epsilon(1e-3), now);
      EXPECT_LE(accountant->delta(now), 1e-5 * 1.01);
      EXPECT_GE(accountant->delta(now / 2), accountant->delta(now));
      last = now;
    }
  }
}

TEST_P(AccountantContract, OrderAndGroupingDoNotMatter) {
  const auto one = fresh();
  const auto other = fresh();
  const auto parts = releases();
  for (const ReleasePointer& part : parts) one->add(*part, 6);
  std::vector<ReleasePointer> reversed(parts.rbegin(), parts.rend());
  other->add(*make_release(ComposedRelease{{repeated(2, make_release(ComposedRelease{reversed})),
                                            repeated(4, make_release(ComposedRelease{parts}))}}));
  EXPECT_NEAR(one->epsilon(1e-5), other->epsilon(1e-5), 1e-9 * one->epsilon(1e-5));
}

TEST_P(AccountantContract, WhatIsNotPrivateIsNeverFree) {
  const auto accountant = fresh();
  accountant->add(*repeated(3, make_release(NotPrivateRelease{"sent as it is"})));
  accountant->add(*gaussian(100));
  EXPECT_TRUE(std::isinf(accountant->epsilon(1e-5)));
  EXPECT_EQ(accountant->delta(10), 1);
}

TEST_P(AccountantContract, WhatItCannotInterpretIsRefusedByName) {
  EXPECT_THAT(
      [&] {
        fresh()->add(*make_release(MetricRelease{"place", 1, 0, "km"}));
      },
      ThrowsMessage<Error>(HasSubstr("cannot interpret a \"metric\" release")));
  // A sample of a whole composition has no curve in our terms.
  EXPECT_THAT([&] { fresh()->add(*poisson_sampled(0.5, repeated(2, gaussian(1)))); },
              ThrowsMessage<Error>(HasSubstr("\"repeated\" release")));
}

TEST_P(AccountantContract, BadQuestionsAreRefused) {
  const auto accountant = fresh();
  accountant->add(*gaussian(1));
  for (const double delta : {0.0, 1.0, -0.5, std::nan("")}) EXPECT_THROW(accountant->epsilon(delta), Error);
  EXPECT_THROW(accountant->delta(-1), Error);
  EXPECT_THROW(accountant->delta(std::nan("")), Error);
  EXPECT_THAT(
      [&] { fresh()->add(*repeated(std::uint64_t{1} << 40, repeated(std::uint64_t{1} << 40, gaussian(1)))); },
      ThrowsMessage<Error>(HasSubstr("exceeds what can be counted")));
}

TEST_P(AccountantContract, AMillionDifferentReleasesStayFiniteAndMonotone) {
  const auto accountant = fresh();
  Stream stream({21});
  double last = 0;
  for (int block = 0; block < 10; ++block) {
    for (int i = 0; i < 100000; ++i) accountant->add(*gaussian(50 + 100 * stream.uniform()));
    // Repeated kinds as training has them: a few rates, very many steps.
    accountant->add(*sampled(0.001 * (1 + block % 3), 2), 1000);
    const double now = accountant->epsilon(1e-6);
    EXPECT_TRUE(std::isfinite(now));
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST_P(AccountantContract, ACopyGoesItsOwnWay) {
  const auto accountant = fresh();
  accountant->add(*gaussian(2));
  const auto copy = accountant->clone();
  copy->add(*gaussian(2));
  EXPECT_LT(accountant->epsilon(1e-5), copy->epsilon(1e-5));
  EXPECT_FALSE(copy->method(1e-5).empty());
}

/// A mechanism nobody here has heard of: a fair mixture of two kinds of Laplace noise, told apart.
class MixedNoise : public PrivacyCurve {
 public:
  std::string name() const override { return "mixed noise"; }
  double delta(Direction d, double e) const override { return (a_.delta(d, e) + b_.delta(d, e)) / 2; }
  double reference_tail(Direction d, double e) const override {
    return (a_.reference_tail(d, e) + b_.reference_tail(d, e)) / 2;
  }
  double renyi(double order) const override {
    const auto moment = [&](const LaplaceCurve& c) { return std::exp((order - 1) * c.renyi(order)); };
    return std::log((moment(a_) + moment(b_)) / 2) / (order - 1);
  }
  std::optional<double> concentrated() const override { return largest_loss() * largest_loss() / 2; }
  double largest_loss() const override { return 0.5; }

 private:
  LaplaceCurve a_{0.2};
  LaplaceCurve b_{0.5};
};

TEST_P(AccountantContract, AMechanismOfOnesOwnEntersByItsCurve) {
  const auto own = fresh();
  own->add(std::make_shared<MixedNoise>(), 20);
  own->add(std::make_shared<MixedNoise>(), 10);  // another object, the same mechanism
  const auto weaker = fresh();
  weaker->add(*make_release(LaplaceRelease{2}), 30);  // always the larger loss
  const auto stronger = fresh();
  stronger->add(*make_release(LaplaceRelease{5}), 30);
  EXPECT_LE(own->epsilon(1e-5), weaker->epsilon(1e-5));
  EXPECT_GT(own->epsilon(1e-5), stronger->epsilon(1e-5));
  const auto mixed = fresh();  // alongside releases given as data
  mixed->add(*gaussian(3));
  mixed->add(std::make_shared<MixedNoise>(), 30);
  EXPECT_GT(mixed->epsilon(1e-5), own->epsilon(1e-5));
}

TEST_P(AccountantContract, AGroupCostsMoreThanItsMembersAlone) {
  const auto accountant = fresh();
  accountant->add(*gaussian(20), 5);
  EXPECT_EQ(group_epsilon(*accountant, 1, 1e-6), accountant->epsilon(1e-6));
  const double pair = group_epsilon(*accountant, 2, 1e-6);
  EXPECT_GT(pair, 2 * accountant->epsilon(1e-6));
  EXPECT_GT(group_epsilon(*accountant, 3, 1e-6), pair);
  // Two members move the value twice as far: the exact answer, which the general lemma must not undercut.
  EXPECT_GE(pair, epsilon("pld", gaussian(10), 5, 1e-6));
  EXPECT_THROW(group_epsilon(*accountant, 0, 1e-6), Error);
}

INSTANTIATE_TEST_SUITE_P(All, AccountantContract, ::testing::ValuesIn(accountant_names()),
                         [](const auto& info) { return info.param; });

TEST(Accountant, UnknownNamesGetTheNearestSpelling) {
  EXPECT_THAT([] { make_accountant("pdl"); }, ThrowsMessage<Error>(HasSubstr("did you mean \"pld\"?")));
}

// ---- agreement with others

/// Expected values of the public test suites of TensorFlow Privacy (compute_dp_sgd_privacy_test.py), which
/// uses these orders and the improved conversion; and of Dopamine's published log (classic conversion).
TEST(RdpAgreement, TensorFlowPrivacyAndDopamine) {
  std::vector<double> orders = {1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5};
  for (int i = 5; i < 64; ++i) orders.push_back(i);
  for (const double order : {128., 256., 512.}) orders.push_back(order);
  const auto improved = [&](double rate, double noise, std::uint64_t steps, double delta) {
    RdpAccountant accountant(orders, RenyiConversion::kImproved);
    accountant.add(*sampled(rate, noise), steps);
    return accountant.epsilon(delta);
  };
  EXPECT_NEAR(improved(150.0 / 60000, 1.3, 6000, 1e-5), 0.7242234026109595, 1e-9);
  EXPECT_NEAR(improved(100.0 / 100000, 1.0, 30000, 1e-7), 1.4154988495444845, 1e-9);
  EXPECT_NEAR(improved(1024.0 / 100000000, 0.1, 976563, 1e-7), 5907982.31138195, 1e-3);

  std::vector<double> opacus;
  for (int i = 1; i < 100; ++i) opacus.push_back(1 + i / 10.0);
  for (int i = 12; i < 64; ++i) opacus.push_back(i);
  const auto classic = [&](std::uint64_t steps) {
    RdpAccountant accountant(opacus, RenyiConversion::kClassic);
    accountant.add(*sampled(100.0 / 2930, 1.15), steps);
    return accountant.epsilon(1e-4);
  };
  EXPECT_NEAR(classic(31), 1.60, 0.005);
  EXPECT_NEAR(classic(61), 1.88, 0.005);
  EXPECT_NEAR(classic(301), 3.37, 0.005);
  EXPECT_NEAR(classic(3001), 10.83, 0.005);
}

struct PublishedEpsilon {
  double rate;
  double noise;
  std::uint64_t steps;
  double delta;
  double epsilon;
  double tolerance;  // of the published digits
};

/// PLD answers of TensorFlow Privacy's suite (which asks Google's dp_accounting); the last two from its
/// privacy statement, printed to three decimals, where
/// micro-batching doubles the sensitivity.
TEST(PldAgreement, TensorFlowPrivacy) {
  const PublishedEpsilon published[] = {
      {1, 0.7, 2, 1e-5, 10.1224946, 1e-6},           {1, 0.35, 2, 1e-5, 24.7160779, 1e-6},
      {0.01, 0.7, 120, 1e-5, 2.4612381, 0},          {0.01, 0.35, 120, 1e-5, 18.6977407, 0},
      {0.0064, 1, 782, 1e-6, 1.199, 0.0005 / 1.199}, {1, 1, 5, 1e-6, 12.595, 0.0005 / 12.595}};
  for (const PublishedEpsilon& p : published) {
    PldAccountant accountant;
    accountant.add(*sampled(p.rate, p.noise), p.steps);
    const auto bounds = accountant.epsilon_bounds(p.delta);
    EXPECT_NEAR(bounds.upper, p.epsilon, (p.tolerance == 0 ? 5e-4 : p.tolerance) * p.epsilon);
    EXPECT_LE(bounds.lower, p.epsilon * (1 + p.tolerance + 1e-6));
  }
  // dp_accounting's own suite: three steps at rate 0.2 and noise 0.5 have delta 0.15594 at epsilon 1.
  PldAccountant accountant;
  accountant.add(*sampled(0.2, 0.5), 3);
  EXPECT_NEAR(accountant.delta(1), 0.15594, 1e-4);
}

TEST(RdpAgreement, GroupPrivacyOfTensorFlowPrivacy) {
  RdpAccountant accountant({}, RenyiConversion::kImproved);
  accountant.add(*sampled(0.0064, 1), 782);
  EXPECT_NEAR(accountant.epsilon(1e-6), 1.616, 0.002);
  EXPECT_NEAR(group_epsilon(accountant, 3, 1e-6), 6.425, 0.02);
}

/// Shahbazi 2026 labels a Gaussian sigma by the classical single-release formula at delta 1e-4. What those
/// sigmas promise for one release, and what 1000 local steps at rate 50/205 or 50/293 really cost.
TEST(FederatedLabels, HoldForOneReleaseAndNotForTheSchedule) {
  struct Row {
    double sigma, label, exact_single, classic_293, improved_293, classic_205, improved_205;
  };
  const Row rows[] = {
      {8.69, 0.5, 0.323, 2.88, 2.43, 4.24, 3.66},     {4.34, 1.0, 0.705, 6.26, 5.54, 9.42, 8.53},
      {2.90, 1.5, 1.112, 10.19, 9.26, 15.61, 14.48},  {2.17, 2.0, 1.547, 14.87, 13.75, 23.11, 21.79},
      {1.74, 2.5, 1.993, 20.29, 19.02, 31.93, 30.39}, {1.45, 3.0, 2.460, 26.78, 25.32, 42.43, 40.78}};
  for (const Row& row : rows) {
    EXPECT_NEAR(std::sqrt(2 * std::log(1.25e4)) / row.label, row.sigma, 0.006);
    EXPECT_NEAR(gaussian_epsilon(1 / row.sigma, 1e-4), row.exact_single, 0.0011);
    const auto rdp = [&](double rate, RenyiConversion conversion) {
      RdpAccountant accountant({}, conversion);
      accountant.add(*sampled(rate, row.sigma), 1000);
      return accountant.epsilon(1e-4);
    };
    EXPECT_NEAR(rdp(50.0 / 293, RenyiConversion::kClassic), row.classic_293, 0.006);
    EXPECT_NEAR(rdp(50.0 / 293, RenyiConversion::kImproved), row.improved_293, 0.006);
    EXPECT_NEAR(rdp(50.0 / 205, RenyiConversion::kClassic), row.classic_205, 0.006);
    EXPECT_NEAR(rdp(50.0 / 205, RenyiConversion::kImproved), row.improved_205, 0.006);
    PldAccountant pld;  // tighter than either, and never below the truth's lower bound
    pld.add(*sampled(50.0 / 205, row.sigma), 1000);
    const auto bounds = pld.epsilon_bounds(1e-4);
    EXPECT_LT(bounds.upper, row.improved_205);
    EXPECT_LT(bounds.lower, bounds.upper);
    EXPECT_LT(bounds.upper - bounds.lower, 5e-4 * bounds.upper);
  }
}

TEST(PldAccountant, BoundsEncloseTheTruthOnAGridAndStayBelowRenyi) {
  for (const double sigma : {0.5, 1.0, 10.0}) {
    for (const double rate : {1e-2, 0.1}) {
      for (const std::uint64_t steps : {1, 1000}) {
        PldAccountant pld;
        pld.add(*sampled(rate, sigma), steps);
        const auto bounds = pld.epsilon_bounds(1e-6);
        EXPECT_LE(bounds.lower, bounds.upper);
        EXPECT_LE(bounds.upper - bounds.lower, 1e-3 * bounds.upper);
        EXPECT_LE(bounds.lower, epsilon("rdp", sampled(rate, sigma), steps, 1e-6));
        if (steps == 1) {  // one step is known exactly
          const auto curve = curve_of(*sampled(rate, sigma));
          EXPECT_LE(curve->delta(Direction::kRemove, bounds.upper), 1e-6 * (1 + 1e-9));
          EXPECT_GE(curve->delta(Direction::kRemove, bounds.lower), 1e-6 * (1 - 1e-3));
        }
      }
    }
  }
}

/// Two steps by definition: given the first outcome x with loss l(x), the second step is asked for epsilon -
/// l(x), so delta_2(epsilon) = integral of p(x) delta_1(epsilon - l(x)) dx. No grid of losses, no FFT.
TEST(PldAccountant, TwoSampledStepsAreTheIntegralOverTheFirst) {
  for (const double rate : {0.02, 0.8}) {
    for (const double sigma : {0.7, 2.0}) {
      const auto curve = curve_of(*sampled(rate, sigma));
      const auto density = [&](double x, double mean) {
        return std::exp(-(x - mean) * (x - mean) / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI));
      };
      const auto exact = [&](double epsilon, Direction direction) {
        double sum = 0;
        constexpr int kCells = 4000;
        const double low = -12 * sigma;
        const double width = (24 * sigma + 1) / kCells;
        for (int i = 0; i < kCells; ++i) {  // midpoints: the integrand is smooth and fades at both ends
          const double x = low + (i + 0.5) * width;
          const double without = density(x, 0);
          const double with = (1 - rate) * without + rate * density(x, 1);
          const bool remove = direction == Direction::kRemove;
          const double loss = std::log(with / without) * (remove ? 1 : -1);
          sum += width * (remove ? with : without) * curve->delta(direction, epsilon - loss);
        }
        return sum;
      };
      PldAccountant pld;
      pld.add(*sampled(rate, sigma), 2);
      constexpr double delta = 1e-5;
      const auto bounds = pld.epsilon_bounds(delta);
      const double at_upper =
          std::max(exact(bounds.upper, Direction::kRemove), exact(bounds.upper, Direction::kAdd));
      const double at_lower =
          std::max(exact(bounds.lower, Direction::kRemove), exact(bounds.lower, Direction::kAdd));
      EXPECT_LE(at_upper, delta * (1 + 1e-6));
      EXPECT_GE(at_upper, delta * (1 - 5e-3));
      EXPECT_GE(at_lower, delta * (1 - 1e-6));
      EXPECT_LE(at_lower, delta * (1 + 5e-3));
    }
  }
}

/// k-fold randomised response has a binomial loss: delta = sum over outcomes, in closed form.
TEST(PldAccountant, RandomisedResponseIsBinomial) {
  const double e = 0.3;
  const double p = 1 / (1 + std::exp(-e));
  const int n = 60;
  const auto exact_delta = [&](double epsilon) {
    double sum = 0;
    for (int k = 0; k <= n; ++k) {
      const double log_weight = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                k * std::log(p) + (n - k) * std::log1p(-p);
      sum += std::exp(log_weight) * std::max(0.0, -std::expm1(epsilon - e * (2 * k - n)));
    }
    return sum;
  };
  PldAccountant accountant;
  accountant.add(*make_release(PureRelease{"coin", e}), n);
  for (const double delta : {1e-2, 1e-5, 1e-8}) {
    const auto bounds = accountant.epsilon_bounds(delta);
    EXPECT_LE(exact_delta(bounds.upper), delta * (1 + 1e-6));
    EXPECT_GE(exact_delta(bounds.lower), delta * (1 - 1e-4));
    EXPECT_LT(bounds.upper - bounds.lower, 1e-3 * bounds.upper);
  }
  EXPECT_NEAR(accountant.delta(3), exact_delta(3), 1e-4 * exact_delta(3));
}

/// The FFT route without the closed-form shortcut must find the composition of Gaussians by itself.
TEST(LossDistribution, ComposesGaussiansToAGaussian) {
  const GaussianCurve one(0.05);
  const double exact = gaussian_epsilon(0.05 * std::sqrt(400.0), 1e-6);
  for (const Bound bound : {Bound::kUpper, Bound::kLower}) {
    const LossRange range = loss_range(one, Direction::kRemove, 1e-14);
    const ComposedLoss loss =
        compose({{discretise(one, Direction::kRemove, 0.001, range, bound), 400}}, 1e-12);
    const double e = epsilon_of(loss.distribution, 1e-6);
    const double overshoot = (e / exact - 1) * (bound == Bound::kUpper ? 1 : -1);
    EXPECT_GE(overshoot, -1e-7);
    EXPECT_NEAR(e, exact, 2e-4 * exact);
    EXPECT_NEAR(delta_of(loss.distribution, e), 1e-6, 1e-12);
  }
}

TEST(LossDistribution, DiscretisationsBracketEveryCurve) {
  for (const ReleasePointer& release :
       {gaussian(0.7), sampled(0.02, 0.9), make_release(LaplaceRelease{0.8}),
        make_release(SampledWithoutReplacementRelease{10, 3, gaussian(1)}),
        make_release(FinitePairRelease{"lopsided", {0.6, 0.3, 0.1}, {0.4, 0.3, 0.3}})}) {
    SCOPED_TRACE(describe(*release));
    const auto curve = curve_of(*release);
    for (const Direction d : {Direction::kRemove, Direction::kAdd}) {
      const LossRange range = loss_range(*curve, d, 1e-12);
      const double step = 0.01;
      const LossDistribution upper = discretise(*curve, d, step, range, Bound::kUpper);
      const LossDistribution lower = discretise(*curve, d, step, range, Bound::kLower);
      for (double e = -1.3; e < 3; e += 0.0137) {
        EXPECT_GE(delta_of(upper, e), curve->delta(d, e) - 1e-11);
        EXPECT_LE(delta_of(lower, e), curve->delta(d, e) + 1e-11);
      }
    }
  }
}

TEST(PldAccountant, AnInfiniteLossIsOnlyCoveredByItsDelta) {
  PldAccountant accountant;
  accountant.add(*make_release(CurveRelease{"own", {1}, {1e-4}}), 3);
  EXPECT_TRUE(std::isinf(accountant.epsilon(2e-4)));
  EXPECT_LE(accountant.epsilon(3.01e-4), 3.02);
  EXPECT_GE(accountant.epsilon(3.01e-4), 2.5);
  // dp_accounting: (1, 0.1) and (2, 0.2) together are (3, 0.28).
  PldAccountant two;
  two.add(*make_release(CurveRelease{"a", {1}, {0.1}}));
  two.add(*make_release(CurveRelease{"b", {2}, {0.2}}));
  EXPECT_NEAR(two.delta(3), 0.28, 1e-3);
}

TEST(PldAccountant, LaplaceNeverExceedsPureComposition) {
  PldAccountant accountant;
  accountant.add(*make_release(LaplaceRelease{1}), 3);
  accountant.add(*make_release(LaplaceRelease{2}), 2);
  EXPECT_LE(accountant.epsilon(1e-9), 4 * (1 + 2e-2));
  EXPECT_LT(accountant.delta(4.1), 1e-9);
  EXPECT_LT(accountant.epsilon(0.02), 3.9);
}

}  // namespace
}  // namespace earshot
