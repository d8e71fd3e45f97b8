#include "earshot/data/tables/health_heritage.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/formats/sample_files.hpp"
#include "earshot/data/tables/health_heritage_format.hpp"
#include "earshot/data/tables/table_encoder.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

const std::string kClaimsHeader =
    "MemberID,ProviderID,Vendor,PCP,Year,Specialty,PlaceSvc,PayDelay,LengthOfStay,DSFS,"
    "PrimaryConditionGroup,CharlsonIndex,ProcedureGroup,SupLOS";

/// The four files as lines, the header first.
struct Lines {
  std::vector<std::string> members{
      "MemberID,AgeAtFirstClaim,Sex", "20,30-39,F", "7,80+,M", "5,,", "9,0-9,F", "11,40-49,M"};
  std::vector<std::string> claims{
      kClaimsHeader,
      "20,100,50,1,Y1,Internal,Office,28,,8- 9 months,NEUMENT,0,MED,0",
      "7,300,70,3,Y2,Surgery,Inpatient Hospital,40,1- 2 weeks,2- 3 months,HEART2,5+,SCS,0",
      "20,100,51,1,Y1,Surgery,Office,162+,2 days,9-10 months,METAB3,1-2,EM,0",
      "20,200,60,2,Y3,Laboratory,Urgent Care,10,26+ weeks,11-12 months,UTI,0,PL,0",
      "20,101,50,,Y1,Internal,Independent Lab,0,,,NEUMENT,0,EM,0",
      "5,,,,Y2,,,1,,,,3-4,,1",
      "20,,,1,Y1,,,5,,0- 1 month,,0,,1",
      "7,300,70,3,Y2,Emergency,Ambulance,41,,2- 3 months,AMI,0,SAS,0"};
  std::vector<std::string> drugs{"MemberID,Year,DSFS,DrugCount", "20,Y1,0- 1 month,7+", "11,Y1,5- 6 months,1",
                                 "20,Y1,1- 2 months,2"};
  std::vector<std::string> labs{"MemberID,Year,DSFS,LabCount", "20,Y3,0- 1 month,10+", "20,Y3,3- 4 months,4",
                                "11,Y1,,3"};
};

std::string text_of(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

TabularDataset read(const Lines& lines) {
  const std::string members = text_of(lines.members), claims = text_of(lines.claims),
                    drugs = text_of(lines.drugs), labs = text_of(lines.labs);
  return read_health_heritage({.members = LineStream(TextFile{members, "Members.csv"}),
                               .claims = LineStream(TextFile{claims, "Claims.csv"}),
                               .drug_counts = LineStream(TextFile{drugs, "DrugCount.csv"}),
                               .lab_counts = LineStream(TextFile{labs, "LabCount.csv"})});
}

/// A row as one would write it down: numbers, words, and the class behind a colon.
std::string written(const TabularDataset& dataset, std::size_t i) {
  std::string text;
  const auto row = dataset.features.row(i);
  for (std::size_t column = 0; column < row.size(); ++column) {
    const auto& words = dataset.categories[column];
    text += words.empty() ? fmt::format("{} ", row[column])
                          : fmt::format("{}, ", words.at(static_cast<std::size_t>(row[column])));
  }
  return fmt::format("{}: {}", text, dataset.classes.at(static_cast<std::size_t>(dataset.target[i])));
}

std::vector<std::string> written(const TabularDataset& dataset) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < dataset.features.row_count; ++i) rows.push_back(written(dataset, i));
  return rows;
}

/// Worked out by hand from the lines above: laboratory total and months, drug total and months, claims that
/// name their provider, providers, vendors, physicians, pay delay as sum, highest and lowest; then words.
const std::vector<std::string> kExpected{
    // Member 5, year 2: one claim of which little is stated, not even the provider.
    "0 0 0 0 0 0 0 0 1 1 1 ?, ?, ?, ?, ?, ?, : yes",
    // Member 7, year 2: two claims that share no word, so the first word of the published order.
    "0 0 0 0 2 1 1 1 81 41 40 AMI, Emergency, SAS, Ambulance, 80+, M, : yes",
    // Member 11, year 1: prescriptions and tests without any claim.
    "3 1 1 1 0 0 0 0 0 0 0 ?, ?, ?, ?, 40-49, M, : no",
    // Member 20, year 1: pay delays 28, 162 or more, 0 and 5; one provider and one physician not stated.
    "0 0 9 2 3 2 2 1 195 162 0 NEUMENT, Internal, EM, Office, 30-39, F, : yes",
    // Member 20, year 3.
    "14 2 0 0 1 1 1 1 10 10 10 UTI, Laboratory, PL, Urgent Care, 30-39, F, : no"};

TEST(HealthHeritage, OneRowPerPersonAndYear) {
  const TabularDataset dataset = read({});
  EXPECT_EQ(dataset.name, "health_heritage");
  EXPECT_EQ(dataset.features.row_count, 5u);
  EXPECT_EQ(dataset.target.size(), 5u);
  EXPECT_EQ(written(dataset), kExpected);
  EXPECT_EQ(dataset.target_name, "highest CharlsonIndex above 0");
  EXPECT_THAT(class_counts(dataset), ElementsAre(2, 3));
}

// 11 numbers and 6 categories, 110 numbers under one-hot, as Vero et al. 2023 and Ski 2026 count.
TEST(HealthHeritage, ColumnsAreThePublishedOnes) {
  const TabularDataset dataset = read({});
  std::vector<std::size_t> sizes;
  for (const auto& words : dataset.categories) sizes.push_back(words.size());
  EXPECT_THAT(sizes, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 46, 13, 18, 9, 10, 3));
  EXPECT_THAT(dataset.features.columns,
              ElementsAre("LabCount_total", "LabCount_months", "DrugCount_total", "DrugCount_months",
                          "no_Claims", "no_Providers", "no_Vendors", "no_PCPs", "PayDelay_total",
                          "PayDelay_max", "PayDelay_min", "PrimaryConditionGroup", "Specialty",
                          "ProcedureGroup", "PlaceSvc", "AgeAtFirstClaim", "Sex"));
  EXPECT_EQ(TableEncoder(dataset, std::vector<std::size_t>{0, 1, 2, 3, 4}, {}).width(), 110u);
}

TEST(HealthHeritage, RowsComeBackUnderEveryEncoding) {
  const TabularDataset dataset = read({});
  std::vector<std::size_t> all(dataset.features.row_count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const CategoryOptions& categories :
       {CategoryOptions{CategoryEncoding::kOneHot}, CategoryOptions{CategoryEncoding::kBinary},
        CategoryOptions{CategoryEncoding::kRandomBinary, 3},
        CategoryOptions{CategoryEncoding::kHashing, 0, 64},
        CategoryOptions{CategoryEncoding::kHashing, 0, 64, true}}) {
    const TableEncoder encoder(dataset, all, {.categories = categories});
    const NumericTable encoded = encoder.encode(dataset.features, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<double> back = encoder.decode(encoded.row(i));
      for (std::size_t column = 0; column < back.size(); ++column) {
        if (encoder.blocks()[column].collisions() == 0)
          EXPECT_EQ(back[column], dataset.features.row(i)[column]) << encoder.blocks()[column].name;
      }
    }
  }
}

/// Any word the column allows.
std::string drawn(Stream& stream, const std::vector<std::string>& words) {
  const std::string& word = words[stream.below(words.size())];
  return word == "?" ? "" : word;
}

/// Random claims of few people, few words and few partners, so that ties and repetitions abound.
Lines random_lines(std::uint64_t seed) {
  Stream stream(StreamName{.seed = seed});
  Lines lines;
  lines.claims.resize(1);
  const auto number = [&](std::uint64_t bound) {
    return stream.below(5) == 0 ? "" : std::to_string(stream.below(bound));
  };
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<std::string> people{"20", "7", "5", "11"}, years{"Y1", "Y2", "Y3"},
        charlson{"0", "0", "0", "0", "0", "0", "0", "0", "1-2", "5+"}, delays{"0", "161", "162+", "44"};
    std::vector<std::string> cells{drawn(stream, people),
                                   number(3),
                                   number(4),
                                   number(2),
                                   drawn(stream, years),
                                   drawn(stream, claim_words()[1].words),
                                   drawn(stream, claim_words()[3].words),
                                   drawn(stream, delays),
                                   "",
                                   "",
                                   drawn(stream, {"UTI", "?", "AMI"}),
                                   drawn(stream, charlson),
                                   drawn(stream, claim_words()[2].words),
                                   "0"};
    lines.claims.push_back(fmt::format("{}", fmt::join(cells, ",")));
  }
  return lines;
}

void shuffle(std::vector<std::string>& lines, Stream& stream) {
  for (std::size_t i = lines.size() - 1; i > 1; --i) std::swap(lines[i], lines[1 + stream.below(i)]);
}

TEST(HealthHeritage, TheOrderInTheFilesDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Lines lines = random_lines(seed);
    const TabularDataset before = read(lines);
    EXPECT_EQ(before.features.row_count, 12u);
    Stream stream(StreamName{.seed = seed, .round = 1});
    for (auto* file : {&lines.members, &lines.claims, &lines.drugs, &lines.labs}) shuffle(*file, stream);
    const TabularDataset after = read(lines);
    EXPECT_EQ(after.features.values, before.features.values);
    EXPECT_EQ(after.target, before.target);
  }
}

void expect_refusal(std::vector<std::string> Lines::*file, const std::string& line,
                    const std::string& message) {
  Lines lines;
  (lines.*file).push_back(line);
  EXPECT_THAT([&] { read(lines); }, ThrowsMessage<Error>(StrEq(message)));
}

TEST(HealthHeritage, BadMembersAreRefused) {
  const auto refused = [](const std::string& line, const std::string& message) {
    expect_refusal(&Lines::members, line, "Members.csv:7: " + message);
  };
  refused("7,0-9,F", "column \"MemberID\": 7 comes twice; list every member once");
  refused(",0-9,F", "column \"MemberID\": \"\" found, allowed: a whole number from 0 to 4294967294");
  refused("1.5,0-9,F", "column \"MemberID\": \"1.5\" found, allowed: a whole number from 0 to 4294967294");
  refused("1,90+,F",
          "column \"AgeAtFirstClaim\": \"90+\" found, did you mean \"80+\"? allowed: 0-9, 10-19, 20-29, "
          "30-39, 40-49, 50-59, 60-69, 70-79, 80+, an empty cell");
  refused("1,0-9,female", "column \"Sex\": \"female\" found, allowed: an empty cell, F, M");
  refused("1,0-9,?", "column \"Sex\": \"?\" found, did you mean \"F\"? allowed: an empty cell, F, M");
  refused("1,0-9", "2 fields, expected 3 fields");
}

/// A good claim in which one cell is another.
std::string claim_with(std::size_t cell, const std::string& text) {
  std::vector<std::string> cells{"20", "100",    "50", "1",   "Y1", "Internal", "Office",
                                 "28", "6 days", "",   "UTI", "0",  "MED",      "0"};
  cells[cell] = text;
  return fmt::format("{}", fmt::join(cells, ","));
}

TEST(HealthHeritage, BadClaimsAreRefused) {
  const auto refused = [](std::size_t cell, const std::string& text, const std::string& message) {
    expect_refusal(&Lines::claims, claim_with(cell, text), "Claims.csv:10: column " + message);
  };
  refused(0, "8", "\"MemberID\": 8 is no member of Members.csv");
  refused(1, "x", "\"ProviderID\": \"x\" found, allowed: a whole number from 0 to 4294967294");
  refused(2, "-1", "\"Vendor\": \"-1\" found, allowed: a whole number from 0 to 4294967294");
  refused(3, "4294967295", "\"PCP\": \"4294967295\" found, allowed: a whole number from 0 to 4294967294");
  refused(4, "Y4", "\"Year\": \"Y4\" found, did you mean \"Y1\"? allowed: Y1, Y2, Y3");
  refused(4, "", "\"Year\": \"\" found, allowed: Y1, Y2, Y3");
  refused(5, "Surgeon",
          "\"Specialty\": \"Surgeon\" found, did you mean \"Surgery\"? allowed: Anesthesiology, Diagnostic "
          "Imaging, Emergency, General Practice, Internal, Laboratory, Obstetrics and Gynecology, Other, "
          "Pathology, Pediatrics, Rehabilitation, an empty cell, Surgery");
  refused(6, "Hospital",
          "\"PlaceSvc\": \"Hospital\" found, allowed: Ambulance, Home, Independent Lab, Inpatient Hospital, "
          "Office, Other, Outpatient Hospital, an empty cell, Urgent Care");
  refused(7, "163", "\"PayDelay\": \"163\" found, allowed: a whole number from 0 to 162, or \"162+\"");
  refused(7, "", "\"PayDelay\": \"\" found, allowed: a whole number from 0 to 162, or \"162+\"");
  refused(8, "7 days",
          "\"LengthOfStay\": \"7 days\" found, did you mean \"2 days\"? allowed: 1 day, 2 days, 3 days, "
          "4 days, 5 days, 6 days, 1- 2 weeks, 2- 4 weeks, 4- 8 weeks, 26+ weeks, an empty cell");
  refused(9, "in May",
          "\"DSFS\": \"in May\" found, allowed: 0- 1 month, "
          "1- 2 months, 2- 3 months, 3- 4 months, 4- 5 months, 5- 6 months, 6- 7 months, 7- 8 months, "
          "8- 9 months, 9-10 months, 10-11 months, 11-12 months, an empty cell");
  refused(10, "FLU", "\"PrimaryConditionGroup\": \"FLU\" found, allowed: one of 46 categories");
  refused(11, "1", "\"CharlsonIndex\": \"1\" found, did you mean \"0\"? allowed: 0, 1-2, 3-4, 5+");
  refused(11, "", "\"CharlsonIndex\": \"\" found, did you mean \"0\"? allowed: 0, 1-2, 3-4, 5+");
  refused(12, "XRAY",
          "\"ProcedureGroup\": \"XRAY\" found, allowed: ANES, EM, MED, PL, an empty cell, RAD, SAS, SCS, "
          "SDS, SEOA, SGS, SIS, SMCD, SMS, SNS, SO, SRS, SUS");
  refused(13, "", "\"SupLOS\": \"\" found, did you mean \"0\"? allowed: 0, 1");
}

TEST(HealthHeritage, BadCountsAreRefused) {
  expect_refusal(&Lines::drugs, "20,Y1,0- 1 month,8",
                 "DrugCount.csv:5: column \"DrugCount\": \"8\" found, allowed: a whole number from 0 to 7, "
                 "or \"7+\"");
  expect_refusal(&Lines::labs, "20,Y1,0- 1 month,",
                 "LabCount.csv:5: column \"LabCount\": \"\" found, allowed: a whole number from 0 to 10, or "
                 "\"10+\"");
  expect_refusal(&Lines::labs, "20,Y0,0- 1 month,1",
                 "LabCount.csv:5: column \"Year\": \"Y0\" found, did you mean \"Y1\"? allowed: Y1, Y2, Y3");
  expect_refusal(&Lines::drugs, "21,Y1,0- 1 month,1",
                 "DrugCount.csv:5: column \"MemberID\": 21 is no member of Members.csv");
}

TEST(HealthHeritage, AFileOfAnotherReleaseIsRefused) {
  Lines lines;
  lines.drugs[0] = "MemberID,Year,DSFS,Drugs";
  EXPECT_THAT([&] { read(lines); }, ThrowsMessage<Error>(StrEq(
                                        "DrugCount.csv:1: unknown column \"Drugs\"; allowed: MemberID, Year, "
                                        "DrugCount, DSFS")));
  lines = {};
  lines.members[0] = "MemberID,AgeAtFirstClaim";
  EXPECT_THAT([&] { read(lines); },
              ThrowsMessage<Error>(StrEq("Members.csv:1: the header lacks the column \"Sex\"")));
  lines = {};
  lines.labs.resize(1);
  EXPECT_THAT([&] { read(lines); }, ThrowsMessage<Error>(StrEq("LabCount.csv: holds no row")));
}

TEST(HealthHeritage, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("health_heritage", [](const Bytes& bytes) {
    const std::string sample(bytes.begin(), bytes.end());
    const std::vector<TextFile> files = sample_files(sample, 4);
    read_health_heritage({.members = LineStream(files[0]),
                          .claims = LineStream(files[1]),
                          .drug_counts = LineStream(files[2]),
                          .lab_counts = LineStream(files[3])});
  });
}

/// A data directory with the four files in it.
class HealthHeritageOnDisk : public ::testing::Test {
 protected:
  HealthHeritageOnDisk() {
    std::string name = (std::filesystem::temp_directory_path() / "earshot-health-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
    std::filesystem::create_directory(directory_ / "health-heritage");
    const Lines lines;
    write("Members.csv", lines.members);
    write("Claims.csv", lines.claims);
    write("DrugCount.csv", lines.drugs);
    write("LabCount.csv", lines.labs);
  }
  ~HealthHeritageOnDisk() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path path(const std::string& name) const { return directory_ / "health-heritage" / name; }
  void write(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream(path(name), std::ios::binary) << text_of(lines);
  }

  std::filesystem::path directory_;
};

TEST_F(HealthHeritageOnDisk, IsLoadedByNamePlainOrGzipped) {
  EXPECT_EQ(written(load_tabular("health_heritage", directory_)), kExpected);
  std::filesystem::remove(path("Claims.csv"));
  const std::string text = text_of(Lines().claims);
  gzFile file = gzopen(path("Claims.csv.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(written(load_tabular("health_heritage", directory_)), kExpected);
}

TEST_F(HealthHeritageOnDisk, AMissingFileSaysWhatToPutWhere) {
  std::filesystem::remove(path("LabCount.csv"));
  EXPECT_THAT(
      [&] { load_tabular("health_heritage", directory_); },
      ThrowsMessage<Error>(StrEq(fmt::format(
          "dataset health-heritage: health-heritage/LabCount.csv[.gz] is not in {}; to get it: accept the "
          "rules of the competition hhp on Kaggle, take HHP_release3.zip and put its Claims.csv, "
          "DrugCount.csv, LabCount.csv and Members.csv into health-heritage/; or set EARSHOT_DATA to the "
          "directory that has it",
          directory_.string()))));
}

}  // namespace
}  // namespace earshot
