#include "earshot/core/vectorised.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// Sums of products, which would be fused where that is allowed, a quotient, a root and a comparison.
std::vector<double> numbers_of(const std::vector<double>& x, bool widest) {
  std::vector<double> y(x.size());
  const auto body = [&x, &y]() EARSHOT_VECTOR_BODY {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double product = x[i] * x[i] + 0.1 * x[i];
      y[i] = product > 0 ? std::sqrt(product) / (1.7 * x[i] - 0.3) : product;
    }
  };
  if (widest)
    vectorised(body);
  else
    body();
  return y;
}

TEST(Vectorised, GivesTheBitsOfOneNumberAtATime) {
  for (const std::size_t count : {0, 1, 7, 8, 64, 1001}) {
    std::vector<double> x(count);
    Stream({3, Purpose::kTest, count}).fill_normal(x, 1e3);
    if (count > 7) x[5] = std::numeric_limits<double>::quiet_NaN();
    const auto plain = numbers_of(x, false), wide = numbers_of(x, true);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(wide[i]), std::bit_cast<std::uint64_t>(plain[i])) << i;
  }
}

}  // namespace
}  // namespace earshot
