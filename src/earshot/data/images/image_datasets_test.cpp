#include "earshot/data/images/image_datasets.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/test_settings.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const DatasetComponent& component(const std::string& name) {
  const auto components = dataset_components();
  const auto found = std::find_if(components.begin(), components.end(),
                                  [&](const DatasetComponent& c) { return c.schema.name == name; });
  EXPECT_NE(found, components.end());
  return *found;
}

ImageDataset load(const std::string& name, const Json& given,
                  const std::filesystem::path& directory = data_directory()) {
  return component(name).load(testing::valid_settings(component(name).schema, given), directory);
}

std::vector<std::size_t> class_counts(const ImageDataset& dataset) {
  std::vector<std::size_t> counts(dataset.classes, 0);
  for (const std::uint8_t label : dataset.labels) ++counts[label];
  return counts;
}

TEST(Datasets, AreDataComponentsThatSayWhereTheyComeFrom) {
  for (const DatasetComponent& c : dataset_components()) {
    EXPECT_EQ(c.schema.role, "data");
    EXPECT_FALSE(c.schema.summary.empty()) << c.schema.name;
    EXPECT_FALSE(c.schema.reference.empty()) << c.schema.name;
  }
}

// Counts per digit as published with the dataset.
TEST(Datasets, MnistTestPart) {
  EARSHOT_NEEDS_DATASET("mnist");
  const ImageDataset dataset = load("mnist", Json::object());
  EXPECT_EQ(dataset.size(), 10000u);
  EXPECT_EQ(dataset.shape, (ImageShape{1, 28, 28}));
  EXPECT_EQ(dataset.labels[0], 7);
  EXPECT_EQ(class_counts(dataset),
            (std::vector<std::size_t>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
}

/// Per-channel mean and deviation over all pixels, in exact integer sums.
Normalisation measured(const ImageDataset& dataset) {
  Normalisation result;
  for (std::size_t c = 0; c < dataset.shape.channels; ++c) {
    std::uint64_t sum = 0;
    std::uint64_t squares = 0;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
      for (const std::uint64_t v :
           dataset.image(i).subspan(c * dataset.shape.plane(), dataset.shape.plane())) {
        sum += v;
        squares += v * v;
      }
    }
    const double count = static_cast<double>(dataset.size() * dataset.shape.plane());
    const double mean = static_cast<double>(sum) / count;
    result.mean.push_back(mean / 255);
    result.deviation.push_back(std::sqrt(static_cast<double>(squares) / count - mean * mean) / 255);
  }
  return result;
}

// The normalisation in common use was computed over exactly this part: four published digits must come out.
TEST(Datasets, MnistTrainingPartHasThePublishedMeanAndDeviation) {
  EARSHOT_NEEDS_DATASET("mnist");
  const ImageDataset dataset = load("mnist", {{"part", "train"}});
  EXPECT_EQ(dataset.size(), 60000u);
  const Normalisation figures = measured(dataset);
  EXPECT_NEAR(figures.mean[0], dataset.normalisation.mean[0], 5e-5);
  EXPECT_NEAR(figures.deviation[0], dataset.normalisation.deviation[0], 5e-5);
}

// 1,000 images of each class, and figures near those of the whole training set (which are over five batches,
// hence the band of 0.01: about eight standard errors of a mean over 10,000 images).
TEST(Datasets, CifarTestPart) {
  EARSHOT_NEEDS_DATASET("cifar10");
  const ImageDataset dataset = load("cifar10", Json::object());
  EXPECT_EQ(dataset.size(), 10000u);
  EXPECT_EQ(class_counts(dataset), std::vector<std::size_t>(10, 1000));
  const Normalisation figures = measured(dataset);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(figures.mean[c], dataset.normalisation.mean[c], 0.01);
    EXPECT_NEAR(figures.deviation[c], dataset.normalisation.deviation[c], 0.01);
  }
}

TEST(Datasets, CifarFirstBatch) {
  EARSHOT_NEEDS_DATASET("cifar10");
  const ImageDataset dataset = load("cifar10", {{"part", "batch1"}});
  EXPECT_EQ(dataset.size(), 10000u);
  EXPECT_EQ(dataset.labels[0], 6);
}

/// How many images each client has.
std::vector<std::size_t> client_counts(const ImageDataset& dataset) {
  std::vector<std::size_t> counts(dataset.client_count, 0);
  for (const std::uint32_t client : dataset.clients) ++counts.at(client);
  return counts;
}

// Yadav & Bottou 2019: 539 writers of 19 to 131 training digits each. add_writers has checked that every
// row's digit is the image's label.
TEST(Datasets, MnistByWriter) {
  EARSHOT_NEEDS_DATASET("mnist");
  EARSHOT_NEEDS_DATASET("qmnist-writers");
  const ImageDataset train = load("mnist_writers", Json::object());
  EXPECT_EQ(train.size(), 60000u);
  EXPECT_EQ(train.clients.size(), 60000u);
  EXPECT_EQ(train.client_count, 539u);
  const std::vector<std::size_t> counts = client_counts(train);
  EXPECT_EQ(*std::ranges::min_element(counts), 19u);
  EXPECT_EQ(*std::ranges::max_element(counts), 131u);
  const ImageDataset test = load("mnist_writers", {{"part", "test"}});
  EXPECT_EQ(test.size(), 10000u);
  EXPECT_EQ(test.client_count, 297u);
}

// The published figures are of the 60,000 training images; the band is about eight standard errors of a mean
// over 10,000 images (whose own means deviate by about 0.15).
TEST(Datasets, FashionMnistTestPart) {
  EARSHOT_NEEDS_DATASET("fashion-mnist");
  const ImageDataset dataset = load("fashion_mnist", Json::object());
  EXPECT_EQ(dataset.shape, (ImageShape{1, 28, 28}));
  EXPECT_EQ(class_counts(dataset), std::vector<std::size_t>(10, 1000));
  const Normalisation figures = measured(dataset);
  EXPECT_NEAR(figures.mean[0], dataset.normalisation.mean[0], 0.012);
  EXPECT_NEAR(figures.deviation[0], dataset.normalisation.deviation[0], 0.012);
}

void expect_figures_of(const ImageDataset& dataset) {
  const Normalisation figures = measured(dataset);
  for (std::size_t c = 0; c < dataset.shape.channels; ++c) {
    EXPECT_NEAR(figures.mean[c], dataset.normalisation.mean[c], 5e-5);
    EXPECT_NEAR(figures.deviation[c], dataset.normalisation.deviation[c], 5e-5);
  }
}

TEST(Datasets, FemnistHasTwelveClients) {
  EARSHOT_NEEDS_DATASET("femnist");
  const ImageDataset dataset = load("femnist", Json::object());
  EXPECT_EQ(dataset.size(), 5997u);
  EXPECT_EQ(dataset.shape, (ImageShape{1, 28, 28}));
  EXPECT_EQ(dataset.client_count, 12u);
  const std::vector<std::size_t> counts = client_counts(dataset);
  EXPECT_EQ(*std::ranges::min_element(counts), 454u);
  EXPECT_EQ(*std::ranges::max_element(counts), 544u);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), 5997u);
  EXPECT_GT(mean_image(dataset)[0], 0.9);  // black on white
  expect_figures_of(dataset);
}

TEST(Datasets, DigitsHaveSeventeenLevels) {
  EARSHOT_NEEDS_DATASET("digits");
  const ImageDataset dataset = load("digits", Json::object());
  EXPECT_EQ(class_counts(dataset),
            (std::vector<std::size_t>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
  EXPECT_EQ(std::set<std::uint8_t>(dataset.pixels.begin(), dataset.pixels.end()).size(), 17u);
  EXPECT_EQ(*std::ranges::max_element(dataset.pixels), 255);
  expect_figures_of(dataset);
}

// Counts per grade as published with the dataset.
TEST(Datasets, RetinaMnistParts) {
  EARSHOT_NEEDS_DATASET("retinamnist");
  const ImageDataset train = load("retinamnist", {{"part", "train"}});
  EXPECT_EQ(train.shape, (ImageShape{3, 28, 28}));
  EXPECT_EQ(class_counts(train), (std::vector<std::size_t>{486, 128, 206, 194, 66}));
  expect_figures_of(train);
  EXPECT_EQ(class_counts(load("retinamnist", {{"part", "val"}})),
            (std::vector<std::size_t>{54, 12, 28, 20, 6}));
  EXPECT_EQ(class_counts(load("retinamnist", {{"part", "test"}})),
            (std::vector<std::size_t>{174, 46, 92, 68, 20}));
}

// The grades' shares by hand; the table, the archive and the whole split are checked although few images are
// decoded.
TEST(Datasets, AptosPartsKeepTheSharesOfTheGrades) {
  EARSHOT_NEEDS_DATASET("aptos2019");
  const ImageDataset test = load("aptos2019", {{"images", 73}});
  EXPECT_EQ(test.shape, (ImageShape{3, 224, 224}));
  EXPECT_EQ(class_counts(test), (std::vector<std::size_t>{36, 7, 20, 4, 6}));
  EXPECT_THAT(test.notes,
              ElementsAre(HasSubstr("38 of the 731 test images are exact copies of training images")));
  EXPECT_EQ(test.normalisation.mean, half_normalisation().mean);
  // An eye is red rather than green, and green rather than blue.
  const Normalisation figures = measured(test);
  EXPECT_GT(figures.mean[0], figures.mean[1] + 0.05);
  EXPECT_GT(figures.mean[1], figures.mean[2] + 0.05);
}

TEST(Datasets, AptosIsResizedWhileItIsLoaded) {
  EARSHOT_NEEDS_DATASET("aptos2019");
  const ImageDataset train = load(
      "aptos2019",
      {{"part", "train"}, {"images", 10}, {"resize", 265}, {"crop", 224}, {"normalisation", "imagenet"}});
  EXPECT_EQ(train.shape, (ImageShape{3, 224, 224}));
  EXPECT_EQ(train.size(), 10u);
  EXPECT_EQ(train.normalisation.mean, imagenet_normalisation().mean);
}

TEST(Datasets, AllOfAptosIsDecoded) {
  EARSHOT_NEEDS_DATASET("aptos2019");
#if defined(__SANITIZE_ADDRESS__)
  constexpr bool kInstrumented = true;
#else
  constexpr bool kInstrumented = false;
#endif
  if (kInstrumented) GTEST_SKIP() << "3,662 images take a minute in an instrumented program";
  const ImageDataset all = load("aptos2019", {{"part", "all"}, {"crop", 32}});
  EXPECT_EQ(all.size(), 3662u);
  EXPECT_EQ(class_counts(all), (std::vector<std::size_t>{1805, 370, 999, 193, 295}));
  EXPECT_TRUE(all.notes.empty());
}

/// A directory with well-formed MNIST files that are not the published ones.
class OwnFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("earshot-datasets-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_ / "mnist");
    write("t10k-images-idx3-ubyte", {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 10, 20});
    write("t10k-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 1, 5});
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream out(directory_ / "mnist" / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path directory_;
};

TEST_F(OwnFiles, AreRefusedByDefault) {
  EXPECT_THAT([&] { load("mnist", Json::object(), directory_); },
              ThrowsMessage<Error>(HasSubstr("18 bytes uncompressed, expected 7840016")));
}

TEST_F(OwnFiles, AreAcceptedWhenAskedFor) {
  const ImageDataset dataset = load("mnist", {{"checksum", false}}, directory_);
  EXPECT_EQ(dataset.size(), 1u);
  EXPECT_EQ(dataset.labels[0], 5);
}

TEST_F(OwnFiles, WhatIsWrongInsideIsReportedWithThePath) {
  write("t10k-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 1, 11});
  EXPECT_THAT(
      [&] {
        load("mnist", {{"checksum", false}}, directory_);
      },
      ThrowsMessage<Error>(HasSubstr("mnist/t10k-labels-idx1-ubyte: label 0 is 11")));
  write("t10k-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 2, 1, 1});
  EXPECT_THAT(
      [&] {
        load("mnist", {{"checksum", false}}, directory_);
      },
      ThrowsMessage<Error>(HasSubstr("mnist/t10k: 1 images but 2 labels")));
}

}  // namespace
}  // namespace earshot
