#include "earshot/report/layout.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace earshot {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

Edges line(std::size_t n) {
  Edges edges;
  for (std::size_t i = 0; i + 1 < n; ++i) edges.emplace_back(i, i + 1);
  return edges;
}

double distance(const std::pair<double, double>& a, const std::pair<double, double>& b) {
  return std::hypot(a.first - b.first, a.second - b.second);
}

TEST(Layout, ALineIsDrawnInOrder) {
  const auto places = node_places(30, line(30));
  for (std::size_t i = 0; i + 2 < places.size(); ++i)
    EXPECT_LT(distance(places[i], places[i + 1]), distance(places[i], places[i + 2])) << i;
}

TEST(Layout, IsTheSameEveryTimeAndInsideTheSquare) {
  for (const std::size_t n : {1, 2, 7, 300}) {
    const auto places = node_places(n, line(n));
    EXPECT_EQ(places, node_places(n, line(n)));
    for (const auto& [x, y] : places) {
      EXPECT_TRUE(std::isfinite(x) && std::isfinite(y));
      EXPECT_TRUE(x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0);
    }
  }
}

TEST(Layout, NoTwoNodesShareAPlace) {
  Edges star;
  for (std::size_t i = 1; i < 60; ++i) star.emplace_back(0, i);
  for (const Edges& edges : {star, Edges{}}) {
    const auto places = node_places(60, edges);
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) EXPECT_GT(distance(places[a], places[b]), 0.01) << a << " " << b;
  }
}

TEST(Layout, EdgesAreShorterThanOtherPairs) {
  Edges ring = line(40);
  ring.emplace_back(39, 0);
  const auto places = node_places(40, ring);
  double linked = 0.0, all = 0.0;
  for (const auto& [a, b] : ring) linked += distance(places[a], places[b]) / 40.0;
  for (std::size_t a = 0; a < 40; ++a)
    for (std::size_t b = 0; b < a; ++b) all += distance(places[a], places[b]) / 780.0;
  EXPECT_LT(linked, all / 3.0);
}

TEST(Layout, NoNodesNoPlaces) {
  EXPECT_TRUE(node_places(0, Edges{}).empty());
}

}  // namespace
}  // namespace earshot
