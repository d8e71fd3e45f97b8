#include "earshot/data/tables/schema_file.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(SchemaFile, IsPrintedForPeople) {
  const TableSchema schema{
      {.columns = {{.name = "size", .kind = ColumnKind::kInteger, .lowest = 0, .highest = 9},
                   {.name = "a \"b\"",
                    .kind = ColumnKind::kCategory,
                    .categories = {"x", "y"},
                    .missing_text = "?"}}},
      "size"};
  EXPECT_EQ(
      to_toml(schema, std::vector<std::string>{"from 1 to 5"}),
      "delimiter = \",\"\nheader = true\ntarget = \"size\"\n\n[[column]]\nname = \"size\"\n"
      "kind = \"integer\"  # from 1 to 5\nlowest = 0\nhighest = 9\n\n[[column]]\nname = \"a \\\"b\\\"\"\n"
      "kind = \"category\"\nmissing = \"?\"\ncategories = [\"x\",\"y\"]\n");
}

TableSchema random_schema(Stream& stream) {
  static const std::vector<std::string> kPieces{"a", "\"", "\\", "#", " ", "\xc3\xa9", "=", "[", "'", "]"};
  const auto word = [&](std::size_t i) {
    std::string text = std::to_string(i);
    for (std::uint64_t n = stream.below(6); n > 0; --n) text += kPieces[stream.below(kPieces.size())];
    return text;
  };
  TableSchema schema;
  schema.format.delimiter = ",;\t| "[stream.below(5)];
  schema.format.header = stream.below(2) == 0;
  schema.format.columns.push_back({.name = "number"});
  for (std::size_t i = stream.below(6); i > 0; --i) {
    ColumnSchema column{.name = word(i), .kind = static_cast<ColumnKind>(stream.below(6))};
    if (column.kind == ColumnKind::kCategory)
      for (std::size_t c = 0; c <= stream.below(4); ++c) column.categories.push_back(word(c));
    if (column.kind == ColumnKind::kReal && stream.below(2) == 0) column.lowest = 1e20 * stream.normal();
    if (column.kind == ColumnKind::kInteger) column.highest = static_cast<double>(stream.below(1000));
    if (stream.below(3) == 0) column.missing_text = word(0);
    schema.format.columns.push_back(column);
  }
  if (stream.below(2) == 0) schema.target = "number";
  return schema;
}

TEST(SchemaFile, WhatIsPrintedIsReadBack) {
  Stream stream({.seed = 6});
  for (int trial = 0; trial < 300; ++trial) {
    const TableSchema schema = random_schema(stream);
    const std::string text = to_toml(schema, std::vector<std::string>(3, "a note"));
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_table_schema(text, "s.toml"), schema);
  }
}

TEST(SchemaFile, SaysWhatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { parse_table_schema(text, "s.toml"); }, ThrowsMessage<Error>(StrEq(message)));
  };
  expect("", "s.toml: holds no [[column]]");
  expect("column = 3", "s.toml: holds no [[column]]");
  expect("column = [3]", "s.toml:1: column: write it as [[column]]");
  expect("[[column]]\nnmae = \"x\"",
         "s.toml:2: unknown key \"nmae\"; did you mean \"name\"? allowed: name, kind, missing, categories, "
         "lowest, "
         "highest");
  expect("[[column]]\nname = \"x\"", "s.toml:1: column[0]: give it a kind");
  expect("[[column]]\nname = \"x\"\nkind = \"intger\"",
         "s.toml:3: kind: no kind of column \"intger\"; did you mean \"integer\"? allowed: real, integer, "
         "category, "
         "date, identifier, ignored");
  expect("[[column]]\nname = 3\nkind = \"real\"", "s.toml:2: name: a text in quotes is expected");
  expect("[[column]]\nname = \"x\"\nkind = \"real\"\nlowest = inf",
         "s.toml:4: lowest: nan and inf are not allowed");
  expect("[[column]]\nname = \"x\"\nkind = \"date\"\nlowest = 1",
         "s.toml:4: lowest: only a column of kind real or integer has a range");
  expect("[[column]]\nname = \"x\"\nkind = \"real\"\ncategories = []",
         "s.toml:4: categories: only a column of kind category has them");
  expect("[[column]]\nname = \"x\"\nkind = \"real\"\nlowest = 2\nhighest = 1",
         "s.toml: column \"x\": the lowest allowed value 2 is above the highest 1");
  expect("delimiter = \".\"\n", "s.toml:1: delimiter: allowed: \",\", \";\", \"\\t\", \"|\", \" \"");
  expect("header = 1\n", "s.toml:1: header: true or false is expected");
  expect("target = \"price\"\n[[column]]\nname = \"x\"\nkind = \"real\"",
         "s.toml: target \"price\" is no column that can be learnt; allowed: x");
  for (const char* text : {"a = ", "[`x]", "a = [}"}) {
    EXPECT_THAT([&] { parse_table_schema(text, "s.toml"); },
                ThrowsMessage<Error>(HasSubstr("s.toml:1: not valid TOML: ")))
        << text;
  }
}

TEST(SchemaFile, OnlyQuotesAndCommentsHoldOtherLetters) {
  const std::string column = "[[column]] # h\xc3\xb6he\nname = \"h\xc3\xb6he \\\" #\"\nkind = 'real'\n";
  EXPECT_EQ(parse_table_schema(column, "s.toml").format.columns.at(0).name, "h\xc3\xb6he \" #");
  EXPECT_EQ(parse_table_schema("\xef\xbb\xbf" + column, "s.toml"), parse_table_schema(column, "s.toml"));
  const auto expect = [&](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { parse_table_schema(column + text, "s.toml"); },
                ThrowsMessage<Error>(HasSubstr(message)));
  };
  expect("h\xc3\xb6he = 1",
         "s.toml:4: not valid TOML: letters other than ASCII belong in quotes of one line");
  expect("x = ''\xc3\xb6", "s.toml:4: not valid TOML: letters other than ASCII belong in quotes of one line");
  expect("x = 1'\xc3\xb6'",
         "s.toml:4: not valid TOML: letters other than ASCII belong in quotes of one line");
  expect("x = \"\"\"\n\xc3\xb6\"\"\"",
         "s.toml:4: not valid TOML: letters other than ASCII belong in quotes of one line");
}

TEST(SchemaFile, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("table_schema", [](const Bytes& bytes) {
    parse_table_schema({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "sample");
  });
}

}  // namespace
}  // namespace earshot
