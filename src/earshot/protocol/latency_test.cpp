#include "earshot/protocol/latency.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(Latency, TimeOutsOfTheExponentialLaw) {
  // t_skip = -ln p.
  EXPECT_NEAR(LatencyClock({LatencyLaw::kExponential, 1, 1e-4}, 1, 0).timeout(), 9.2103, 5e-5);
  EXPECT_NEAR(LatencyClock({LatencyLaw::kExponential, 1, 0.5}, 1, 0).timeout(), 0.6931, 5e-5);
  EXPECT_NEAR(LatencyClock({LatencyLaw::kExponential, 1, 0.7}, 1, 0).timeout(), 0.3567, 5e-5);
  EXPECT_TRUE(std::isinf(LatencyClock({LatencyLaw::kExponential, 1, 0}, 1, 0).timeout()));
  EXPECT_THROW(LatencyClock({LatencyLaw::kNone, 1, 0.5}, 1, 0), Error);
}

/// A visit takes 1 - p + communication on average under the exponential law; 40,000 visits, 5 deviations
/// (false alarm below 1e-6).
TEST(Latency, MeanTimeOfAVisit) {
  const double p = 0.5;
  const LatencyClock clock({LatencyLaw::kExponential, 0.25, p}, 3, 0);
  double sum = 0;
  double late = 0;
  for (std::uint64_t t = 0; t < 40000; ++t) {
    sum += clock.visit(static_cast<NodeId>(t % 7), t);
    late += clock.in_time(static_cast<NodeId>(t % 7), t) ? 0 : 1;
  }
  EXPECT_NEAR(sum / 40000, 0.25 + 1 - p, 5 * 0.3 / 200);
  EXPECT_NEAR(late / 40000, p, 5 * 0.5 / 200);
}

/// E[max of n] = H_n under the exponential law; the deviation of the maximum is below pi / sqrt 6.
TEST(Latency, ARoundWaitsForTheSlowest) {
  const LatencyClock clock({LatencyLaw::kExponential, 2, 0}, 4, 0);
  double sum = 0;
  for (std::uint64_t t = 0; t < 4000; ++t) sum += clock.together(10, t, 3);
  EXPECT_NEAR(sum / 4000, 6 + 2.929, 5 * 1.283 / std::sqrt(4000.0));
}

/// Every law has mean 1; deviations: uniform 0.577, lognormal 1.311 (100,000 draws, 6 deviations).
TEST(Latency, LawsHaveMeanOne) {
  for (const LatencyLaw law : {LatencyLaw::kExponential, LatencyLaw::kUniform, LatencyLaw::kLognormal}) {
    const LatencyClock clock({law, 0, 0}, 5, 0);
    double sum = 0;
    for (std::uint64_t t = 0; t < 100000; ++t) sum += clock.latency(0, t);
    EXPECT_NEAR(sum / 100000, 1, 6 * 1.311 / std::sqrt(1e5));
  }
}

}  // namespace
}  // namespace earshot
