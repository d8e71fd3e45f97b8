// Tables about people: income, credit, admission, bar examination, insurance.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

ColumnSchema may_be_missing(ColumnSchema column, std::string text) {
  column.missing_text = std::move(text);
  return column;
}

/// Categories in the order of adult.names.
CsvFormat adult_format(std::vector<std::string> incomes) {
  return {
      .columns = {amount("age"),
                  may_be_missing(
                      category("workclass", {"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov",
                                             "Local-gov", "State-gov", "Without-pay", "Never-worked"}),
                      "?"),
                  amount("fnlwgt"),
                  category("education", {"Bachelors", "Some-college", "11th", "HS-grad", "Prof-school",
                                         "Assoc-acdm", "Assoc-voc", "9th", "7th-8th", "12th", "Masters",
                                         "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool"}),
                  amount("education-num"),
                  category("marital-status", {"Married-civ-spouse", "Divorced", "Never-married", "Separated",
                                              "Widowed", "Married-spouse-absent", "Married-AF-spouse"}),
                  may_be_missing(
                      category("occupation",
                               {"Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial",
                                "Prof-specialty", "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical",
                                "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
                                "Armed-Forces"}),
                      "?"),
                  category("relationship",
                           {"Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"}),
                  category("race", {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"}),
                  category("sex", {"Female", "Male"}), amount("capital-gain"), amount("capital-loss"),
                  amount("hours-per-week"),
                  may_be_missing(category("native-country", {"United-States",
                                                             "Cambodia",
                                                             "England",
                                                             "Puerto-Rico",
                                                             "Canada",
                                                             "Germany",
                                                             "Outlying-US(Guam-USVI-etc)",
                                                             "India",
                                                             "Japan",
                                                             "Greece",
                                                             "South",
                                                             "China",
                                                             "Cuba",
                                                             "Iran",
                                                             "Honduras",
                                                             "Philippines",
                                                             "Italy",
                                                             "Poland",
                                                             "Jamaica",
                                                             "Vietnam",
                                                             "Mexico",
                                                             "Portugal",
                                                             "Ireland",
                                                             "France",
                                                             "Dominican-Republic",
                                                             "Laos",
                                                             "Ecuador",
                                                             "Taiwan",
                                                             "Haiti",
                                                             "Columbia",
                                                             "Hungary",
                                                             "Guatemala",
                                                             "Nicaragua",
                                                             "Scotland",
                                                             "Thailand",
                                                             "Yugoslavia",
                                                             "El-Salvador",
                                                             "Trinadad&Tobago",
                                                             "Peru",
                                                             "Hong",
                                                             "Holand-Netherlands"}),
                                 "?"),
                  category("income", std::move(incomes))},
      .header = false};
}

/// adult.test opens with a line that is no record.
std::string_view without_test_comment(std::string_view text) {
  constexpr std::string_view kComment = "|1x3 Cross validator\n";
  if (!text.starts_with(kComment)) fail(Fault::kData, "adult.test: the first line is not the published one");
  return text.substr(kComment.size());
}

TabularDataset load_adult(const std::filesystem::path& directory) {
  CodedTable table =
      read_catalogued_table("adult", "adult/adult.data", directory, adult_format({"<=50K", ">50K"}));
  const CataloguedText test_file = read_catalogued("adult", "adult/adult.test", directory);
  const CodedTable test =
      read_csv(without_test_comment(test_file.text), test_file.origin, adult_format({"<=50K.", ">50K."}));
  const std::size_t test_begins = table.table.row_count;
  table.table.values.insert(table.table.values.end(), test.table.values.begin(), test.table.values.end());
  table.table.row_count += test.table.row_count;
  table.dropped_rows += test.dropped_rows;
  TabularDataset dataset = with_target("adult", std::move(table), "income");
  dataset.test_begins = test_begins;
  return dataset;
}

/// "A11", "A12", ... as german.doc lists them.
ColumnSchema coded(std::string name, const std::string& attribute, int first, int last) {
  std::vector<std::string> codes;
  for (int i = first; i <= last; ++i) codes.push_back(fmt::format("{}{}", attribute, i));
  return category(std::move(name), std::move(codes));
}

TabularDataset load_german_credit(const std::filesystem::path& directory) {
  const CsvFormat format{.columns = {coded("checking account", "A1", 1, 4),
                                     amount("duration in months"),
                                     coded("credit history", "A3", 0, 4),
                                     coded("purpose", "A4", 0, 10),
                                     amount("credit amount"),
                                     coded("savings", "A6", 1, 5),
                                     coded("employment since", "A7", 1, 5),
                                     amount("instalment rate"),
                                     coded("personal status and sex", "A9", 1, 5),
                                     coded("other debtors", "A10", 1, 3),
                                     amount("residence since"),
                                     coded("property", "A12", 1, 4),
                                     amount("age"),
                                     coded("other instalments", "A14", 1, 3),
                                     coded("housing", "A15", 1, 3),
                                     amount("existing credits"),
                                     coded("job", "A17", 1, 4),
                                     amount("people liable"),
                                     coded("telephone", "A19", 1, 2),
                                     coded("foreign worker", "A20", 1, 2),
                                     category("risk", {"1", "2"})},
                         .header = false,
                         .delimiter = ' '};
  TabularDataset dataset = with_target(
      "german_credit", read_catalogued_table("german-credit", "german-credit/german.data", directory, format),
      "risk");
  dataset.classes = {"good", "bad"};
  return dataset;
}

TabularDataset load_german_credit_numeric(const std::filesystem::path& directory) {
  CsvFormat format{.header = false, .delimiter = ' '};
  for (int i = 1; i <= 24; ++i) format.columns.push_back(whole(fmt::format("x{}", i), 0, 184));
  format.columns.push_back(category("risk", {"1", "2"}));
  TabularDataset dataset = with_target(
      "german_credit_numeric",
      read_catalogued_table("german-credit", "german-credit/german.data-numeric", directory, format), "risk");
  dataset.classes = {"good", "bad"};
  return dataset;
}

/// Rows with a blank cell are dropped. The race is blank in one row of seven: dropped as well, or a race of
/// its own. `enroll` is known only after admission, and the indicator columns repeat the race.
CodedTable read_lawschool(const std::filesystem::path& directory, bool keep_unstated_race) {
  ColumnSchema race = category("Race", {"White", "Black", "Hispanic", "Asian"});
  if (keep_unstated_race) {
    race.categories.emplace_back("");
  } else {
    race.missing_text = "";
  }
  const CsvFormat format{
      .columns = {
          may_be_missing(amount("LSAT"), ""), may_be_missing(amount("GPA"), ""), std::move(race),
          may_be_missing(category("resident", {"0", "1"}), ""),
          category("college", {"Arizona State", "Buffalo", "George Mason", "Hawaii", "Houston", "Idaho",
                               "Louisiana State", "Michigan", "Missouri at Kansas City", "Nevada Las Vegas",
                               "North Carolina", "Northern Illinois", "Ohio State"}),
          category("Year", {"2005", "2006", "2007", "2008", "200x"}),
          may_be_missing(category("Gender", {"0", "1"}), ""),
          may_be_missing(category("admit", {"0", "1"}), ""), ignored("Black"), ignored("Hispanic"),
          ignored("Asian"), ignored("White"), ignored("MissingRace"), ignored("URM"), ignored("enroll")}};
  return read_catalogued_table("lawschool", "lawschool/lawschs1_1_first65535.csv", directory, format);
}

TabularDataset lawschool_dataset(std::string name, CodedTable table) {
  TabularDataset dataset = with_target(std::move(name), std::move(table), "admit");
  dataset.classes = {"not admitted", "admitted"};
  return dataset;
}

TabularDataset load_lawschool(const std::filesystem::path& directory) {
  return lawschool_dataset("lawschool", read_lawschool(directory, false));
}

TabularDataset load_lawschool_any_race(const std::filesystem::path& directory) {
  CodedTable table = read_lawschool(directory, true);
  table.categories[table.table.column("Race")].back() = "not stated";
  return lawschool_dataset("lawschool_any_race", std::move(table));
}

TabularDataset load_lawschool_lsac(const std::filesystem::path& directory) {
  const CsvFormat format{.columns = {amount("decile1b"), amount("decile3"), amount("lsat"), amount("ugpa"),
                                     real("zfygpa"), real("zgpa"), category("fulltime", {"1.0", "2.0"}),
                                     amount("fam_inc"), category("male", {"0.0", "1.0"}), amount("tier"),
                                     category("race", {"White", "Non-White"}),
                                     category("pass_bar", {"0.0", "1.0"})}};
  TabularDataset dataset = with_target(
      "lawschool_lsac",
      read_catalogued_table("lawschool-lsac", "lawschool-lsac/law_school_clean.csv", directory, format),
      "pass_bar");
  dataset.classes = {"failed", "passed"};
  return dataset;
}

/// Between the two middle values when their number is even.
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The class is whether the charges are above their median; what Ski 2026 did is not stated.
TabularDataset load_insurance(const std::filesystem::path& directory) {
  const CsvFormat format{.columns = {amount("age"), category("sex", {"female", "male"}), amount("bmi"),
                                     amount("children"), category("smoker", {"no", "yes"}),
                                     category("region", {"northeast", "northwest", "southeast", "southwest"}),
                                     amount("charges")}};
  TabularDataset dataset = with_target(
      "insurance", read_catalogued_table("insurance", "insurance/insurance.csv", directory, format),
      "charges");
  const double middle = median(dataset.target);
  for (double& charge : dataset.target) charge = charge > middle ? 1 : 0;
  dataset.target_name = "charges above the median";
  dataset.classes = {"no", "yes"};
  return dataset;
}

}  // namespace

std::vector<TabularLoader> people_tables() {
  return {
      {"adult", "adult", "income above 50,000 dollars; complete rows, published split", load_adult},
      {"german_credit", "german-credit", "good or bad risk; 7 numbers and 13 categories", load_german_credit},
      {"german_credit_numeric", "german-credit", "good or bad risk; 24 numbers", load_german_credit_numeric},
      {"lawschool", "lawschool", "admitted or not; rows whose race is stated", load_lawschool},
      {"lawschool_any_race", "lawschool", "admitted or not; an unstated race is a category",
       load_lawschool_any_race},
      {"lawschool_lsac", "lawschool-lsac", "passed the bar examination or not", load_lawschool_lsac},
      {"insurance", "insurance", "charges above the median or not", load_insurance},
  };
}

}  // namespace earshot
