#include "earshot/core/large_array.hpp"

#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>

namespace earshot {
namespace {

TEST(LargeArray, HoldsWhatAVectorHolds) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{3} << 20U}) {
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0F);
    LargeArray<float> array(numbers.begin(), numbers.end());
    const LargeArray<float> copy = array;
    array.push_back(-1);
    array.resize(count);
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), array.begin(), array.end()));
    EXPECT_EQ(copy, array);
  }
}

TEST(LargeArray, BeginsAtTheBorderOfALargePage) {
  const LargeArray<double> array(std::size_t{1} << 20U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % (std::uintptr_t{2} << 20U), 0u);
}

}  // namespace
}  // namespace earshot
