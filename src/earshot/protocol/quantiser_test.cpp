#include "earshot/protocol/quantiser.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

TEST(Quantiser, FindsTheNearestOfTheCellsMiddles) {
  EXPECT_EQ(quantised(0.049, 0.1), 0);
  EXPECT_EQ(quantised(-0.074, 0.05), -0.05);
  EXPECT_EQ(quantised(2.6, 1), 3);
  EXPECT_EQ(quantised(0.3, 0), 0.3);
  EXPECT_EQ(quantised(0.3, 1e-320), 0.3);
}

TEST(Quantiser, IsWrongByHalfACellAtMostAndDoesNothingTwice) {
  Stream stream({1, Purpose::kTest});
  for (int i = 0; i < 1000; ++i) {
    const double width = std::exp(3 * stream.normal());
    const double value = 10 * stream.normal();
    const double middle = quantised(value, width);
    EXPECT_LE(std::abs(middle - value), width / 2 * (1 + 1e-12));
    EXPECT_EQ(quantised(middle, width), middle);
    const double cells = middle / width;
    EXPECT_NEAR(cells, std::round(cells), 1e-9 * (1 + std::abs(cells)));
  }
}

TEST(Quantiser, ShrinksItsCellsRoundByRound) {
  const Quantiser quantiser(0.8, 0.5);
  EXPECT_DOUBLE_EQ(quantiser.cell_width(0), 0.8);
  EXPECT_DOUBLE_EQ(quantiser.cell_width(3), 0.1);
  std::vector<double> values = {0.07, -0.26};
  quantiser.quantise(3, values);
  EXPECT_DOUBLE_EQ(values[0], 0.1);
  EXPECT_DOUBLE_EQ(values[1], -0.3);
  EXPECT_THROW(Quantiser(-1, 1), Error);
  EXPECT_THROW(Quantiser(1, 0), Error);
  EXPECT_THROW(Quantiser(1, 1.5), Error);
}

}  // namespace
}  // namespace earshot
