#include "earshot/metric/rendering.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/reconstruction.hpp"
#include "earshot/metric/test_images.hpp"

namespace earshot {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Rendering, HandComputed) {
  const std::vector<double> image{-1, 0, 1, 3};
  EXPECT_THAT(clipped(image, 2), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(stretched(image, 2), ElementsAre(0, DoubleEq(0.5), DoubleEq(1), 2));
  EXPECT_THAT(stretched(std::vector<double>{-1e308, 1e308}, 255), ElementsAre(0, 255));
}

TEST(Rendering, AConstantImageIsClipped) {
  EXPECT_THAT(stretched(std::vector<double>{3, 3}, 1), ElementsAre(1, 1));
  EXPECT_THAT(stretched(std::vector<double>{0.5}, 1), ElementsAre(0.5));
  EXPECT_TRUE(stretched({}, 1).empty());
}

// The reason to report both: a pale copy of the truth becomes perfect by stretching.
TEST(Rendering, StretchingUndoesContrastAndBrightness) {
  Stream stream(StreamName{.seed = 91});
  std::vector<double> truth = testing::random_image({1, 8, 8}, stream);
  truth[0] = 0;
  truth[1] = 1;
  std::vector<double> pale = truth;
  for (double& value : pale) value = 0.6 + 0.1 * value;
  EXPECT_LT(psnr(truth, clipped(pale, 1), 1), 12);
  EXPECT_GT(psnr(truth, stretched(pale, 1), 1), 140);
}

TEST(Rendering, RefusesWhatIsNoPixel) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(clipped(std::vector<double>{bad}, 1), Error);
    EXPECT_THROW(stretched(std::vector<double>{0, bad}, 1), Error);
    EXPECT_THROW(clipped(std::vector<double>{1}, bad), Error);
  }
  EXPECT_THROW(clipped(std::vector<double>{1}, 0), Error);
}

}  // namespace
}  // namespace earshot
