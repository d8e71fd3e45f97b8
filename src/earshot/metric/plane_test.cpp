#include "earshot/metric/plane.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Plane, BlocksCutOffAtTheEdgeAreAveragedOverWhatIsLeft) {
  const std::vector<double> values{1, 2, 3,  //
                                   5, 4, 9,  //
                                   6, 8, 7};
  const Plane halved = block_means({3, 3, values}, 2);
  EXPECT_EQ(halved.height, 2u);
  EXPECT_EQ(halved.width, 2u);
  EXPECT_THAT(halved.values, ElementsAre(3, 6, 7, 7));
  EXPECT_THAT(block_means({3, 3, values}, 1).values, ::testing::ElementsAreArray(values));
  EXPECT_THAT(block_means({3, 3, values}, 3).values, ElementsAre(5));
  EXPECT_THAT(block_means({3, 3, values}, 7).values, ElementsAre(5));
}

TEST(Plane, Brightness) {
  const ImageShape rgb{3, 1, 2};
  EXPECT_THAT(luma(std::vector<double>{1, 0, 0, 1, 0, 1}, rgb).values,
              ElementsAre(DoubleEq(0.299), DoubleEq(0.587 + 0.114)));
  EXPECT_THAT(luma(std::vector<double>{0.1, 0.7}, {1, 1, 2}).values, ElementsAre(0.1, 0.7));
  EXPECT_THROW(luma(std::vector<double>{0.1, 0.7}, {2, 1, 1}), Error);
}

TEST(Plane, RefusesWhatIsNoPairOfImages) {
  const ImageShape shape{1, 1, 2};
  const std::vector<double> good{0, 1};
  EXPECT_NO_THROW(check_images("x", good, good, shape, 1));
  EXPECT_THROW(check_images("x", good, std::vector<double>{1}, shape, 1), Error);
  EXPECT_THROW(check_images("x", {}, {}, ImageShape{}, 1), Error);
  EXPECT_THROW(check_images("x", good, good, shape, -1), Error);
  EXPECT_THROW(check_images("x", good, good, shape, std::nan("")), Error);
  EXPECT_THROW(check_images("x", good, std::vector<double>{1, std::nan("")}, shape, 1), Error);
  EXPECT_THROW(
      check_images("x", std::vector<double>{1, std::numeric_limits<double>::infinity()}, good, shape, 1),
      Error);
}

}  // namespace
}  // namespace earshot
