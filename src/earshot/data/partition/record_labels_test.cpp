#include "earshot/data/partition/record_labels.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(RecordLabels, OfEveryKindOfDataset) {
  EARSHOT_NEEDS_DATASET("webkb-cornell");
  EARSHOT_NEEDS_DATASET("tudataset-MUTAG");
  EARSHOT_NEEDS_DATASET("wdbc");
  const RecordLabels pages = record_labels("cornell_geom_gcn", Json::object(), data_directory());
  EXPECT_EQ(pages.records, 183u);
  EXPECT_THAT(pages.notes, ElementsAre(HasSubstr("Texas")));
  EXPECT_THAT(record_labels("mutag", Json::object(), data_directory()).labels, SizeIs(188));
  const RecordLabels biopsies = record_labels("wdbc", Json::object(), data_directory());
  EXPECT_THAT(biopsies.labels, SizeIs(569));
  EXPECT_THAT(biopsies.groups, IsEmpty());
}

TEST(RecordLabels, GroupsOfAColumn) {
  EARSHOT_NEEDS_DATASET("real-estate-valuation");
  const RecordLabels dwellings =
      record_labels("real_estate", Json::object(), data_directory(), "X4 number of convenience stores");
  EXPECT_THAT(dwellings.labels, IsEmpty());
  ASSERT_THAT(dwellings.groups, SizeIs(414));
  EXPECT_EQ(*std::max_element(dwellings.groups.begin(), dwellings.groups.end()), 10u);  // 0 to 10 stores
}

TEST(RecordLabels, SaysWhatIsWrong) {
  EXPECT_THAT([] { record_labels("core", Json::object(), "."); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"cora\"?")));
  EXPECT_THAT([] { record_labels("cora", Json::object(), ".", "age"); },
              ThrowsMessage<Error>(HasSubstr("is no table, so it has no column")));
  EXPECT_THAT(
      [] {
        record_labels("wdbc", {{"part", "train"}}, ".");
      },
      ThrowsMessage<Error>(HasSubstr("table wdbc has no parameters")));
  EXPECT_THAT(
      [] {
        record_labels("tox21", {{"task", "x"}}, ".");
      },
      ThrowsMessage<Error>(HasSubstr("tox21.task")));
}

}  // namespace
}  // namespace earshot
