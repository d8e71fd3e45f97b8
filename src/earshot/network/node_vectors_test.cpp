#include "earshot/network/node_vectors.hpp"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace earshot {
namespace {

TEST(NodeVectors, AreZeroApartAndOnLinesOfTheirOwn) {
  for (const std::size_t size : {0U, 1U, 8U, 9U, 64U, 1000U}) {
    NodeVectors vectors(5, size);
    for (NodeId node = 0; node < 5; ++node) {
      EXPECT_EQ(vectors.of(node).size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(vectors.of(node).data()) % 64, 0U);
      EXPECT_TRUE(std::ranges::all_of(vectors.of(node), [](double x) { return x == 0; }));
      std::ranges::fill(vectors.of(node), 1.0 + node);
    }
    for (NodeId node = 0; node < 5; ++node)
      EXPECT_TRUE(std::ranges::all_of(vectors.of(node), [&](double x) { return x == 1.0 + node; }));
  }
}

}  // namespace
}  // namespace earshot
