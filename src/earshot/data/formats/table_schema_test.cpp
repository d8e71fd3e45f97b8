#include "earshot/data/formats/table_schema.hpp"

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

/// The one value that a table of this column makes of the text.
double value_of(const ColumnSchema& column, const std::string& text) {
  TableBuilder builder("t", {column});
  const std::vector<TextCell> cells{{text, false, 7}};
  builder.add(cells);
  return std::move(builder).finish().table.values.at(0);
}

void expect_refusal(const ColumnSchema& column, const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { value_of(column, text); }, ThrowsMessage<Error>(StrEq(message)));
}

TEST(TableSchema, RealNumbersAreReadAsStrtodReadsThem) {
  for (const std::string text :
       {"0", "-0", "1.5", ".5", "5.", "+2", "-1e-3", "1E5", "0.1", "4.9406564584124654e-324",
        "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993"}) {
    EXPECT_EQ(value_of({.name = "x"}, text), std::strtod(text.c_str(), nullptr)) << text;
  }
  EXPECT_TRUE(std::signbit(value_of({.name = "x"}, "-0")));
}

TEST(TableSchema, ATextMayStandForTheHighestNumberAndAllAbove) {
  ColumnSchema column{
      .name = "x", .kind = ColumnKind::kInteger, .lowest = 0, .highest = 162, .top_text = "162+"};
  EXPECT_EQ(value_of(column, "162+"), 162);
  EXPECT_EQ(value_of(column, "161"), 161);
  for (const std::string text : {"163", "161+", "+", "162 +"})
    expect_refusal(
        column, text,
        "t:7: column \"x\": \"" + text + "\" found, allowed: a whole number from 0 to 162, or \"162+\"");
  column.highest = std::numeric_limits<double>::infinity();
  expect_refusal(column, "1", "column \"x\": a text for large numbers needs whole numbers and the highest");
}

TEST(TableSchema, WhatIsNoFiniteNumberIsRefused) {
  for (const std::string text : {"",
                                 "nan",
                                 "NaN",
                                 "inf",
                                 "-inf",
                                 "Infinity",
                                 "1e999",
                                 "-1e999",
                                 "1e-999",
                                 "1,5",
                                 "1 2",
                                 "1x",
                                 "x1",
                                 "0x10",
                                 "--1",
                                 "+-1",
                                 "+",
                                 "-",
                                 "1e",
                                 "1_000",
                                 "\xc2\xa0"
                                 "1"}) {
    EXPECT_THAT(
        [&] { value_of({.name = "x"}, text); },
        ThrowsMessage<Error>(AllOf(StartsWith("t:7: column \"x\": "), EndsWith("allowed: a finite number"))))
        << text;
  }
  expect_refusal({.name = "x"}, "1e999", "t:7: column \"x\": \"1e999\" found, allowed: a finite number");
}

TEST(TableSchema, RangesIncludeTheirEnds) {
  const ColumnSchema column{.name = "x", .lowest = 0, .highest = 2.5};
  EXPECT_EQ(value_of(column, "0"), 0);
  EXPECT_EQ(value_of(column, "2.5"), 2.5);
  expect_refusal(column, "-0.1", "t:7: column \"x\": \"-0.1\" found, allowed: a finite number from 0 to 2.5");
  expect_refusal(column, "2.6", "t:7: column \"x\": \"2.6\" found, allowed: a finite number from 0 to 2.5");
  expect_refusal({.name = "x", .lowest = 1}, "0",
                 "t:7: column \"x\": \"0\" found, allowed: a finite number of at least 1");
  expect_refusal({.name = "x", .highest = 1}, "2",
                 "t:7: column \"x\": \"2\" found, allowed: a finite number of at most 1");
}

TEST(TableSchema, IntegersAreWholeAndExact) {
  const ColumnSchema column{.name = "n", .kind = ColumnKind::kInteger};
  EXPECT_EQ(value_of(column, "-12"), -12);
  EXPECT_EQ(value_of(column, "+7"), 7);
  EXPECT_EQ(value_of(column, "9007199254740992"), 0x1p53);
  for (const std::string text :
       {"1.0", "1e3", "9007199254740993", "-9007199254740993", "99999999999999999999", ""})
    expect_refusal(column, text, "t:7: column \"n\": \"" + text + "\" found, allowed: a whole number");
  expect_refusal({.name = "n", .kind = ColumnKind::kInteger, .lowest = 0}, "-1",
                 "t:7: column \"n\": \"-1\" found, allowed: a whole number of at least 0");
}

TEST(TableSchema, CategoriesBecomeTheirIndex) {
  const ColumnSchema column{.name = "c", .kind = ColumnKind::kCategory, .categories = {"red", "green"}};
  EXPECT_EQ(value_of(column, "red"), 0);
  EXPECT_EQ(value_of(column, "green"), 1);
  EXPECT_EQ(value_of({.name = "c", .kind = ColumnKind::kCategory, .categories = {"x", ""}}, ""), 1);
  expect_refusal(column, "gren",
                 "t:7: column \"c\": \"gren\" found, did you mean \"green\"? allowed: red, green");
  expect_refusal(column, "0", "t:7: column \"c\": \"0\" found, allowed: red, green");
}

TEST(TableSchema, ALongListOfCategoriesIsNotRecited) {
  ColumnSchema column{.name = "c", .kind = ColumnKind::kCategory};
  for (int i = 0; i < 1000; ++i) column.categories.push_back(std::to_string(i));
  expect_refusal(column, "x", "t:7: column \"c\": \"x\" found, allowed: one of 1000 categories");
}

// Days since 1970-01-01 from the calendar: 1972 and 2000 are leap years, 1900 is not.
TEST(TableSchema, DatesBecomeDays) {
  const ColumnSchema column{.name = "d", .kind = ColumnKind::kDate};
  EXPECT_EQ(value_of(column, "1970-01-01"), 0);
  EXPECT_EQ(value_of(column, "1969-12-31"), -1);
  EXPECT_EQ(value_of(column, "1973-01-01"), 3 * 365 + 1);
  EXPECT_EQ(value_of(column, "2000-03-01"), 30 * 365 + 7 + 31 + 29);
  EXPECT_EQ(value_of(column, "2000-02-29") + 1, value_of(column, "2000-03-01"));
  for (const std::string text :
       {"1900-02-29", "2001-02-29", "2001-13-01", "2001-00-10", "2001-01-00", "2001-01-32", "2001-1-1",
        "01-01-2001", "2001/01/01", "2001-01-01 ", "-001-01-01", "2001-01-1x", ""})
    expect_refusal(column, text, "t:7: column \"d\": \"" + text + "\" found, allowed: a date YYYY-MM-DD");
}

TEST(TableSchema, IdentifiersAreUniqueAndLeftOut) {
  TableBuilder builder("t", {{.name = "id", .kind = ColumnKind::kIdentifier},
                             {.name = "note", .kind = ColumnKind::kIgnored},
                             {.name = "x"}});
  builder.add(std::vector<TextCell>{{"a", false, 2}, {"nan", false, 2}, {"5", false, 2}});
  EXPECT_THAT(
      [&] {
        builder.add(std::vector<TextCell>{{"a", false, 3}, {"", false, 3}, {"6", false, 3}});
      },
      ThrowsMessage<Error>(
          StrEq("t:3: column \"id\": \"a\" already identifies the row of line 2; give every row its own")));
  EXPECT_THAT(
      [&] {
        builder.add(std::vector<TextCell>{{"", false, 4}, {"", false, 4}, {"6", false, 4}});
      },
      ThrowsMessage<Error>(StrEq("t:4: column \"id\": the identifier is empty; give every row its own")));
  const CodedTable result = std::move(builder).finish();
  EXPECT_THAT(result.table.columns, ElementsAre("x"));
  EXPECT_THAT(result.table.values, ElementsAre(5));
}

TEST(TableSchema, RowsWithAMissingValueAreDroppedAndCounted) {
  const std::vector<ColumnSchema> columns{{.name = "x", .missing_text = "?"}, {.name = "y"}};
  TableBuilder builder("t", columns);
  builder.add(std::vector<TextCell>{{"1", false, 1}, {"2", false, 1}});
  builder.add(std::vector<TextCell>{{"?", false, 2}, {"3", false, 2}});
  builder.add(std::vector<TextCell>{{"4", false, 3}, {"5", false, 3}});
  EXPECT_THROW(builder.add(std::vector<TextCell>{{"?", true, 4}, {"3", false, 4}}), Error) << "quoted";
  EXPECT_THROW(builder.add(std::vector<TextCell>{{"1", false, 5}, {"?", false, 5}}), Error)
      << "may not be missing";
  EXPECT_THROW(builder.add(std::vector<TextCell>{{"?", false, 6}, {"x", false, 6}}), Error)
      << "dropped, still checked";
  const CodedTable result = std::move(builder).finish();
  EXPECT_EQ(result.dropped_rows, 1u);
  EXPECT_EQ(result.table.row_count, 2u);
  EXPECT_THAT(result.table.values, ElementsAre(1, 2, 4, 5));

  TableBuilder nothing("t", columns);
  nothing.add(std::vector<TextCell>{{"?", false, 1}, {"3", false, 1}});
  EXPECT_THAT([&] { std::move(nothing).finish(); }, ThrowsMessage<Error>(StrEq("t: holds no complete row")));
}

TEST(TableSchema, ATableHasABound) {
  TableBuilder builder("t", {{.name = "x"}, {.name = "y"}}, 5);
  const std::vector<TextCell> cells{{"1", false, 9}, {"2", false, 9}};
  builder.add(cells);
  builder.add(cells);
  EXPECT_THAT([&] { builder.add(cells); },
              ThrowsMessage<Error>(StrEq("t:9: the table holds more than 5 numbers; split it")));
  EXPECT_EQ(std::move(builder).finish().table.row_count, 2u);
}

TEST(TableSchema, AnImpossibleSchemaIsRefused) {
  const auto build = [](const ColumnSchema& column) { TableBuilder("t", {column}); };
  EXPECT_THAT([&] { build({.name = "x", .lowest = 2, .highest = 1}); },
              ThrowsMessage<Error>(HasSubstr("the lowest allowed value 2 is above the highest 1")));
  EXPECT_THAT([&] { build({.name = "c", .kind = ColumnKind::kCategory}); },
              ThrowsMessage<Error>(HasSubstr("list the categories")));
  EXPECT_THAT(
      [&] {
        build({.name = "c", .kind = ColumnKind::kCategory, .categories = {"a", "b", "a"}});
      },
      ThrowsMessage<Error>(HasSubstr("category \"a\" is listed twice")));
  EXPECT_THAT([&] { build({.name = "c", .kind = ColumnKind::kCategory, .categories = {"\xff"}}); },
              ThrowsMessage<Error>(HasSubstr("not printable UTF-8")));
  EXPECT_THAT([&] { build({.name = "c", .kind = ColumnKind::kIgnored}); },
              ThrowsMessage<Error>(HasSubstr("no column can be used as numbers")));
}

}  // namespace
}  // namespace earshot
