#include "earshot/collect/privic/comparison.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/privacy_check.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::random_distribution;

TEST(MechanismComparison, LaplaceKernelsMatchAsAsked) {
  Stream stream({1, Purpose::kTest});
  const Distances d = grid_metric(3, 4);
  const LaplaceMap map{d, d};
  const std::vector<double> prior = random_distribution(12, stream);
  const BlahutArimoto mechanism(d, 0.9);
  const Channel channel = mechanism.channel(mechanism.run(prior, {}).shape);
  EXPECT_EQ(matching_epsilon(MatchedBy::kPrivacy, prior, channel, map), metric_privacy(channel, d).epsilon);
  const Channel as_far = laplace_kernel(d, matching_epsilon(MatchedBy::kDistortion, prior, channel, map));
  EXPECT_NEAR(average_distortion(prior, as_far, d), average_distortion(prior, channel, d), 1e-8);
  const Channel as_telling =
      laplace_kernel(d, matching_epsilon(MatchedBy::kInformation, prior, channel, map));
  EXPECT_NEAR(mutual_information(prior, as_telling), mutual_information(prior, channel), 1e-8);
  // Blahut-Arimoto tells least at its distortion, so whoever tells as much is at least as far off.
  EXPECT_GE(mutual_information(prior, as_far), mutual_information(prior, channel));
  EXPECT_GE(average_distortion(prior, as_telling, d), average_distortion(prior, channel, d));
}

TEST(MechanismComparison, NothingToMatchIsEpsilonZero) {
  const Distances d = grid_metric(1, 3);
  const Channel constant{3, 3, {0, 0, 1, 0, 0, 1, 0, 0, 1}};
  const std::vector<double> prior{0.5, 0.25, 0.25};
  EXPECT_EQ(matching_epsilon(MatchedBy::kInformation, prior, constant, {d, d}), 0);
  EXPECT_EQ(matching_epsilon(MatchedBy::kDistortion, prior, constant, {d, d}), 0);
  EXPECT_EQ(matching_epsilon(MatchedBy::kPrivacy, prior, constant, {d, d}), 0);
}

TEST(MechanismComparison, ScoresOfAnOpenBook) {
  const Distances d = grid_metric(1, 2);
  const Channel truth{2, 2, {1, 0, 0, 1}};
  const MechanismScore score = score_mechanism(std::vector{0.5, 0.5}, truth, {d, d}, std::vector{0.75, 0.25});
  EXPECT_EQ(score.epsilon, HUGE_VAL);
  EXPECT_DOUBLE_EQ(score.information, 1);
  EXPECT_EQ(score.distortion, 0);
  EXPECT_DOUBLE_EQ(score.emd, 0.25);
  EXPECT_EQ(score.adversary_error, 0);
  EXPECT_EQ(score.adversary_top1, 1);
}

}  // namespace
}  // namespace earshot
