#include "earshot/audit/distinguisher.hpp"

#include <cmath>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/audit/boxes.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

BlackBox laplace_box(double shift) {
  return {Observation::kScore,
          [shift](std::size_t input, Stream& s) { return (input == 0 ? 0 : shift) + s.laplace(1); }};
}

BlackBox gaussian_box(double shift) {
  return {Observation::kScore,
          [shift](std::size_t input, Stream& s) { return (input == 0 ? 0 : shift) + s.normal(); }};
}

/// Reports 1 with probability `p` on input 0 and `q` on input 1.
BlackBox coin_box(double p, double q) {
  return category_box(
      [p, q](std::size_t input, Stream& s) -> std::size_t { return s.uniform() < (input == 0 ? p : q); });
}

TEST(Distinguisher, BoundOfHitsIsTheFormula) {
  // ln((L - delta) / U) with the closed forms of 0 and all hits.
  const double low = std::pow(1e-3, 1 / 500.0);
  const EpsilonBound bound = bound_of_hits(500, 0, 500, 0.1, 1e-3);
  EXPECT_NEAR(bound.epsilon, std::log((low - 0.1) / (1 - low)), 1e-9);
  EXPECT_EQ(bound_of_hits(10, 10, 100, 0, 1e-3).epsilon, 0);
  EXPECT_EQ(bound_of_hits(1, 0, 100, 0.5, 1e-3).epsilon, 0) << "delta explains it";
}

TEST(Distinguisher, ApproachesTheTruthFromBelow) {
  const DistinguisherOptions options;
  for (const double epsilon : {0.3, 1.0, 2.0}) {
    const double found = epsilon_lower_bound(laplace_box(epsilon), 0, options).epsilon;
    EXPECT_LE(found, epsilon);
    EXPECT_GE(found, epsilon - 0.1);
    const double p = 1 / (1 + std::exp(-epsilon));
    const double coin = epsilon_lower_bound(coin_box(p, 1 - p), 0, options).epsilon;
    EXPECT_LE(coin, epsilon);
    EXPECT_GE(coin, epsilon - 0.1);
  }
}

TEST(Distinguisher, FindsWhatAGaussianLosesAtDelta) {
  const double truth = gaussian_epsilon(1, 0.01);
  const double found = epsilon_lower_bound(gaussian_box(1), 0.01, {}).epsilon;
  EXPECT_LE(found, truth);
  EXPECT_GE(found, 0.8 * truth);
  EXPECT_LT(found, epsilon_lower_bound(gaussian_box(1), 0, {}).epsilon);
}

TEST(Distinguisher, LooksInBothDirections) {
  // Each channel loses ln 100 in one order of the inputs and nearly nothing in the other.
  const EpsilonBound first = epsilon_lower_bound(coin_box(0.1, 0.001), 0, {});
  const EpsilonBound second = epsilon_lower_bound(coin_box(0.001, 0.1), 0, {});
  EXPECT_EQ(first.likelier, 0U);
  EXPECT_EQ(second.likelier, 1U);
  EXPECT_THAT(first.event.categories, ::testing::ElementsAre(1));
  for (const EpsilonBound& bound : {first, second}) {
    EXPECT_LE(bound.epsilon, std::log(100));
    EXPECT_GE(bound.epsilon, std::log(100) - 0.7);
  }
  // The same with scores, below and above a threshold.
  const auto rare = [](std::size_t when, double sign) {
    return BlackBox{Observation::kScore, [when, sign](std::size_t input, Stream& s) {
                      return s.uniform() < (input == when ? 0.1 : 0.001) ? sign : 0;
                    }};
  };
  for (const std::size_t when : {0, 1}) {
    EXPECT_GE(epsilon_lower_bound(rare(when, 1), 0, {}).epsilon, std::log(100) - 0.7);
    EXPECT_GE(epsilon_lower_bound(rare(when, -1), 0, {}).epsilon, std::log(100) - 0.7);
  }
}

TEST(Distinguisher, RarelyExceedsTheTruth) {
  // 200 categories and equal inputs: chance favours some categories on the half that chooses, and a bound
  // computed on that same half would exceed the true epsilon, 0, nearly always. With a false-alarm
  // probability of 0.2, 200 audits exceed it more than 40 + 5.3 sqrt(32) times with probability below 1e-7.
  const BlackBox same = category_box([](std::size_t, Stream& s) -> std::size_t { return s.below(200); });
  const double p = 1 / (1 + std::exp(-1.0));
  int above_zero = 0;
  int above_one = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const DistinguisherOptions options{2000, 0.2, seed};
    above_zero += epsilon_lower_bound(same, 0, options).epsilon > 0;
    above_one += epsilon_lower_bound(coin_box(p, 1 - p), 0, options).epsilon > 1;
  }
  EXPECT_LE(above_zero, 70);
  EXPECT_LE(above_one, 70);
  EXPECT_GE(above_one, 1) << "so conservative that it says little";
}

TEST(Distinguisher, SmallerFalseAlarmsGiveSmallerBounds) {
  double last = 10;
  for (const double false_alarm : {0.1, 1e-3, 1e-6, 1e-12}) {
    const double found = epsilon_lower_bound(laplace_box(1), 0, {50'000, false_alarm, 3}).epsilon;
    EXPECT_LT(found, last);
    last = found;
  }
}

TEST(Distinguisher, DoesNotDependOnThreads) {
  const DistinguisherOptions options{12'345, 1e-6, 7};
  set_thread_count(1);
  const EpsilonBound one = epsilon_lower_bound(laplace_box(1), 0, options);
  set_thread_count(4);
  const EpsilonBound four = epsilon_lower_bound(laplace_box(1), 0, options);
  set_thread_count(0);
  EXPECT_EQ(one.epsilon, four.epsilon);
  EXPECT_EQ(one.event.threshold, four.event.threshold);
  EXPECT_EQ(one.likelier_hits, four.likelier_hits);
  EXPECT_EQ(one.trials, 6'173U) << "the half that tests";
  EXPECT_NE(one.epsilon, epsilon_lower_bound(laplace_box(1), 0, {12'345, 1e-6, 8}).epsilon);
}

TEST(Distinguisher, KnowsWhatItCannotSee) {
  const DistinguisherOptions options{20'000, 1e-6, 1};
  const BlackBox tells = category_box([](std::size_t input, Stream&) { return input; });
  EXPECT_EQ(epsilon_lower_bound(tells, 0.01, options).epsilon, largest_bound(0.01, options));
  const double low = std::pow(0.25e-6, 1e-4);
  EXPECT_NEAR(largest_bound(0, options), std::log(low / (1 - low)), 1e-9);
}

TEST(Distinguisher, RefusesWhatCannotBeTested) {
  const BlackBox broken = {Observation::kScore, [](std::size_t, Stream&) { return std::nan(""); }};
  EXPECT_THROW(epsilon_lower_bound(broken, 0, {}), Error);
  EXPECT_THROW(epsilon_lower_bound(laplace_box(1), 1, {}), Error);
  EXPECT_THROW(epsilon_lower_bound(laplace_box(1), -0.1, {}), Error);
  EXPECT_THROW(epsilon_lower_bound(laplace_box(1), 0, {1, 1e-6, 1}), Error);
  EXPECT_THROW(epsilon_lower_bound(laplace_box(1), 0, {1000, 0, 1}), Error);
}

TEST(Event, SaysWhatItHolds) {
  const Event high{Event::Kind::kAtLeast, 2.5, {}};
  EXPECT_TRUE(high.contains(2.5));
  EXPECT_FALSE(high.contains(2.4));
  EXPECT_EQ(describe(high), "score at least 2.5");
  EXPECT_EQ(describe(Event{Event::Kind::kAtMost, -1, {}}), "score at most -1");
  const Event some{Event::Kind::kCategories, 0, {1, 4}};
  EXPECT_TRUE(some.contains(4));
  EXPECT_FALSE(some.contains(3));
  EXPECT_EQ(describe(some), "output in {1, 4}");
}

TEST(Score, IsTheLogLikelihoodRatio) {
  const VectorPair centres = {std::vector<double>{0, 0}, std::vector<double>{3, 4}};
  const std::vector<double> y = {1, -2};
  EXPECT_DOUBLE_EQ(score(Statistic::kProjection, y, centres), 3 - 8);
  EXPECT_DOUBLE_EQ(score(Statistic::kL1, y, centres), 3 - (2 + 6));
  EXPECT_DOUBLE_EQ(score(Statistic::kL2, y, centres), std::sqrt(5) - std::sqrt(4 + 36));
}

}  // namespace
}  // namespace earshot
