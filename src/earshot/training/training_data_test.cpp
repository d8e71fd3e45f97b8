#include "earshot/training/training_data.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Mean and deviation of one input number over the chosen examples.
std::pair<double, double> moments(TrainingData& data, const std::vector<std::size_t>& chosen,
                                  std::size_t number) {
  ExampleMemory memory;
  const Problems<double> problem = data.examples->gather(chosen, 2, 0, memory);
  const std::size_t width = data.examples->input().size();
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double value = problem.inputs[i * width + number];
    mean += value / static_cast<double>(chosen.size());
    square += value * value / static_cast<double>(chosen.size());
  }
  return {mean, std::sqrt(square - mean * mean)};
}

// Standardised by its own training rows, every part has mean 0 and deviation 1 there and nowhere else.
TEST(TrainingData, EveryFoldIsStandardisedByItsOwnTrainingRows) {
  EARSHOT_NEEDS_DATASET("wdbc");
  std::vector<std::size_t> held_out;
  for (std::size_t fold = 0; fold < 3; ++fold) {
    TrainingData data = load_training_data({.name = "wdbc", .folds = 3, .fold = fold}, data_directory());
    held_out.insert(held_out.end(), data.parts.test.begin(), data.parts.test.end());
    for (const std::size_t number : {0U, 13U, 29U}) {
      const auto [mean, deviation] = moments(data, data.parts.train, number);
      EXPECT_NEAR(mean, 0, 1e-9);
      EXPECT_NEAR(deviation, 1, 1e-9);
      EXPECT_GT(std::abs(moments(data, data.parts.test, number).first), 1e-6);
    }
  }
  std::ranges::sort(held_out);
  std::vector<std::size_t> all(569);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(held_out, all);
}

class OwnTable : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_);
    write_atomically(csv_, "age,town,rich\n30,Oslo,no\n40,Bergen,yes\n50,Oslo,yes\n20,Oslo,no\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  DataChoice choice(const std::string& target) const {
    const std::string schema = (directory_ / "schema.toml").string();
    write_atomically(schema, target +
                                 "[[column]]\nname = \"age\"\nkind = \"integer\"\n"
                                 "[[column]]\nname = \"town\"\nkind = \"category\"\n"
                                 "categories = [\"Bergen\", \"Oslo\"]\n"
                                 "[[column]]\nname = \"rich\"\nkind = \"category\"\n"
                                 "categories = [\"no\", \"yes\"]\n");
    return {.name = csv_, .schema = schema, .test_share = 0.25};
  }

  std::filesystem::path directory_ = std::filesystem::path(::testing::TempDir()) / "earshot-own-table";
  std::string csv_ = (directory_ / "people.csv").string();
};

TEST_F(OwnTable, IsEncodedUnderItsSchema) {
  const TrainingData data = load_training_data(choice("target = \"rich\"\n"), data_directory());
  EXPECT_EQ(data.examples->input().size(), 3U);
  EXPECT_EQ(data.examples->targets().classes, 2U);
  EXPECT_EQ(data.examples->targets().values, (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(data.parts.train.size() + data.parts.test.size(), 4U);
}

TEST_F(OwnTable, NeedsASchemaWithATarget) {
  EXPECT_THAT([&] { load_training_data({.name = csv_}, data_directory()); },
              ThrowsMessage<Error>(HasSubstr("earshot data describe")));
  EXPECT_THAT([&] { load_training_data(choice(""), data_directory()); },
              ThrowsMessage<Error>(HasSubstr("names no target")));
  DataChoice wrong = choice("target = \"rich\"\n");
  wrong.name = "wdbc";
  EXPECT_THAT([&] { load_training_data(wrong, data_directory()); },
              ThrowsMessage<Error>(HasSubstr("a schema is for a CSV file")));
}

}  // namespace
}  // namespace earshot
