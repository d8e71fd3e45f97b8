#include "earshot/metric/comparison.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace earshot {
namespace {

/// Of 1, 2, 3 and 4 the mean is 2.5 and its standard error 0.6455: 2.5 is 3.87 of them above 0, 1.2 is 1.86.
TEST(Comparison, GuessesAreBeatenByTwoStandardErrors) {
  const std::vector<double> apart{1, 2, 3, 4};
  const auto shifted = [&](double by) {
    std::vector<double> out = apart;
    for (double& x : out) x += by;
    return compare_with_guess(out);
  };
  EXPECT_EQ(shifted(0), Comparison::kBetter);
  EXPECT_EQ(shifted(-1.3), Comparison::kNoBetter);
  EXPECT_EQ(shifted(-3.7), Comparison::kNoBetter);
  EXPECT_EQ(shifted(-5), Comparison::kWorse);
  EXPECT_EQ(compare_with_guess(std::vector<double>{7}), Comparison::kUnknown);
  EXPECT_EQ(compare_with_guess({}), Comparison::kUnknown);
}

}  // namespace
}  // namespace earshot
