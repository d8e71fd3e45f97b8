#include "earshot/audit/clopper_pearson.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// P[Binomial(n, p) >= k], summed term by term.
double upper_tail(std::uint64_t k, std::uint64_t n, double p) {
  double sum = 0;
  for (std::uint64_t i = k; i <= n; ++i) {
    const auto x = static_cast<double>(i);
    const auto m = static_cast<double>(n);
    sum += std::exp(std::lgamma(m + 1) - std::lgamma(x + 1) - std::lgamma(m - x + 1) + x * std::log(p) +
                    (m - x) * std::log1p(-p));
  }
  return sum;
}

TEST(ClopperPearson, BoundsSolveTheBinomialTail) {
  for (const double miss : {0.3, 0.025, 1e-7}) {
    for (const std::uint64_t hits : {1, 2, 13, 59, 60}) {
      EXPECT_NEAR(upper_tail(hits, 60, probability_at_least(hits, 60, miss)) / miss, 1, 1e-8);
    }
    for (const std::uint64_t hits : {0, 1, 13, 58, 59}) {
      const double lower_tail = 1 - upper_tail(hits + 1, 60, probability_at_most(hits, 60, miss));
      EXPECT_NEAR(lower_tail, miss, 1e-11);
    }
  }
}

TEST(ClopperPearson, EndsHaveClosedForms) {
  EXPECT_EQ(probability_at_least(0, 100, 1e-6), 0);
  EXPECT_EQ(probability_at_most(100, 100, 1e-6), 1);
  EXPECT_NEAR(probability_at_most(0, 100'000, 1e-6), -std::expm1(std::log(1e-6) / 100'000), 1e-15);
  EXPECT_NEAR(probability_at_least(100'000, 100'000, 1e-6), std::exp(std::log(1e-6) / 100'000), 1e-15);
}

TEST(ClopperPearson, AgreesWithTables) {
  // 95 % two-sided interval for 5 of 10, as in the tables of Clopper & Pearson (1934).
  EXPECT_NEAR(probability_at_least(5, 10, 0.025), 0.1871, 5e-5);
  EXPECT_NEAR(probability_at_most(5, 10, 0.025), 0.8129, 5e-5);
}

TEST(ClopperPearson, CoversEveryProbability) {
  constexpr std::uint64_t kTrials = 40;
  for (double p = 0.01; p < 1; p += 0.01) {
    double too_high = 0;
    double too_low = 0;
    for (std::uint64_t k = 0; k <= kTrials; ++k) {
      const double probability =
          upper_tail(k, kTrials, p) - (k < kTrials ? upper_tail(k + 1, kTrials, p) : 0);
      if (probability_at_least(k, kTrials, 0.05) > p) too_high += probability;
      if (probability_at_most(k, kTrials, 0.05) < p) too_low += probability;
    }
    EXPECT_LE(too_high, 0.05 + 1e-12) << p;
    EXPECT_LE(too_low, 0.05 + 1e-12) << p;
  }
}

TEST(ClopperPearson, RefusesWhatIsNoCount) {
  EXPECT_THROW(probability_at_least(0, 0, 0.1), Error);
  EXPECT_THROW(probability_at_most(5, 4, 0.1), Error);
  EXPECT_THROW(probability_at_least(1, 4, 0), Error);
  EXPECT_THROW(probability_at_most(1, 4, std::nan("")), Error);
}

}  // namespace
}  // namespace earshot
