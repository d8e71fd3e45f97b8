#include "earshot/collect/estimation/adversary.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::random_channel;
using ::earshot::testing::random_distribution;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Adversary, NoStrategyBeatsTheBayesianOne) {
  // All 4^3 ways to guess one of four places from one of three reports.
  Stream stream({1, Purpose::kTest});
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::vector<double> prior = random_distribution(4, stream, 0.2);
    const Channel channel = random_channel(4, 3, 0.2, stream);
    const Distances d = grid_metric(2, 2);
    double least = HUGE_VAL;
    for (std::size_t strategy = 0; strategy < 64; ++strategy) {
      const std::size_t guess[] = {strategy % 4, strategy / 4 % 4, strategy / 16};
      double error = 0;
      for (std::size_t x = 0; x < 4; ++x) {
        for (std::size_t y = 0; y < 3; ++y) error += prior[x] * channel(x, y) * d(x, guess[y]);
      }
      least = std::min(least, error);
    }
    const BayesAttack attack = bayes_attack(prior, channel, d);
    EXPECT_NEAR(attack.expected_error, least, 1e-14);
    double blind = HUGE_VAL;
    for (std::size_t z = 0; z < 4; ++z) {
      double error = 0;
      for (std::size_t x = 0; x < 4; ++x) error += prior[x] * d(x, z);
      blind = std::min(blind, error);
    }
    EXPECT_NEAR(attack.error_without_report, blind, 1e-14);
    EXPECT_LE(attack.expected_error, blind + 1e-14);
  }
}

TEST(Adversary, TopKIsTheBestSetOfThatSize) {
  Stream stream({2, Purpose::kTest});
  const std::vector<double> prior = random_distribution(4, stream);
  const Channel channel = random_channel(4, 5, 0.2, stream);
  for (std::size_t k = 1; k <= 4; ++k) {
    double success = 0;
    for (std::size_t y = 0; y < 5; ++y) {
      double best = 0;
      for (unsigned set = 0; set < 16; ++set) {
        double mass = 0;
        std::size_t members = 0;
        for (std::size_t x = 0; x < 4; ++x) {
          if ((set >> x & 1U) == 0) continue;
          ++members;
          mass += prior[x] * channel(x, y);
        }
        if (members == k) best = std::max(best, mass);
      }
      success += best;
    }
    EXPECT_NEAR(top_k_success(prior, channel, k), success, 1e-15);
  }
  EXPECT_DOUBLE_EQ(top_k_success(prior, channel, 4), 1);
  EXPECT_THAT([&] { top_k_success(prior, channel, 5); }, ThrowsMessage<Error>(HasSubstr("between 1 and 4")));
}

TEST(Adversary, PosteriorsAreBayes) {
  const Channel channel{2, 2, {0.9, 0.1, 0.2, 0.8}};
  EXPECT_THAT(posterior(std::vector{0.25, 0.75}, channel, 0), ElementsAre(DoubleEq(0.6), DoubleEq(0.4)));
  EXPECT_THAT(
      [] {
        posterior(std::vector{1.0, 0.0}, Channel{2, 2, {1, 0, 0, 1}}, 1);
      },
      ThrowsMessage<Error>(HasSubstr("report 1 has probability 0")));
}

TEST(Adversary, ExposureOfOnePlace) {
  const Channel channel{
      3, 4, {0.1, 0.6, 0.2, 0.1, 0, 0.5, 0.5, 0, 0, 0, 1, 0}};  // the fourth report is off the map
  const std::vector<std::size_t> zone{0, 2};
  const PlaceExposure exposed = place_exposure(channel, grid_metric(1, 3), 0, zone);
  EXPECT_EQ(exposed.mode, 1U);
  EXPECT_DOUBLE_EQ(exposed.mode_probability, 0.6);
  EXPECT_DOUBLE_EQ(exposed.self, 0.1);
  EXPECT_DOUBLE_EQ(exposed.zone, 0.1 + 0.2);
  EXPECT_DOUBLE_EQ(exposed.expected_distance, 0.6 + 2 * 0.2);
  EXPECT_THAT([&] { place_exposure(channel, grid_metric(1, 3), 3, zone); },
              ThrowsMessage<Error>(HasSubstr("no place 3")));
}

TEST(Adversary, IslandsAndFalseReportersKeepMassOne) {
  const std::vector<double> prior{0.5, 0.2, 0.2, 0.1};
  const std::vector<std::size_t> zone{1, 2};
  const std::vector<MassAt> added{{1, 0.1}, {3, 0.3}};
  EXPECT_THAT(island_prior(prior, zone, added),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.1), DoubleEq(0), DoubleEq(0.4)));
  EXPECT_THAT(
      [&] {
        island_prior(prior, zone, std::vector<MassAt>{{1, 0.1}});
      },
      ThrowsMessage<Error>(HasSubstr("make up")));
  EXPECT_THAT(contaminated_prior(prior, 3, 0.5),
              ElementsAre(DoubleEq(0.25), DoubleEq(0.1), DoubleEq(0.1), DoubleEq(0.55)));
  EXPECT_THAT([&] { contaminated_prior(prior, 3, 1.5); }, ThrowsMessage<Error>(HasSubstr("[0, 1]")));
}

}  // namespace
}  // namespace earshot
