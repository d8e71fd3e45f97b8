#include "earshot/data/formats/csv_rows.hpp"

#include <string>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

using Row = std::vector<std::optional<double>>;

CsvFormat sample_format() {
  return {.columns = {
              {.name = "id", .kind = ColumnKind::kInteger, .lowest = 0, .missing_text = ""},
              {.name = "note", .kind = ColumnKind::kIgnored},
              {.name = "word", .kind = ColumnKind::kCategory, .categories = {"x", "", "y"}},
              {.name = "count", .kind = ColumnKind::kInteger, .lowest = 1, .highest = 7, .top_text = "7+"}}};
}

std::vector<Row> rows_of(std::string_view text, const CsvFormat& format = sample_format()) {
  CsvRows reader(LineStream(TextFile{text, "f.csv"}), format);
  std::vector<Row> rows;
  for (Row row; reader.next(row);) rows.push_back(row);
  return rows;
}

void expect_refusal(std::string_view text, const std::string& message) {
  EXPECT_THAT([&] { rows_of(text); }, ThrowsMessage<Error>(StrEq(message)));
}

TEST(CsvRows, ValuesComeInTheFormatsOrderAndMissingOnesAreNone) {
  EXPECT_THAT(rows_of("count,word,id,note\n7+,y,12,hm\r\n 3 ,,,\"a,b\"\n\n\r\n"),
              ElementsAre(Row{12, {}, 2, 7}, Row{{}, {}, 1, 3}));
}

TEST(CsvRows, WithoutAHeaderColumnsComeInTheFormatsOrder) {
  CsvFormat format = sample_format();
  format.header = false;
  EXPECT_THAT(rows_of("4,,x,1", format), ElementsAre(Row{4, {}, 0, 1}));
}

// What read_csv keeps of a table is what comes here row by row.
TEST(CsvRows, AgreeWithTheReaderOfWholeTables) {
  const std::string text = "id,note,word,count\n1,a,x,2\n,b,y,3\n5,\"c\",\"\",7+\n";
  const CodedTable table = read_csv(text, "f.csv", sample_format());
  std::vector<double> kept;
  for (const Row& row : rows_of(text)) {
    if (row[0]) kept.insert(kept.end(), {*row[0], *row[2], *row[3]});
  }
  EXPECT_EQ(kept, table.table.values);
  EXPECT_EQ(table.dropped_rows, 1u);
}

TEST(CsvRows, RefuseWithLineAndColumn) {
  expect_refusal("", "f.csv: is empty, expected a header line");
  expect_refusal("id,note,word,count\n", "f.csv: holds no row");
  expect_refusal("id,note,word,sum\n", "f.csv:1: unknown column \"sum\"; allowed: id, note, word, count");
  expect_refusal("id,note,word\n", "f.csv:1: the header lacks the column \"count\"");
  expect_refusal("id,id,word,count\n",
                 "f.csv:1: column 2, \"id\", has the name of an earlier column; rename one of them");
  expect_refusal("id,note,word,count\n1,,x,2\n1,,x\n", "f.csv:3: 3 fields, expected 4 fields");
  expect_refusal("id,note,word,count\n1,,x,2\n\n1,,x,2\n", "f.csv:3: the line is empty, expected 4 fields");
  expect_refusal("id,note,word,count\n1,\"a\nb\",x,2\n", "f.csv:2: a quote is opened here and never closed");
  expect_refusal("id,note,word,count\n1,,x,2\n1,,x,8\n",
                 "f.csv:3: column \"count\": \"8\" found, allowed: a whole number from 1 to 7, or \"7+\"");
  expect_refusal("id,note,word,count\n1,,why,2\n",
                 "f.csv:2: column \"word\": \"why\" found, allowed: x, an empty cell, y");
}

TEST(CsvRows, AReaderOfRowsCanRefuseToo) {
  CsvRows reader(LineStream(TextFile{"count,note,word,id\n2,,x,9\n", "f.csv"}), sample_format());
  Row row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT([&] { reader.refuse(0, "9 is unlucky"); },
              ThrowsMessage<Error>(StrEq("f.csv:2: column \"id\": 9 is unlucky")));
}

TEST(CsvRows, IdentifiersAreNotForThem) {
  EXPECT_THAT(
      [] { rows_of("a\n1\n", {.columns = {{.name = "a", .kind = ColumnKind::kIdentifier}}}); },
      ThrowsMessage<Error>(StrEq("schema of f.csv: rows that are read one by one have no identifiers")));
}

}  // namespace
}  // namespace earshot
