#include "earshot/data/formats/arff.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/formats/csv.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

const std::string kHeader =
    "% weather\n"
    "@RELATION weather\n"
    "\n"
    "@attribute outlook {sunny, 'partly cloudy', rainy} % nominal\n"
    "@Attribute 'air temperature' NUMERIC\n"
    "@attribute station string\n"
    "@attribute \"gusts\" integer\n"
    "@DATA\n";

TEST(Arff, ReadsDenseRows) {
  const CodedTable result = read_arff(kHeader +
                                          "sunny,21.5,'a, b',3 % first\n"
                                          "% between\n"
                                          " 'partly cloudy' ,\t-1e1, \"it\\\"s\", 0\r\n"
                                          "\n"
                                          "rainy,0,?,7",
                                      "w.arff");
  EXPECT_THAT(result.table.columns, ElementsAre("outlook", "air temperature", "gusts"));
  EXPECT_THAT(result.categories,
              ElementsAre(ElementsAre("sunny", "partly cloudy", "rainy"), IsEmpty(), IsEmpty()));
  EXPECT_EQ(result.table.row_count, 3u);
  EXPECT_THAT(result.table.values, ElementsAre(0, 21.5, 3, 1, -10, 0, 2, 0, 7));
}

TEST(Arff, ReadsSparseRows) {
  const CodedTable result = read_arff(kHeader + "{3 4, 0 rainy}\n{}\n{ 1 2.5 , 2 'x' }\n", "w.arff");
  EXPECT_THAT(result.table.values, ElementsAre(2, 0, 4, 0, 0, 0, 0, 2.5, 0));
}

TEST(Arff, MissingValuesAreRefusedOrTheirRowsDropped) {
  const std::string text = kHeader + "sunny,?,a,1\n?,2,a,1\nrainy,2,?,1\n{1 ?}\n";
  EXPECT_THAT([&] { read_arff(text, "w.arff"); },
              ThrowsMessage<Error>(
                  StrEq("w.arff:9: column \"air temperature\": \"?\" found, allowed: a finite number")));
  const CodedTable result = read_arff(text, "w.arff", OnMissing::kDropRow);
  EXPECT_EQ(result.dropped_rows, 3u);
  EXPECT_THAT(result.table.values, ElementsAre(2, 2, 1));
}

TEST(Arff, SaysWhatIsWrongInTheData) {
  const auto expect = [](const std::string& rows, const std::string& message) {
    EXPECT_THAT([&] { read_arff(kHeader + rows, "w"); }, ThrowsMessage<Error>(StrEq(message))) << rows;
  };
  expect("", "w: holds no row");
  expect("sunny,1,a\n", "w:9: 3 fields, expected 4 fields");
  expect("sunny,1,a,1,2,3\n", "w:9: 5 fields, expected 4 fields");
  expect("sunny,1,a,1,\n", "w:9: the line ends where a value should follow");
  expect("sunny,,a,1\n", "w:9: \",a,1\" found where a value should be");
  expect("sunny,1 2,a,1\n", "w:9: \"2,a,1\" found where the line should end");
  expect("sunny,1,a,1.5\n", "w:9: column \"gusts\": \"1.5\" found, allowed: a whole number");
  expect("sunny,inf,a,1\n", "w:9: column \"air temperature\": \"inf\" found, allowed: a finite number");
  expect("suny,1,a,1\n",
         "w:9: column \"outlook\": \"suny\" found, did you mean \"sunny\"? allowed: sunny, partly cloudy, "
         "rainy");
  expect("sunny,1,'a,1\n", "w:9: the quote of \"'a,1\" is not closed on its line");
  expect("sunny,1,'a\\", "w:9: the quote of \"'a\\\\\" is not closed on its line");
  expect("sunny,1,a'b,1\n", "w:9: a quote inside \"a'b\"; quote the whole value");
  expect("{4 1}\n", "w:9: \"4\" found as index in a sparse row, allowed: 0 to 3");
  expect("{-1 1}\n", "w:9: \"-1\" found as index in a sparse row, allowed: 0 to 3");
  expect("{1.5 1}\n", "w:9: \"1.5\" found as index in a sparse row, allowed: 0 to 3");
  expect("{1 1, 1 2}\n", "w:9: index 1 is given twice in a sparse row");
  expect("{1 1\n", "w:9: the sparse row is not closed by }");
  expect("{1 1}, {5}\n", "w:9: \", {5}\" found where the line should end");
  expect(std::string("sunny,1,\0,1\n", 12), "w:9: holds a zero byte: not a text file (UTF-8 is expected)");
}

TEST(Arff, SaysWhatIsWrongInTheDeclarations) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read_arff(text, "w"); }, ThrowsMessage<Error>(StrEq(message))) << text;
  };
  expect("", "w: has no @data line");
  expect("@relation r\n@attribute x real\n", "w: has no @data line");
  expect("1,2\n", "w:1: \"1\" found, expected @relation");
  expect("@attribute x real\n", "w:1: \"@attribute\" found, expected @relation");
  expect("@relation r\n@relation r\n", "w:2: \"@relation\" found, expected @attribute or @data");
  expect("@relation r\n@data\n", "w:2: @data comes before any @attribute");
  expect("@relation a b\n", "w:1: \"b\" found where the line should end");
  expect("@relation\n", "w:1: the line ends where a value should follow");
  expect("@relation r\n@attribute x\n", "w:2: the line ends where a value should follow");
  expect("@relation r\n@attribute x date\n",
         "w:2: attribute \"x\" has type \"date\", allowed: numeric, real, integer, string, {a, list, of, "
         "categories}");
  expect("@relation r\n@attribute x real [0,1]\n", "w:2: \"[0,1]\" found where the line should end");
  expect("@relation r\n@attribute x {a, b\n", "w:2: the list of categories is not closed by }");
  expect("@relation r\n@attribute x {}\n", "w:2: \"}\" found where a value should be");
  expect("@relation r\n@attribute x {a,a}\n@data\n",
         "w:3: column \"x\": category \"a\" is listed twice; list it once");
  expect("@relation r\n@attribute x real\n@attribute x real\n@data\n",
         "w:4: column 2, \"x\", has the name of an earlier column; rename one of them");
  expect("@relation r\n@attribute '' real\n@data\n", "w:3: column 1, \"\", has no name; give it one");
  expect("@relation r\n@attribute x string\n@data\n", "w:3: no column can be used as numbers");
}

// The two formats are written and read by different code, so each is the other's oracle.
TEST(Arff, AgreesWithCsv) {
  Stream stream({.seed = 3});
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t width = 1 + stream.below(5);
    std::string csv = "x0";
    std::string arff = "@relation r\n@attribute x0 real\n";
    for (std::size_t c = 1; c < width; ++c) {
      csv += fmt::format(",x{}", c);
      arff += fmt::format("@attribute x{} numeric\n", c);
    }
    arff += "@data\n";
    csv += '\n';
    for (std::uint64_t row = 1 + stream.below(5); row > 0; --row) {
      const bool sparse = stream.below(2) == 0;
      std::string dense_cells;
      std::string sparse_cells;
      for (std::size_t c = 0; c < width; ++c) {
        const double value = stream.below(2) == 0 ? 0 : stream.normal();
        dense_cells += fmt::format("{}{}", c == 0 ? "" : ",", value);
        if (value != 0) sparse_cells += fmt::format("{}{} {}", sparse_cells.empty() ? "" : ",", c, value);
      }
      csv += dense_cells + '\n';
      arff += sparse ? "{" + sparse_cells + "}\n" : dense_cells + '\n';
    }
    const NumericTable expected = read_numeric_csv(csv, "f.csv");
    const NumericTable read = read_arff(arff, "w").table;
    EXPECT_EQ(read.columns, expected.columns);
    EXPECT_EQ(read.values, expected.values);
  }
}

TEST(Arff, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("arff", [](const Bytes& bytes) {
    read_arff({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "sample");
  });
}

}  // namespace
}  // namespace earshot
