#include "earshot/data/images/writers.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ImageDataset three_digits() {
  ImageDataset dataset;
  dataset.shape = {1, 1, 1};
  dataset.classes = 10;
  dataset.labels = {7, 2, 7};
  dataset.pixels = {1, 2, 3};
  return dataset;
}

IdxTable table(std::initializer_list<std::pair<std::int32_t, std::int32_t>> digits_and_writers) {
  IdxTable result{digits_and_writers.size(), 8, {}};
  for (const auto& [digit, writer] : digits_and_writers)
    result.values.insert(result.values.end(), {digit, 4, writer, 0, 0, 0, 0, 0});
  return result;
}

TEST(Writers, AreNumberedInTheOrderOfTheirIds) {
  ImageDataset dataset = three_digits();
  add_writers(dataset, table({{7, 900}, {2, 13}, {7, 900}, {1, 5}}));
  EXPECT_THAT(dataset.clients, ElementsAre(1, 0, 1));
  EXPECT_EQ(dataset.client_count, 2u);
}

TEST(Writers, LabelsMustAgree) {
  ImageDataset dataset = three_digits();
  EXPECT_THAT(
      [&] {
        add_writers(dataset, table({{7, 1}, {3, 1}, {7, 1}}));
      },
      ThrowsMessage<Error>(HasSubstr("row 1 of the extended labels is a 3, but the image is labelled 2")));
  EXPECT_THAT(
      [&] {
        add_writers(dataset, table({{7, 1}, {2, 1}}));
      },
      ThrowsMessage<Error>(HasSubstr("2 rows of extended labels for 3 images")));
  EXPECT_THAT(
      [&] {
        add_writers(dataset, table({{7, 1}, {2, -1}, {7, 1}}));
      },
      ThrowsMessage<Error>(HasSubstr("writer -1")));
  EXPECT_THAT(
      [&] {
        add_writers(dataset, {3, 7, std::vector<std::int32_t>(21)});
      },
      ThrowsMessage<Error>(HasSubstr("7 columns")));
}

}  // namespace
}  // namespace earshot
