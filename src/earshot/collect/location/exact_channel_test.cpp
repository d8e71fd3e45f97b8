#include "earshot/collect/location/exact_channel.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

/// The definition on the integers, in 64-bit mantissas.
double slow_epsilon(const ExactChannel& exact, const Distances& metric) {
  long double worst = 0;
  for (std::size_t x = 0; x < exact.inputs(); ++x)
    for (std::size_t z = 0; z < exact.inputs(); ++z)
      for (std::size_t y = 0; y < exact.outputs() && x != z; ++y)
        if (exact.weight(x, y) > 0)
          worst = std::max(worst, std::log(static_cast<long double>(exact.weight(x, y)) /
                                           static_cast<long double>(exact.weight(z, y))) /
                                      static_cast<long double>(metric(x, z)));
  return static_cast<double>(worst);
}

TEST(ExactChannel, WeightsSumToThePowerOfTwo) {
  Stream stream(StreamName{.seed = 51});
  const Distances metric = testing::scattered_metric(7, 3, stream);
  const ExactChannel exact(testing::random_channel(7, 9, 0.2, stream), {metric, "cell"}, "random");
  for (std::size_t x = 0; x < 7; ++x) {
    std::uint64_t sum = 0;
    for (std::size_t y = 0; y < 9; ++y) sum += exact.weight(x, y);
    EXPECT_EQ(sum, std::uint64_t{1} << 62);
  }
}

TEST(ExactChannel, IsNoLessPrivateThanWhatItIsMadeFrom) {
  Stream stream(StreamName{.seed = 52});
  for (const double epsilon : {1e-3, 0.1, 1.0, 7.0, 40.0}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Distances metric = testing::scattered_metric(12, 5, stream);
      const Channel channel = laplace_kernel(metric, epsilon);
      const ExactChannel exact(channel, {metric, "cell"}, "laplace");
      const double slow = slow_epsilon(exact, metric);
      EXPECT_LE(slow, metric_privacy(channel, metric).epsilon + 1e-12);  // the error of logarithms
      EXPECT_GE(exact.level().epsilon, slow);
      EXPECT_NEAR(exact.level().epsilon, slow, 1e-9 * slow);
    }
  }
}

TEST(ExactChannel, CertaintyIsLimitedByTheFloor) {
  const Distances line = testing::line_metric(3);
  const ExactChannel exact(laplace_kernel(line, HUGE_VAL), {line, "cell"}, "laplace");
  EXPECT_NEAR(exact.level().epsilon, 40 * std::log(2), 1e-9);
  EXPECT_EQ(exact.weight(0, 2), std::uint64_t{1} << 22);
  // A report that never happens stays impossible.
  EXPECT_EQ(ExactChannel({2, 2, {1, 0, 1, 0}}, {testing::line_metric(2), "cell"}, "constant").weight(0, 1),
            0U);
}

TEST(ExactChannel, EpsilonZeroIsStatedAsZero) {
  const Distances line = testing::line_metric(3);
  const ExactChannel exact(laplace_kernel(line, 0), {line, "cell"}, "laplace");
  EXPECT_EQ(exact.level().epsilon, 0);
  EXPECT_EQ(std::get<MetricRelease>(exact.release()->kind).epsilon, 0);
}

TEST(ExactChannel, BothSamplersFollowTheIntegers) {
  const Distances line = testing::line_metric(5);
  const ExactChannel exact(laplace_kernel(line, 0.6), {line, "cell"}, "laplace");
  Stream stream(StreamName{.seed = 53});
  SecureRandom random;
  for (const std::size_t x : {0U, 3U}) {
    std::map<std::size_t, std::uint64_t> simulated, guarded;
    std::map<std::size_t, double> row;
    for (std::size_t y = 0; y < 5; ++y) row[y] = exact.probability(y, x);
    for (int i = 0; i < 30000; ++i) {
      ++simulated[exact.simulate(x, stream).value];
      ++guarded[exact.protect(x, random).value];
    }
    // 1e-7 false alarms each; the second one is of fresh randomness on every run.
    EXPECT_LT(chi_square_excess(simulated, row), 1);
    EXPECT_LT(chi_square_excess(guarded, row), 1);
  }
}

TEST(ExactChannel, TruncationKeepsItsZerosAndStatesADelta) {
  const Distances line = testing::line_metric(60);
  const ExactChannel exact(truncated_laplace_kernel(line, 0.5, 3), {line, "step"}, "truncated_laplace", 0.5);
  EXPECT_EQ(exact.weight(0, 4), 0U);
  EXPECT_NEAR(exact.approximate()->delta, 0.0876, 5.1e-5);
  const auto& release = std::get<MetricRelease>(exact.release()->kind);
  EXPECT_EQ(release.epsilon, 0.5);
  EXPECT_EQ(release.delta, exact.approximate()->delta);
  // Without an epsilon, disjoint rows give the place away.
  const ExactChannel open(truncated_laplace_kernel(line, 0.5, 0), {line, "step"}, "truncated_laplace", 0);
  EXPECT_TRUE(std::holds_alternative<NotPrivateRelease>(open.release()->kind));
}

template <class Random>
concept ProtectsWith = requires(const ExactChannel& channel, Random& random) {
  channel.protect(std::size_t{0}, random);
};
static_assert(ProtectsWith<SecureRandom> && !ProtectsWith<Stream>);

TEST(ExactChannel, PlacesThatDoNotExistAreRefused) {
  const ExactChannel exact(laplace_kernel(testing::line_metric(3), 1), {testing::line_metric(3), "cell"},
                           "l");
  SecureRandom random;
  EXPECT_THROW(exact.protect(3, random), Error);
  EXPECT_THROW(exact.probability(0, 3), Error);
}

}  // namespace
}  // namespace earshot
