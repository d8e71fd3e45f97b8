#include "earshot/data/images/image_dataset.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

Bytes every_byte() {
  Bytes bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

ImageDataset two_tiny_images() {
  ImageDataset dataset;
  dataset.name = "tiny";
  dataset.shape = {2, 1, 2};
  dataset.classes = 2;
  dataset.pixels = {0, 51, 102, 153, 255, 51, 0, 51};
  dataset.labels = {0, 1};
  return dataset;
}

TEST(ImageDataset, GivesTheImageOfAnIndex) {
  const ImageDataset dataset = two_tiny_images();
  EXPECT_EQ(dataset.size(), 2u);
  EXPECT_THAT(dataset.image(0), ElementsAre(0, 51, 102, 153));
  EXPECT_THAT(dataset.image(1), ElementsAre(255, 51, 0, 51));
}

TEST(ImageDataset, MeanImageIsTheAverageInUnitScale) {
  EXPECT_THAT(mean_image(two_tiny_images()), Pointwise(DoubleNear(1e-15), {0.5, 0.2, 0.2, 0.4}));
}

TEST(ImageDataset, MeanImageOfNothingIsAnError) {
  EXPECT_THROW(mean_image(ImageDataset{}), Error);
}

TEST(ImageDataset, ImagesAreAppendedInOneShape) {
  ImageDataset dataset;
  append(dataset, {{1, 1, 2}, {1, 2}}, 3);
  append(dataset, {{1, 1, 2}, {4, 5}}, 0);
  EXPECT_THAT(dataset.pixels, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(dataset.labels, ElementsAre(3, 0));
  EXPECT_THROW(append(dataset, {{1, 2, 1}, {6, 7}}, 0), Error);
}

TEST(Pixels, UnitScaleIsUndoneExactlyForEveryByte) {
  const std::vector<double> unit = to_unit(every_byte());
  EXPECT_EQ(unit.front(), 0.0);
  EXPECT_EQ(unit.back(), 1.0);
  EXPECT_EQ(to_bytes(unit), every_byte());
}

TEST(Pixels, ValuesOutsideTheUnitIntervalAreClamped) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(to_bytes(std::vector<double>{-3.0, 1.7, -infinity, infinity}), ElementsAre(0, 255, 0, 255));
}

TEST(Pixels, NotANumberIsAnError) {
  EXPECT_THROW(to_bytes(std::vector<double>{0.5, std::nan("")}), Error);
}

TEST(Pixels, NormalisationUsesItsChannelsFigures) {
  const ImageShape shape{2, 1, 2};
  const Normalisation normalisation{{0.5, 0.0}, {0.25, 2.0}};
  std::vector<double> values{0.5, 1.0, 1.0, 0.0, /* second image */ 0.0, 0.25, -2.0, 4.0};
  normalise(values, shape, normalisation);
  EXPECT_THAT(values, ElementsAre(0.0, 2.0, 0.5, 0.0, -2.0, -1.0, -1.0, 2.0));
  denormalise(values, shape, normalisation);
  EXPECT_THAT(values, ElementsAre(0.5, 1.0, 1.0, 0.0, 0.0, 0.25, -2.0, 4.0));
}

TEST(Pixels, NormalisationIsUndoneExactlyForEveryByte) {
  for (const Normalisation& normalisation :
       {mnist_normalisation(), cifar10_normalisation(), fashion_mnist_normalisation(),
        retinamnist_normalisation(), femnist_normalisation(), digits_normalisation(),
        imagenet_normalisation(), half_normalisation()}) {
    const ImageShape shape{normalisation.mean.size(), 16, 16};
    Bytes bytes;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      const Bytes plane = every_byte();
      bytes.insert(bytes.end(), plane.begin(), plane.end());
    }
    std::vector<double> values = to_unit(bytes);
    normalise(values, shape, normalisation);
    denormalise(values, shape, normalisation);
    EXPECT_THAT(values, Pointwise(DoubleNear(1e-15), to_unit(bytes)));
    EXPECT_EQ(to_bytes(values), bytes);
  }
}

TEST(Pixels, NormalisationRefusesWhatDoesNotFit) {
  std::vector<double> values(5);
  EXPECT_THROW(normalise(values, {1, 2, 2}, mnist_normalisation()), Error);
  values.resize(4);
  EXPECT_THROW(normalise(values, {1, 2, 2}, cifar10_normalisation()), Error);
  EXPECT_THROW(normalise(values, {0, 0, 0}, {}), Error);
}

}  // namespace
}  // namespace earshot
