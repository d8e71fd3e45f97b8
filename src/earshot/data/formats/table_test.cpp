#include "earshot/data/formats/table.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

NumericTable sample() {
  return {{"width", "height", "depth"}, 2, {1, 2, 3, 4, 5, 6}};
}

TEST(NumericTable, RowsAndColumns) {
  EXPECT_THAT(sample().row(1), ElementsAre(4, 5, 6));
  EXPECT_EQ(sample().column("depth"), 2u);
  EXPECT_THROW(sample().row(2), Error);
}

TEST(NumericTable, AnUnknownColumnGetsTheNearestSpelling) {
  EXPECT_THAT([] { sample().column("heigth"); },
              ThrowsMessage<Error>(HasSubstr("no column \"heigth\"; did you mean \"height\"?")));
}

TEST(NumericTable, AColumnCanBeTakenOut) {
  NumericTable table = sample();
  EXPECT_THAT(take_column(table, "height"), ElementsAre(2, 5));
  EXPECT_THAT(table.columns, ElementsAre("width", "depth"));
  EXPECT_THAT(table.values, ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(table.row(1), ElementsAre(4, 6));
  EXPECT_THAT(take_column(table, "depth"), ElementsAre(3, 6));
  EXPECT_THAT(take_column(table, "width"), ElementsAre(1, 4));
  EXPECT_TRUE(table.row(1).empty());
}

TEST(CodedTable, AColumnIsTakenOutWithItsCategories) {
  CodedTable table{sample(), {{}, {"low", "high"}, {}}, 0};
  table.categories[2] = {"x"};
  EXPECT_THAT(take_column(table, "height"), ElementsAre(2, 5));
  EXPECT_THAT(table.categories, ElementsAre(::testing::IsEmpty(), ElementsAre("x")));
  EXPECT_THAT(table.table.columns, ElementsAre("width", "depth"));
}

}  // namespace
}  // namespace earshot
