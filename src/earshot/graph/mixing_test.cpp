#include "earshot/graph/mixing.hpp"

#include <cmath>

#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

/// Oracle: run gossip on all unit vectors at once and see whether the rows of W^k become equal.
bool rows_agree_eventually(const GossipMatrix& matrix) {
  const std::size_t nodes = matrix.node_count();
  double largest_spread = 0;
  for (std::size_t column = 0; column < nodes; ++column) {
    std::vector<double> values(nodes, 0);
    std::vector<double> next(nodes);
    values[column] = 1;
    for (int round = 0; round < 2000; ++round) {
      matrix.multiply(values, next);
      std::swap(values, next);
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    largest_spread = std::max(largest_spread, *high - *low);
  }
  return largest_spread < 1e-6;
}

/// Random directed supports with equal weights: some cut, some periodic, some neither.
GossipMatrix random_weights(std::uint64_t trial) {
  Stream stream = testing::test_stream(trial);
  const std::size_t nodes = 2 + stream.below(5);
  std::vector<Edge> edges;
  for (NodeId a = 0; a < nodes; ++a) {
    for (NodeId b = a + 1; b < nodes; ++b) {
      if (stream.uniform() < 0.5) edges.emplace_back(a, b);
    }
  }
  const Graph graph(nodes, edges);
  std::vector<Rational> weights;
  std::vector<std::optional<Rational>> diagonal;
  for (NodeId u = 0; u < nodes; ++u) {
    std::vector<bool> listens;
    for (std::size_t i = 0; i < graph.degree(u); ++i) listens.push_back(stream.uniform() < 0.6);
    const auto count = std::count(listens.begin(), listens.end(), true);
    const bool keeps = count == 0 || stream.uniform() < 0.15;
    const std::int64_t shares = count + (keeps ? 1 : 0);
    for (const bool one : listens) weights.push_back(make_rational(one ? 1 : 0, shares));
    diagonal.push_back(make_rational(keeps ? 1 : 0, shares));
  }
  return {graph, weights, diagonal};
}

TEST(Mixing, MatchesLongGossipOnRandomSupports) {
  std::size_t mixing = 0;
  constexpr std::uint64_t kTrials = 400;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const GossipMatrix matrix = random_weights(trial);
    ASSERT_TRUE(is_non_negative(matrix));
    ASSERT_TRUE(rows_sum_to_one(matrix));
    const bool expected = rows_agree_eventually(matrix);
    mixing += expected ? 1 : 0;
    EXPECT_EQ(support_mixes(matrix), expected) << "trial " << trial;
    EXPECT_EQ(second_eigenvalue_modulus(matrix) < 1 - 1e-9, expected) << "trial " << trial;
  }
  EXPECT_GT(mixing, kTrials / 10);
  EXPECT_LT(mixing, kTrials * 9 / 10);
}

}  // namespace
}  // namespace earshot
