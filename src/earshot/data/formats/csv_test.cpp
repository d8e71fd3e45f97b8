#include "earshot/data/formats/csv.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/formats/csv_records.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

using Records = std::vector<std::vector<std::string>>;

Records records_of(std::string_view text, char delimiter = ',') {
  CsvRecords reader(text, "f.csv", delimiter);
  Records records;
  for (std::vector<TextCell> cells; reader.next(cells);) {
    records.emplace_back();
    for (const TextCell& cell : cells) records.back().push_back(cell.text);
  }
  return records;
}

TEST(CsvRecords, FollowRfc4180) {
  EXPECT_EQ(records_of("a,b\r\nc,d\r\n"), (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(records_of("\"a,\"\"b\"\"\",\"c\nd\"\nx,\"\"\n"), (Records{{"a,\"b\"", "c\nd"}, {"x", ""}}));
  EXPECT_EQ(records_of(",\n,,"), (Records{{"", ""}, {"", "", ""}}));
}

TEST(CsvRecords, AcceptWhatFilesInTheWildHave) {
  EXPECT_EQ(records_of("\xef\xbb\xbf"
                       "a,b\n1,2"),
            (Records{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(records_of("a\n\n\r\n\n"), (Records{{"a"}}));
  EXPECT_EQ(records_of(" a ,\t\"b \" , c d\n"), (Records{{"a", "b ", "c d"}}));
  EXPECT_EQ(records_of("a,b;c\n", ';'), (Records{{"a,b", "c"}}));
  EXPECT_EQ(records_of("a\t\t b \t\n", '\t'), (Records{{"a", "", "b", ""}}));
  EXPECT_EQ(records_of("\n"), Records{});
}

TEST(CsvRecords, BlanksSeparateInAnyNumber) {
  EXPECT_EQ(records_of("  a b\t \tc  \r\nd\n \"e f\"  \"\" g", ' '),
            (Records{{"a", "b", "c"}, {"d"}, {"e f", "", "g"}}));
  EXPECT_EQ(records_of(" 1,5 2;3 ", ' '), (Records{{"1,5", "2;3"}}));
  EXPECT_THAT([] { records_of("\"a\"b c", ' '); },
              ThrowsMessage<Error>(::testing::HasSubstr("text follows the closing quote")));
}

TEST(CsvRecords, KnowTheLineOfEveryCell) {
  CsvRecords reader("\"a\nb\",c\n\"d\",e", "f.csv", ',');
  std::vector<TextCell> cells;
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(cells[0].line, 1u);
  EXPECT_EQ(cells[1].line, 2u);
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(cells[0].line, 3u);
  EXPECT_TRUE(cells[0].quoted);
  EXPECT_FALSE(cells[1].quoted);
  EXPECT_FALSE(reader.next(cells));
}

TEST(CsvRecords, ALineOfCommasIsNotBelieved) {
  EXPECT_EQ(records_of(std::string(65535, ',')).at(0).size(), 65536u);
  EXPECT_THAT([] { records_of(std::string(65536, ',')); },
              ThrowsMessage<Error>(StrEq("f.csv:1: more than 65536 fields in one record")));
}

TEST(CsvRecords, OnlyFiveDelimiters) {
  EXPECT_THAT([] { records_of("a", '.'); },
              ThrowsMessage<Error>(
                  StrEq("delimiter \".\" found, allowed: comma, semicolon, tab, vertical bar, blank")));
}

CsvFormat sample_format() {
  return {.columns = {{.name = "id", .kind = ColumnKind::kIdentifier},
                      {.name = "colour", .kind = ColumnKind::kCategory, .categories = {"red", "green"}},
                      {.name = "size", .lowest = 0},
                      {.name = "day", .kind = ColumnKind::kDate}}};
}

TEST(Csv, ReadsUnderASchema) {
  const CodedTable result =
      read_csv("id,colour,size,day\n7,green,1.5,1970-01-02\n8,red,0,1970-01-01\n", "f.csv", sample_format());
  EXPECT_THAT(result.table.columns, ElementsAre("colour", "size", "day"));
  EXPECT_EQ(result.table.row_count, 2u);
  EXPECT_THAT(result.table.values, ElementsAre(1, 1.5, 1, 0, 0, 0));
  EXPECT_THAT(result.categories,
              ElementsAre(ElementsAre("red", "green"), ::testing::IsEmpty(), ::testing::IsEmpty()));
}

TEST(Csv, MatchesColumnsByName) {
  const CodedTable result =
      read_csv("day,size,id,colour\n1970-01-02,1.5,7,green\n", "f.csv", sample_format());
  EXPECT_THAT(result.table.columns, ElementsAre("day", "size", "colour"));
  EXPECT_THAT(result.table.values, ElementsAre(1, 1.5, 1));
}

TEST(Csv, WithoutAHeaderColumnsComeInTheOrderOfTheSchema) {
  CsvFormat format = sample_format();
  format.header = false;
  EXPECT_THAT(read_csv("7,green,1.5,1970-01-02\n", "f.csv", format).table.values, ElementsAre(1, 1.5, 1));
  EXPECT_THAT([&] { read_csv("", "f.csv", format); }, ThrowsMessage<Error>(StrEq("f.csv: holds no row")));
}

TEST(Csv, SaysWhatDoesNotFitTheSchema) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read_csv(text, "f.csv", sample_format()); }, ThrowsMessage<Error>(StrEq(message)));
  };
  expect("id,color,size,day\n",
         "f.csv:1: unknown column \"color\"; did you mean \"colour\"? allowed: id, colour, size, day");
  expect("id,colour,day\n", "f.csv:1: the header lacks the column \"size\"");
  expect("id,colour,size,day,size\n",
         "f.csv:1: column 5, \"size\", has the name of an earlier column; rename one of them");
  expect("id,colour,size,day\n7,green,-1,1970-01-02\n",
         "f.csv:2: column \"size\": \"-1\" found, allowed: a finite number of at least 0");
  expect("id,colour,size,day\n7,green,1,1970-01-02\n8,blue,1,1970-01-02\n",
         "f.csv:3: column \"colour\": \"blue\" found, allowed: red, green");
  expect("id,colour,size,day\n", "f.csv: holds no row");
}

TEST(Csv, ReadsNumbersWithoutASchema) {
  const NumericTable table = read_numeric_csv("a,\"b, c\"\r\n1,-2e3\r\n 3 ,\"4\"\r\n", "f.csv");
  EXPECT_THAT(table.columns, ElementsAre("a", "b, c"));
  EXPECT_EQ(table.row_count, 2u);
  EXPECT_THAT(table.values, ElementsAre(1, -2000, 3, 4));
  EXPECT_THAT(read_numeric_csv("a;b\n1;2\n", "f.csv", ';').values, ElementsAre(1, 2));
}

TEST(Csv, ReadsTextAsItStands) {
  const TextTable table =
      read_text_csv("name,smiles\nwater,O\n\"ethanol, pure\",\"CCO\"\nnothing,\n", "f.csv");
  EXPECT_THAT(table.columns, ElementsAre("name", "smiles"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1][0].text, "ethanol, pure");
  EXPECT_EQ(table.rows[1][table.column("smiles")].text, "CCO");
  EXPECT_EQ(table.rows[2][1].text, "");
  EXPECT_EQ(table.rows[2][1].line, 4u);
  EXPECT_THROW(table.column("smile"), Error);
  EXPECT_THAT([] { read_text_csv("a,b\n1\n", "f.csv"); },
              ThrowsMessage<Error>(StrEq("f.csv:2: 1 field, expected 2 fields")));
  EXPECT_THAT([] { read_text_csv("a,b\n", "f.csv"); }, ThrowsMessage<Error>(StrEq("f.csv: holds no row")));
}

TEST(Csv, SaysWhatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read_numeric_csv(text, "f.csv"); }, ThrowsMessage<Error>(StrEq(message)));
  };
  expect("", "f.csv: is empty, expected a header line");
  expect("\xef\xbb\xbf\r\n\n", "f.csv: is empty, expected a header line");
  expect("a,b\n", "f.csv: holds no row");
  expect("1,2\n3,4\n", "f.csv:1: the first line holds only numbers; put a line of column names in front");
  expect("a,,b\n", "f.csv:1: column 2, \"\", has no name; give it one");
  expect("a,b,a\n", "f.csv:1: column 3, \"a\", has the name of an earlier column; rename one of them");
  expect("a,\"b\nc\"\n1,2\n", "f.csv:1: column 2, \"b\\nc\", has a name that is not printable UTF-8 text");
  expect("a,b\xff\n1,2\n",
         "f.csv:1: column 2, \"b\xef\xbf\xbd\", has a name that is not printable UTF-8 text");
  expect(std::string(257, 'a') + "\n1\n",
         "f.csv:1: column 1, \"" + std::string(64, 'a') + "\"..., has a name longer than 256 bytes");
  expect("a,b\n1,2\n3\n", "f.csv:3: 1 field, expected 2 fields");
  expect("a,b\n1,2,3\n", "f.csv:2: 3 fields, expected 2 fields");
  expect("a,b\n1,2,\n", "f.csv:2: 3 fields, expected 2 fields");
  expect("a,b\n1,2\n\n3,4\n", "f.csv:3: the line is empty, expected 2 fields");
  expect("a\n1\n\n2\n", "f.csv:3: column \"a\": \"\" found, allowed: a finite number");
  expect("a,b\n1,nan\n", "f.csv:2: column \"b\": \"nan\" found, allowed: a finite number");
  expect("a,b\n1,2 3\n", "f.csv:2: column \"b\": \"2 3\" found, allowed: a finite number");
  expect("a,b\n1,\"2\n", "f.csv:2: a quote is opened here and never closed");
  expect("a,b\n1,\"2\"x\n",
         "f.csv:2: text follows the closing quote of \"2\"; write a quote inside quotes twice");
  expect("a,b\n1,2\"3\"\n",
         "f.csv:2: a quote inside the unquoted cell \"2\\\"3\\\"\"; quote the whole cell and write its "
         "quotes twice");
  expect("a,b\r1,2\r", "f.csv:1: a carriage return inside the cell \"b\\r1\"; end lines with LF or CRLF");
  expect(std::string("a,b\n1,\0\n", 8), "f.csv:2: holds a zero byte: not a text file (UTF-8 is expected)");
}

/// A finite double of any size and sign, subnormal ones included: all bit patterns are as likely.
double any_finite(Stream& stream) {
  for (;;) {
    const auto value = std::bit_cast<double>(stream.bits());
    if (std::isfinite(value)) return value;
  }
}

/// The table as a file somebody might write: quotes where they are needed and sometimes where not.
class RandomWriter {
 public:
  explicit RandomWriter(Stream& stream)
      : stream_(stream),
        delimiter_(",;\t|"[stream.below(4)]),
        line_end_(stream.below(2) == 0 ? "\n" : "\r\n") {}

  char delimiter() const { return delimiter_; }

  std::string write(const NumericTable& table) {
    std::string text = stream_.below(2) == 0 ? "\xef\xbb\xbf" : "";
    for (std::size_t c = 0; c < table.columns.size(); ++c) append(text, c, table.columns[c], true);
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const std::size_t c = i % table.columns.size();
      if (c == 0) text += line_end_;
      const double value = table.values[i];
      append(text, c, stream_.below(2) == 0 ? fmt::format("{}", value) : fmt::format("{:.16e}", value),
             stream_.below(2) == 0);
    }
    return stream_.below(2) == 0 ? text : text + line_end_;
  }

 private:
  void append(std::string& text, std::size_t column, const std::string& cell, bool quote) {
    if (column > 0) text += delimiter_;
    text += std::string(stream_.below(3), ' ');
    if (!quote) {
      text += cell;
    } else {
      text += '"';
      for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += std::string(stream_.below(3), ' ');
  }

  Stream& stream_;
  char delimiter_;
  std::string line_end_;
};

NumericTable random_table(Stream& stream) {
  static const std::vector<std::string> kPieces{"a", "\"", ",", ";", "|", " ", "\xc3\xa9", "%", "'", "{"};
  NumericTable table;
  table.row_count = 1 + stream.below(20);
  const std::size_t width = 1 + stream.below(6);
  for (std::size_t c = 0; c < width; ++c) {
    std::string name = fmt::format("c{}", c);
    for (std::uint64_t i = stream.below(6); i > 0; --i) name += kPieces[stream.below(kPieces.size())];
    table.columns.push_back(name);
  }
  for (std::size_t i = 0; i < width * table.row_count; ++i) table.values.push_back(any_finite(stream));
  return table;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

TEST(Csv, WhatIsWrittenIsReadBackToTheBit) {
  Stream stream({.seed = 1});
  for (int trial = 0; trial < 500; ++trial) {
    NumericTable table = random_table(stream);
    if (trial == 0) {
      using Limits = std::numeric_limits<double>;
      table = {{"x"}, 6, {0.0, -0.0, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()}};
    }
    RandomWriter writer(stream);
    const std::string text = writer.write(table);
    SCOPED_TRACE(text);
    const NumericTable read = read_numeric_csv(text, "f.csv", writer.delimiter());
    EXPECT_EQ(read.columns, table.columns);
    EXPECT_EQ(read.row_count, table.row_count);
    ASSERT_EQ(bits_of(read.values), bits_of(table.values));
  }
}

// A file cut or changed anywhere is read or refused; nothing else may happen (run under sanitizers).
TEST(Csv, DamagedTextIsReadOrRefused) {
  Stream stream({.seed = 2});
  const std::string whole = "id,colour,size,day\r\n7,\"green\",1.5,1970-01-02\n8,red,0,1970-01-01\n";
  std::size_t refused = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text = whole.substr(0, stream.below(whole.size() + 1));
    if (!text.empty()) text[stream.below(text.size())] = "\",\n\r\0 1x"[stream.below(8)];
    try {
      const CodedTable result = read_csv(text, "f.csv", sample_format());
      ASSERT_EQ(result.table.values.size(), result.table.row_count * 3);
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, 5000u);
}

TEST(Csv, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("csv", [](const Bytes& bytes) {
    read_numeric_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "sample");
  });
}

}  // namespace
}  // namespace earshot
