#include "earshot/data/images/mnist.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Mnist, CombinesImagesAndLabels) {
  const ImageDataset dataset = combine_idx({2, 1, 2, {1, 2, 3, 4}}, {7, 8}, 10);
  EXPECT_EQ(dataset.shape, (ImageShape{1, 1, 2}));
  EXPECT_EQ(dataset.classes, 10u);
  EXPECT_THAT(dataset.image(1), ElementsAre(3, 4));
}

TEST(Mnist, EveryImageHasALabel) {
  EXPECT_THAT(([] {
                combine_idx({2, 1, 1, {1, 2}}, {3}, 10);
              }),
              ThrowsMessage<Error>(HasSubstr("2 images but 1 labels")));
}

}  // namespace
}  // namespace earshot
