#include "earshot/collect/privic/reporters.hpp"

#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::size_t> kPeople{500, 0, 300, 200};
const Channel kTruth{4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
const StreamName kName{7, Purpose::kTest};

double total(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

TEST(Reporters, EverybodyReportsInEveryCycle) {
  const Reporters reporters(kPeople, Turnout::kEverybody, 1, {}, kName);
  EXPECT_THAT(reporters.reports(kTruth, 0), ElementsAre(500, 0, 300, 200));
  const Channel noisy = randomised_response_channel(4, 1);
  EXPECT_EQ(total(reporters.reports(noisy, 0)), 1000);
  EXPECT_EQ(reporters.reports(noisy, 3), reporters.reports(noisy, 3));
  EXPECT_NE(reporters.reports(noisy, 3), reporters.reports(noisy, 4));
}

TEST(Reporters, ReportsFollowTheChannel) {
  const Reporters reporters(std::vector<std::size_t>{0, 100'000, 0, 0}, Turnout::kEverybody, 1, {}, kName);
  const Channel noisy = randomised_response_channel(4, 1);
  const std::vector<double> counts = reporters.reports(noisy, 0);
  std::map<std::size_t, std::uint64_t> seen;
  std::map<std::size_t, double> expected;
  for (std::size_t y = 0; y < 4; ++y) {
    seen[y] = static_cast<std::uint64_t>(counts[y]);
    expected[y] = noisy(1, y);
  }
  EXPECT_LT(chi_square_excess(seen, expected), 1);
}

TEST(Reporters, FreshSharesNeverRepeatAndRandomOnesDo) {
  const Reporters fresh(kPeople, Turnout::kFreshShare, 0.25, {}, kName);
  std::vector<double> sum(4);
  for (std::size_t cycle = 0; cycle < 4; ++cycle) {
    const std::vector<double> batch = fresh.reports(kTruth, cycle);
    EXPECT_EQ(total(batch), 250);
    for (std::size_t x = 0; x < 4; ++x) sum[x] += batch[x];
  }
  EXPECT_THAT(sum, ElementsAre(500, 0, 300, 200));
  EXPECT_THAT([&] { fresh.reports(kTruth, 4); },
              ThrowsMessage<Error>(HasSubstr("nobody new is left for cycle 5")));
  const Reporters drawn(kPeople, Turnout::kRandomShare, 0.25, {}, kName);
  EXPECT_EQ(total(drawn.reports(kTruth, 9)), 250);
  EXPECT_NE(drawn.reports(kTruth, 0), drawn.reports(kTruth, 1));
}

TEST(Reporters, AFractionOfThePeopleLastsForAsManyCycles) {
  const Reporters half(std::vector<std::size_t>{7, 8}, Turnout::kFreshShare, 0.5, {}, kName);
  EXPECT_NO_THROW(half.check_cycles(2));
  EXPECT_THROW(half.check_cycles(3), Error);
  const Reporters rounded(std::vector<std::size_t>{100}, Turnout::kRandomShare, 0.29, {}, kName);
  EXPECT_EQ(total(rounded.reports({1, 1, {1}}, 0)), 29) << "0.29 * 100 is a little below 29";
}

TEST(Reporters, LiarsMakeUpTheirShare) {
  FalseReporters liars{.share = 0.2, .place = 1, .manner = FalseReporters::Manner::kPretend};
  EXPECT_THAT(Reporters(kPeople, Turnout::kEverybody, 1, liars, kName).reports(kTruth, 0),
              ElementsAre(500, 250, 300, 200));
  const Channel hidden{4, 4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
  EXPECT_THAT(Reporters(kPeople, Turnout::kEverybody, 1, liars, kName).reports(hidden, 0),
              ElementsAre(0, 0, 0, 1250));
  liars.manner = FalseReporters::Manner::kReport;
  EXPECT_THAT(Reporters(kPeople, Turnout::kEverybody, 1, liars, kName).reports(hidden, 0),
              ElementsAre(0, 250, 0, 1000));
}

TEST(Reporters, WhatCannotBeIsRefused) {
  const auto make = [](double share, FalseReporters liars) {
    return [=] { Reporters(kPeople, Turnout::kRandomShare, share, liars, kName); };
  };
  EXPECT_THAT(make(0, {}), ThrowsMessage<Error>(HasSubstr("(0, 1]")));
  EXPECT_THAT(make(1e-6, {}), ThrowsMessage<Error>(HasSubstr("nobody reports")));
  EXPECT_THAT(make(1, {.share = 1}), ThrowsMessage<Error>(HasSubstr("[0, 1)")));
  EXPECT_THAT(make(1, {.share = 0.1, .place = 4}), ThrowsMessage<Error>(HasSubstr("place 4")));
}

}  // namespace
}  // namespace earshot
