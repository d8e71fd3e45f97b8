#include "earshot/data/tables/schema_inference.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

std::vector<ColumnKind> kinds_of(const InferredSchema& schema) {
  std::vector<ColumnKind> kinds;
  for (const ColumnSchema& column : schema.format.columns) kinds.push_back(column.kind);
  return kinds;
}

TEST(SchemaInference, FindsKindsAndMissingMarkers) {
  const InferredSchema schema = infer_schema(
      "id;age;weight;colour;day;note\n1;7;1.5;red;2020-01-01;\n2;?;2;green;2020-01-02;\n3;-9;3;red;2021-01-"
      "01;\n",
      "f.csv");
  EXPECT_EQ(schema.format.delimiter, ';');
  EXPECT_EQ(schema.rows, 3u);
  EXPECT_THAT(kinds_of(schema), ElementsAre(ColumnKind::kIdentifier, ColumnKind::kInteger, ColumnKind::kReal,
                                            ColumnKind::kCategory, ColumnKind::kDate, ColumnKind::kIgnored));
  EXPECT_EQ(schema.format.columns[1].missing_text, "?");
  EXPECT_EQ(schema.format.columns[2].missing_text, std::nullopt);
  EXPECT_THAT(schema.format.columns[3].categories, ElementsAre("green", "red"));
  EXPECT_THAT(schema.reasons, ElementsAre("whole numbers, different in every row, and named so",
                                          "from -9 to 7, 2 different; 1 missing",
                                          "from 1.5 to 3, 3 different", "2 different texts",
                                          "from 2020-01-01 to 2021-01-01", "no value at all; 3 missing"));
}

TEST(SchemaInference, TextThatRarelyRepeatsIsNoCategory) {
  std::string names = "name,remark,group\n";
  for (int i = 0; i < 40; ++i)
    names += fmt::format("person {},remark {},{}\n", i, i / 2 + i % 2 * 50, i % 3 == 0 ? "a" : "b");
  const InferredSchema schema = infer_schema(names, "f.csv");
  EXPECT_EQ(schema.format.columns[0].kind, ColumnKind::kIdentifier);
  EXPECT_EQ(schema.format.columns[2].kind, ColumnKind::kCategory);
  names += "person 0,remark 0,a\n";
  EXPECT_EQ(infer_schema(names, "f.csv").format.columns[0].kind, ColumnKind::kIgnored);
}

// A number of more than 53 bits would be changed by reading it.
TEST(SchemaInference, NumbersADoubleCannotHoldAreNotIntegers) {
  EXPECT_EQ(infer_schema("a\n9007199254740993\n1\n", "f.csv").format.columns[0].kind, ColumnKind::kReal);
  EXPECT_EQ(infer_schema("a\n9007199254740992\n1\n", "f.csv").format.columns[0].kind, ColumnKind::kInteger);
}

TEST(SchemaInference, SaysWhatItCannotDecide) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { infer_schema(text, "f.csv"); }, ThrowsMessage<Error>(StrEq(message)));
  };
  expect("", "f.csv: is empty, expected a header line");
  expect("a,b\n", "f.csv: holds no row");
  expect("1,2\n3,4\n", "f.csv:1: the first line holds only numbers; put a line of column names in front");
  expect("a,b;c\n1,2;3\n",
         "f.csv: two delimiters cut the first line into 2 cells; write a schema that names one");
  expect("a,b\n?,1\nNA,2\n",
         "f.csv:3: column \"a\" marks missing values as \"?\" and as \"NA\"; use one of them");
  expect("a,b\n1\n", "f.csv:2: 1 field, expected 2 fields");
  expect("a,a\n1,2\n", "f.csv:1: column 2, \"a\", has the name of an earlier column; rename one of them");
}

// What is inferred must read the file it was inferred from: here every catalogued CSV file with a header.
TEST(SchemaInference, RealFilesAreReadUnderTheirInferredSchema) {
  for (const char* path :
       {"insurance/insurance.csv", "lawschool-lsac/law_school_clean.csv", "uci-concrete/Concrete_Data.csv",
        "uci-wine-red/winequality-red.csv", "real-estate-valuation/real_estate_valuation.csv",
        "household-power/household_power_daily24.csv"}) {
    SCOPED_TRACE(path);
    const std::string name(path, std::string_view(path).find('/'));
    EARSHOT_NEEDS_DATASET(name);
    const DatasetEntry& entry = find_dataset(name);
    const std::string text = read_text(locate(entry, find_file(entry, path), data_directory()));
    const InferredSchema schema = infer_schema(text, path);
    const CodedTable table = read_csv(text, path, schema.format);
    EXPECT_EQ(table.table.row_count + table.dropped_rows, schema.rows);
    EXPECT_EQ(table.dropped_rows, 0u);
  }
}

}  // namespace
}  // namespace earshot
