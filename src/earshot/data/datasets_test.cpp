#include "earshot/data/datasets.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/data/test_data.hpp"

namespace earshot {
namespace {

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
  std::vector<Problem> problems;
  const Settings settings = validate(
      component(name).schema, given, [](std::string_view key) { return std::string(key); }, problems);
  EXPECT_TRUE(problems.empty());
  return component(name).load(settings, directory);
}

std::vector<std::size_t> class_counts(const ImageDataset& dataset) {
  std::vector<std::size_t> counts(dataset.classes, 0);
  for (const std::uint8_t label : dataset.labels) ++counts[label];
  return counts;
}

TEST(Datasets, AreDataComponentsOfTheCatalogue) {
  for (const DatasetComponent& c : dataset_components()) {
    EXPECT_EQ(c.schema.role, "data");
    EXPECT_NO_THROW(find_dataset(c.schema.name));
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
