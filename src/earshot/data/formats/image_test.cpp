#include "earshot/data/formats/image.hpp"

#include <gmock/gmock.h>

namespace earshot {
namespace {

using ::testing::ElementsAre;

TEST(Image, PlanesAreSeparated) {
  EXPECT_THAT(separate_planes({3, 1, 2}, Bytes{1, 2, 3, 4, 5, 6}), ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace earshot
