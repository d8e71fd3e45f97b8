#include "earshot/protocol/pdmm_edges.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"

namespace earshot {
namespace {

constexpr std::size_t kSize = 5;

/// The two ends of one edge; says what is delivered.
struct Pair {
  explicit Pair(const EdgeOptions& options, double deviation = 0)
      : first(make_edges(options, {1, 0, deviation}, 0, std::vector<NodeId>{1}, kSize)),
        second(make_edges(options, {1, 0, deviation}, 1, std::vector<NodeId>{0}, kSize)) {}

  /// Node 0 alone is awake with `w`, or nobody; `lost` messages never arrive.
  void exchange(std::span<const double> w, bool lost = false) {
    const std::vector<NodeId> neighbour = {1};
    Outbox out(neighbour);
    first->speak(round, w, out);
    const std::vector<std::span<const double>> heard = {lost ? std::span<const double>()
                                                             : out.message_for(0)};
    message.assign(out.message_for(0).begin(), out.message_for(0).end());
    const std::vector<std::span<const double>> silence(1);
    second->listen(w, false, Inbox(heard));
    first->listen(w, true, Inbox(silence));
    ++round;
  }
  /// B_{i|j} z_{i|j}.
  static std::vector<double> held(const EdgeVariables& edges) {
    std::vector<double> z(kSize);
    edges.signed_sum(z);
    return z;
  }

  std::unique_ptr<EdgeVariables> first, second;
  std::uint64_t round = 0;
  std::vector<double> message;
};

std::vector<double> normal(Stream& stream) {
  std::vector<double> w(kSize);
  stream.fill_normal(w, 1);
  return w;
}

/// The definition, kept beside: z_{1|0} as the sender means it.
class PdmmEdges : public ::testing::TestWithParam<std::tuple<bool, double>> {};

TEST_P(PdmmEdges, FollowsTheDefinitionWhileTheNeighbourIsSilent) {
  const auto [differential, theta] = GetParam();
  Pair pair({.rho = 0.7, .theta = theta, .differential = differential}, 1.5);
  std::vector<double> z01(kSize), z10(kSize);
  Stream({1, Purpose::kDual, 0, 1, 0}).fill_normal(z01, 1.5);
  Stream({1, Purpose::kDual, 0, 0, 1}).fill_normal(z10, 1.5);
  Stream stream({3, Purpose::kTest});
  for (int t = 0; t < 20; ++t) {
    const std::vector<double> w = normal(stream);
    const std::vector<double> before = z10;
    for (std::size_t k = 0; k < kSize; ++k) {
      z10[k] = (1 - theta) * z10[k] + theta * (z01[k] + 2 * 0.7 * w[k]);
    }
    pair.exchange(w);
    const std::vector<double> held_by_1 = Pair::held(*pair.second), held_by_0 = Pair::held(*pair.first);
    for (std::size_t k = 0; k < kSize; ++k) {
      EXPECT_NEAR(-held_by_1[k], z10[k], 1e-12);
      EXPECT_NEAR(held_by_0[k], z01[k], 1e-12);
      EXPECT_NEAR(pair.message[k], differential ? z10[k] - before[k] : z10[k], 1e-12);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Both, PdmmEdges,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(1.0, 0.5, 0.3)));

TEST(PdmmEdgesQuantised, ClosedLoopNeverErrsByMoreThanHalfACell) {
  const double width = 0.1;
  Pair exact({.differential = true});
  Pair pair({.differential = true, .quantiser = Quantiser(width, 1)});
  Stream stream({4, Purpose::kTest});
  for (int t = 0; t < 300; ++t) {
    const std::vector<double> w = normal(stream);
    exact.exchange(w);
    pair.exchange(w);
    const std::vector<double> a = Pair::held(*exact.second), b = Pair::held(*pair.second);
    for (std::size_t k = 0; k < kSize; ++k) EXPECT_LE(std::abs(a[k] - b[k]), width / 2 + 1e-12);
  }
}

TEST(PdmmEdgesQuantised, OpenLoopDriftsAway) {
  const double width = 0.1;
  Pair exact({.differential = true});
  Pair pair({.differential = true, .quantiser = Quantiser(width, 1), .open_loop = true});
  Stream stream({4, Purpose::kTest});
  double furthest = 0;
  for (int t = 0; t < 300; ++t) {
    const std::vector<double> w = normal(stream);
    exact.exchange(w);
    pair.exchange(w);
    const std::vector<double> a = Pair::held(*exact.second), b = Pair::held(*pair.second);
    for (std::size_t k = 0; k < kSize; ++k) furthest = std::max(furthest, std::abs(a[k] - b[k]));
  }
  // A sum of 300 errors uniform over a cell has deviation 5 cells.
  EXPECT_GT(furthest, 3 * width);
}

TEST(PdmmEdgesLoss, OnePlainMessageRepairsWhatWasLostADifferenceDoesNot) {
  for (const bool differential : {false, true}) {
    Pair whole({.differential = differential}), lossy({.differential = differential});
    Stream stream({5, Purpose::kTest});
    for (int t = 0; t < 5; ++t) {
      const std::vector<double> w = normal(stream);
      whole.exchange(w);
      lossy.exchange(w, t == 2);
    }
    const std::vector<double> a = Pair::held(*whole.second), b = Pair::held(*lossy.second);
    for (std::size_t k = 0; k < kSize; ++k) {
      if (differential) {
        EXPECT_GT(std::abs(a[k] - b[k]), 1e-3);
      } else {
        EXPECT_NEAR(a[k], b[k], 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace earshot
