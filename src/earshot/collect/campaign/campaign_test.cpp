#include "earshot/collect/campaign/campaign.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/campaign/campaign_document.hpp"
#include "earshot/collect/campaign/collector.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

CheckIns some_check_ins() {
  CheckIns places;
  places.add(0.5, 0.5);
  places.add(1.5, 1.5);
  places.add(5, 5);
  places.add(0.5, 0.5);
  places.users = {"anne", "bob"};
  places.user = {0, 1, 0, 0};
  return places;
}

const PlaceGrid kSquare = PlaceGrid::over({0, 0, 2, 2}, 2, 2);

PlaceMechanism exponential(const PlaceDomain& domain, double epsilon) {
  return make_place_mechanism(domain, {.name = "exponential", .epsilon = epsilon});
}

TEST(Campaign, OutsideIsDroppedOrMovedAndCounted) {
  const Visits dropped = visits_on(kSquare, some_check_ins(), OutsideRule::kDrop);
  EXPECT_EQ(dropped.dropped, 1U);
  EXPECT_THAT(dropped.user, ElementsAre(0, 1, 0));
  EXPECT_EQ(most_reports(dropped), 2U);
  const Visits moved = visits_on(kSquare, some_check_ins(), OutsideRule::kNearest);
  EXPECT_EQ(moved.moved, 1U);
  EXPECT_EQ(moved.place[2], kSquare.nearest_cell(5, 5));
  EXPECT_EQ(most_reports(moved), 3U);
}

TEST(Campaign, AUserWhoReportsTwiceIsPromisedHalfAsMuch) {
  const PlaceDomain domain = grid_domain(kSquare, DistanceUnit::kCells);
  const PlaceMechanism mechanism = exponential(domain, 0.5);
  const double epsilon = mechanism.channel.level().epsilon;
  EXPECT_NEAR(*statement_for(mechanism.channel, 1).epsilon, epsilon, 1e-12);
  EXPECT_NEAR(*statement_for(mechanism.channel, 2).epsilon, 2 * epsilon, 1e-12);
  EXPECT_THAT(statement_for(mechanism.channel, 2).unit, HasSubstr("2 times"));
  const Ledger ledger =
      ledger_of(mechanism.channel, visits_on(kSquare, some_check_ins(), OutsideRule::kDrop));
  ASSERT_EQ(ledger.entries().size(), 2U);
  EXPECT_EQ(std::get<RepeatedRelease>(ledger.entries()[0].release->kind).count, 2U);
  EXPECT_TRUE(std::holds_alternative<MetricRelease>(ledger.entries()[1].release->kind));
}

TEST(Campaign, SimulationsRepeatAndProtectionDoesNot) {
  const PlaceDomain domain = grid_domain(kSquare, DistanceUnit::kCells);
  const PlaceMechanism mechanism = exponential(domain, 0.1);
  Visits visits;
  visits.place.assign(200, 1);
  EXPECT_EQ(simulate_visits(mechanism.channel, visits, 7), simulate_visits(mechanism.channel, visits, 7));
  EXPECT_NE(simulate_visits(mechanism.channel, visits, 7), simulate_visits(mechanism.channel, visits, 8));
  SecureRandom random;
  // Equal with probability below 0.3^200.
  EXPECT_NE(protect_visits(mechanism.channel, visits, random),
            protect_visits(mechanism.channel, visits, random));
}

// Replayable noise must not reach a release: this is refused by the compiler.
template <class Random>
concept ProtectsWith = requires(const ExactChannel& channel, const Visits& visits, Random& random) {
  protect_visits(channel, visits, random);
};
static_assert(ProtectsWith<SecureRandom> && !ProtectsWith<Stream>);

TEST(Campaign, TheTruthIsInTheDocumentOnlyWhenAsked) {
  const PlaceDomain domain = grid_domain(kSquare, DistanceUnit::kCells);
  const MechanismChoice choice{.name = "exponential", .epsilon = 0.5};
  const PlaceMechanism mechanism = make_place_mechanism(domain, choice);
  const Visits visits = visits_on(kSquare, some_check_ins(), OutsideRule::kDrop);
  const std::vector<std::size_t> reports = simulate_visits(mechanism.channel, visits, 1);
  const Collected collected = collect_reports(mechanism, reports, {.replicates = 5});
  CampaignFacts facts{domain, choice, mechanism, visits, collected};
  const Json blind = campaign_document(facts);
  EXPECT_FALSE(blind.contains("truth"));
  EXPECT_FALSE(blind["by_place"].contains("truth"));
  EXPECT_THAT(estimate_table(facts), Not(HasSubstr("truth")));
  EXPECT_EQ(blind["check_ins"]["users"], 2);
  EXPECT_EQ(blind["user_statement"]["epsilon"], 2 * blind["statement"]["epsilon"].get<double>());
  facts.truth = compare_with_truth(collected, tally_visits(visits, 4), domain.metric.between_truths);
  facts.seed = 1;
  // Two check-ins in the south-west, one in the north-east, where cells begin.
  EXPECT_THAT(campaign_document(facts)["by_place"]["truth"].get<std::vector<double>>(),
              ElementsAre(1. / 3, 0, 0, 2. / 3));
  EXPECT_THAT(campaign_document(facts)["statement"]["assumptions"].dump(), HasSubstr("protects nobody"));
  EXPECT_THAT(release_table(mechanism, reports), HasSubstr("row,column,latitude,longitude\n"));
}

TEST(Campaign, NothingInsideIsRefused) {
  const PlaceDomain domain = grid_domain(kSquare, DistanceUnit::kCells);
  EXPECT_THAT([&] { collect_reports(exponential(domain, 1), {}, {}); },
              ThrowsMessage<Error>(HasSubstr("no check-in lies in the box")));
}

// With next to no noise the estimate is the truth; with much of it, still far better than no report at all.
TEST(Campaign, TheEstimateFollowsTheTruthOfParis) {
  EARSHOT_NEEDS_DATASET("gowalla");
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const PlaceDomain domain = grid_domain(grid, DistanceUnit::kCells);
  const Visits visits =
      visits_on(grid, load_gowalla(GowallaCity::kParis, data_directory()), OutsideRule::kDrop);
  EXPECT_EQ(visits.place.size(), 10079U);
  EXPECT_EQ(visits.dropped, 912U);
  const auto distance = [&](double epsilon) {
    const PlaceMechanism mechanism = make_place_mechanism(domain, {.epsilon = epsilon});
    const Collected collected =
        collect_reports(mechanism, simulate_visits(mechanism.channel, visits, 1), {.replicates = 2});
    return compare_with_truth(collected, tally_visits(visits, 165), domain.metric.between_truths);
  };
  const TruthComparison exact = distance(40);
  EXPECT_NEAR(exact.estimate_distance, 0, 1e-6);
  EXPECT_NEAR(exact.uniform_distance, 2.0226, 1e-3);
  const TruthComparison noisy = distance(1);
  EXPECT_GT(noisy.estimate_distance, 0.05);
  EXPECT_LT(noisy.estimate_distance, 0.5);
}

}  // namespace
}  // namespace earshot
