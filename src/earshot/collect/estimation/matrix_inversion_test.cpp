#include "earshot/collect/estimation/matrix_inversion.hpp"

#include <gmock/gmock.h>

#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/mle_uniqueness.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::largest_difference;
using ::earshot::testing::random_distribution;
using ::earshot::testing::through;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Channel elastic_channel(std::size_t iterations, Stream& stream) {
  const BlahutArimoto mechanism(grid_metric(3, 4), 1);
  return mechanism.channel(mechanism.run(random_distribution(12, stream), {.iterations = iterations}).shape);
}

const Channel kMiddle{3, 3, {0, 1, 0, 0, 1, 0, 0, 1, 0}};  // Biswas 2024, Example 3.6.1

TEST(MatrixInversion, TakesExactSharesBack) {
  Stream stream({1, Purpose::kTest});
  const std::vector<double> theta = random_distribution(12, stream, 0.3);
  const Channel channel = elastic_channel(3, stream);
  const InversionEstimate estimate =
      invert_channel({channel, through(theta, channel)}, SimplexRule::kNearestPoint);
  EXPECT_LT(largest_difference(estimate.distribution, theta), 1e-11);
}

TEST(MatrixInversion, MoreReportsThanPlacesAreFittedInLeastSquares) {
  // One place reported as 0 or 1 evenly, the other as 2: shares (0.4, 0.2, 0.4) fit best at 3/5 and 2/5.
  const Channel channel{2, 3, {0.5, 0.5, 0, 0, 0, 1}};
  const InversionEstimate estimate = invert_channel({channel, {4, 2, 4}}, SimplexRule::kNearestPoint);
  EXPECT_NEAR(estimate.raw[0], 0.6, 1e-14);
  EXPECT_NEAR(estimate.raw[1], 0.4, 1e-14);
}

TEST(MatrixInversion, NegativeSharesFollowTheRule) {
  // Randomised response with 0.6 and 0.2: raw = (q - 0.2) / 0.4.
  const Channel channel{3, 3, {0.6, 0.2, 0.2, 0.2, 0.6, 0.2, 0.2, 0.2, 0.6}};
  const ReportBatch batch{channel, {60, 30, 10}};
  const InversionEstimate nearest = invert_channel(batch, SimplexRule::kNearestPoint);
  EXPECT_LT(largest_difference(nearest.raw, std::vector{1.0, 0.25, -0.25}), 1e-14);
  EXPECT_LT(largest_difference(nearest.distribution, std::vector{0.875, 0.125, 0.0}), 1e-14);
  EXPECT_LT(largest_difference(invert_channel(batch, SimplexRule::kClipAndNormalise).distribution,
                               std::vector{0.8, 0.2, 0.0}),
            1e-14);
}

TEST(MatrixInversion, ASingularChannelIsRefused) {
  EXPECT_THAT(
      [] {
        invert_channel({kMiddle, {0, 5, 0}}, SimplexRule::kNearestPoint);
      },
      ThrowsMessage<Error>(HasSubstr("cannot be inverted")));
}

TEST(MleUniqueness, FewIterationsOfBlahutArimotoDetermineTheEstimate) {
  Stream stream({2, Purpose::kTest});
  const Channel channel = elastic_channel(3, stream);
  const MleUniqueness unique =
      mle_uniqueness(ReportLikelihood(ReportBatch{channel, std::vector<double>(12, 5)}));
  EXPECT_TRUE(unique.strictly_concave());
  EXPECT_EQ(unique.places, 12U);
  EXPECT_GT(unique.smallest_singular_value, 1e-3);
  // In the limit reports die out and the promise of the theorem with them.
  Channel limit = elastic_channel(20'000, stream);
  EXPECT_FALSE(
      mle_uniqueness(ReportLikelihood(ReportBatch{limit, std::vector<double>(12, 5)})).strictly_concave());
}

TEST(MleUniqueness, CountsWhatReportsCanTellApart) {
  const MleUniqueness blind = mle_uniqueness(ReportLikelihood(ReportBatch{kMiddle, {0, 9, 0}}));
  EXPECT_EQ(blind.rank, 1U);  // only that shares add up to 1
  EXPECT_FALSE(blind.strictly_concave());
  // Two channels, neither of them enough, together are: the one tells the first place, the other the second.
  const Channel first{3, 2, {1, 0, 0, 1, 0, 1}};
  const Channel second{3, 2, {0, 1, 1, 0, 0, 1}};
  const ReportBatch seen_first{first, {3, 5}};
  const std::vector<ReportBatch> both{seen_first, {second, {2, 4}}};
  EXPECT_EQ(mle_uniqueness(ReportLikelihood(seen_first)).rank, 2U);
  EXPECT_TRUE(mle_uniqueness(ReportLikelihood(both)).strictly_concave());
  // Reports nobody made tell nothing.
  const Channel identity{3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  EXPECT_EQ(mle_uniqueness(ReportLikelihood(ReportBatch{identity, {7, 0, 0}})).rank, 2U);
}

TEST(MleUniqueness, AroundAMaximumOnlyTiesMatter) {
  // All reports say place 0: flat in directions that only lose, so the maximum is unique all the same.
  const ReportLikelihood likelihood(ReportBatch{{3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {7, 0, 0}});
  const PlaceEstimate maximum = estimate_places(likelihood, {.iterations = 100});
  EXPECT_FALSE(mle_uniqueness(likelihood).strictly_concave());
  EXPECT_TRUE(mle_uniqueness_at(likelihood, maximum).strictly_concave());
  const ReportLikelihood blind(ReportBatch{kMiddle, {0, 9, 0}});
  EXPECT_FALSE(mle_uniqueness_at(blind, estimate_places(blind, {.iterations = 1})).strictly_concave());
}

}  // namespace
}  // namespace earshot
