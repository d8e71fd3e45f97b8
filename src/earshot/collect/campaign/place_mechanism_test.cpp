#include "earshot/collect/campaign/place_mechanism.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/utility.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

PlaceDomain small_grid(DistanceUnit unit) {
  return grid_domain(PlaceGrid::over({48.8, 2.2, 48.83, 2.25}, 3, 4), unit);
}

/// The definition on the integers.
double slow_epsilon(const ExactChannel& channel, const Distances& metric) {
  double worst = 0;
  for (std::size_t x = 0; x < channel.inputs(); ++x)
    for (std::size_t z = 0; z < channel.inputs(); ++z)
      for (std::size_t y = 0; y < channel.outputs() && x != z; ++y)
        if (channel.weight(x, y) > 0)
          worst =
              std::max(worst, std::log(channel.probability(y, x) / channel.probability(y, z)) / metric(x, z));
  return worst;
}

// One promise for all of them: what is sampled is at least as private as what was asked for.
TEST(PlaceMechanism, EveryOneKeepsTheEpsilonAskedFor) {
  for (const DistanceUnit unit : {DistanceUnit::kCells, DistanceUnit::kProjectedMetres}) {
    const PlaceDomain domain = small_grid(unit);
    const double cell = unit == DistanceUnit::kCells ? 1 : 1000;
    for (const std::string& name : place_mechanism_names()) {
      if (name == "truncated_laplace") continue;
      for (const double epsilon : {0.0, 0.3 / cell, 2 / cell}) {
        const PlaceMechanism mechanism = make_place_mechanism(domain, {.name = name, .epsilon = epsilon});
        const double slow = slow_epsilon(mechanism.channel, domain.metric.between_truths);
        // Randomised response is asked for an epsilon between any two places, however near.
        const double promised =
            name == "randomised_response" ? epsilon / (unit == DistanceUnit::kCells ? 1 : 900) : epsilon;
        EXPECT_LE(mechanism.channel.level().epsilon, promised * (1 + 1e-9)) << name << " " << epsilon;
        EXPECT_GE(mechanism.channel.level().epsilon, slow) << name;
        EXPECT_NEAR(mechanism.channel.level().epsilon, slow, 1e-9 * slow + 1e-12) << name;
        if (epsilon == 0) {
          EXPECT_EQ(slow, 0) << name;
        }
      }
    }
  }
}

TEST(PlaceMechanism, TruncationStatesADelta) {
  const PlaceDomain domain = small_grid(DistanceUnit::kCells);
  const PlaceMechanism mechanism =
      make_place_mechanism(domain, {.name = "truncated_laplace", .epsilon = 1, .radius = 1.5});
  EXPECT_EQ(mechanism.channel.level().epsilon, HUGE_VAL);
  EXPECT_GT(mechanism.channel.approximate()->delta, 0);
  EXPECT_EQ(std::get<MetricRelease>(mechanism.channel.release()->kind).epsilon, 1);
}

TEST(PlaceMechanism, AsPublishedTheKernelIsSteeperThanItsPromise) {
  const PlaceDomain domain = small_grid(DistanceUnit::kCells);
  MechanismChoice choice{.name = "laplace", .epsilon = 1, .margin = 0};
  const PlaceMechanism kept = make_place_mechanism(domain, choice);
  choice.as_published = true;
  const PlaceMechanism published = make_place_mechanism(domain, choice);
  EXPECT_LE(kept.channel.level().epsilon, 1 + 1e-9);
  EXPECT_GT(kept.channel.level().epsilon, 0.99);  // no more noise than the promise needs
  EXPECT_GT(published.channel.level().epsilon, 1.1);
  choice.margin = 2;
  EXPECT_EQ(make_place_mechanism(domain, choice).reports->cells(), 7U * 8U);
}

TEST(PlaceMechanism, TheOptimalOneLosesLeast) {
  const PlaceDomain domain = small_grid(DistanceUnit::kCells);
  std::vector<double> prior(12, 0.5 / 11);
  prior[5] = 0.5;
  const auto loss = [&](const std::string& name) {
    const PlaceMechanism mechanism = make_place_mechanism(
        domain, {.name = name, .epsilon = 0.8, .margin = 0, .dilation = 1, .prior = prior});
    return average_distortion(prior, mechanism.channel.channel(), mechanism.to_reports);
  };
  const double best = loss("optimal");
  for (const char* other : {"planar_laplace", "laplace", "exponential", "blahut_arimoto"})
    EXPECT_LT(best, loss(other)) << other;
}

TEST(PlaceMechanism, MetricsWithoutAMap) {
  const PlaceDomain domain = metric_domain({3, 3, {0, 1, 2, 1, 0, 1.5, 2, 1.5, 0}}, "minute");
  for (const char* name : {"laplace", "exponential", "blahut_arimoto", "optimal"}) {
    const PlaceMechanism mechanism = make_place_mechanism(domain, {.name = name, .epsilon = 1});
    EXPECT_LE(mechanism.channel.level().epsilon, 1 + 1e-9) << name;
    EXPECT_FALSE(mechanism.reports);
  }
  EXPECT_THAT([&] { make_place_mechanism(domain, {.name = "planar_laplace", .epsilon = 1}); },
              ThrowsMessage<Error>(HasSubstr("needs a grid")));
}

TEST(PlaceMechanism, OnePlaceAndHugeEpsilonsByRule) {
  const PlaceDomain one = grid_domain(PlaceGrid::over({0, 0, 1, 1}, 1, 1), DistanceUnit::kCells);
  for (const std::string& name : place_mechanism_names()) {
    const PlaceMechanism mechanism = make_place_mechanism(one, {.name = name, .epsilon = 1, .margin = 0});
    EXPECT_EQ(mechanism.channel.probability(0, 0), 1) << name;
    EXPECT_EQ(mechanism.channel.level().epsilon, 0) << name;
  }
  // Whatever is asked for, no report is more than 2^40 times as likely from one place as from another.
  const PlaceDomain domain = small_grid(DistanceUnit::kCells);
  for (const char* name : {"planar_laplace", "laplace", "exponential", "randomised_response"}) {
    for (const double epsilon : {1e3, 1e300, HUGE_VAL}) {
      const PlaceMechanism mechanism = make_place_mechanism(domain, {.name = name, .epsilon = epsilon});
      EXPECT_LE(mechanism.channel.level().epsilon, 40 * std::log(2) + 1e-9) << name;
    }
  }
  for (const char* name : {"blahut_arimoto", "optimal"})
    EXPECT_THROW(make_place_mechanism(domain, {.name = name, .epsilon = HUGE_VAL}), Error) << name;
}

TEST(PlaceMechanism, WrongChoicesAreRefused) {
  const PlaceDomain domain = small_grid(DistanceUnit::kCells);
  EXPECT_THAT([&] { make_place_mechanism(domain, {.name = "laplas", .epsilon = 1}); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"laplace\"")));
  EXPECT_THAT([&] { make_place_mechanism(domain, {.name = "exponential", .epsilon = -1}); },
              ThrowsMessage<Error>(HasSubstr("epsilon is -1")));
  EXPECT_THAT([&] { make_place_mechanism(domain, {.name = "optimal", .epsilon = 1, .prior = {1}}); },
              ThrowsMessage<Error>(HasSubstr("the prior")));
}

}  // namespace
}  // namespace earshot
