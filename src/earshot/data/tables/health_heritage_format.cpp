#include "earshot/data/tables/health_heritage_format.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

/// The largest number is kept for what is not stated.
constexpr double kHighestNumber = std::numeric_limits<std::uint32_t>::max() - 1.0;

ColumnSchema number_of(std::string name) {
  return whole(std::move(name), 0, kHighestNumber);
}

/// Providers, vendors and primary care physicians are sometimes not stated.
ColumnSchema partner(std::string name) {
  ColumnSchema column = number_of(std::move(name));
  column.missing_text = "";
  return column;
}

/// Numbers cut off at the highest. That none is below zero is not documented.
ColumnSchema top_coded(std::string name, double highest, std::string text) {
  ColumnSchema column = whole(std::move(name), 0, highest);
  column.top_text = std::move(text);
  return column;
}

ColumnSchema words_of(const WordColumn& column) {
  std::vector<std::string> in_file = column.words;
  std::ranges::replace(in_file, std::string("?"), std::string());
  return category(column.name, std::move(in_file));
}

ColumnSchema year() {
  return category("Year", {"Y1", "Y2", "Y3"});
}

/// When in the year: no feature, but a file with other words is not the published one.
ColumnSchema months_since_first_service() {
  return category("DSFS", {"0- 1 month", "1- 2 months", "2- 3 months", "3- 4 months", "4- 5 months",
                           "5- 6 months", "6- 7 months", "7- 8 months", "8- 9 months", "9-10 months",
                           "10-11 months", "11-12 months", ""});
}

CsvFormat counts_format(std::string name, double highest, std::string top_text) {
  return {.columns = {number_of("MemberID"), year(), top_coded(std::move(name), highest, std::move(top_text)),
                      months_since_first_service()}};
}

}  // namespace

std::size_t WordColumn::unstated() const {
  return static_cast<std::size_t>(std::ranges::find(words, "?") - words.begin());
}

std::span<const WordColumn> claim_words() {
  static const std::vector<WordColumn> columns{
      {"PrimaryConditionGroup",
       {"AMI",     "APPCHOL", "ARTHSPIN", "CANCRA",  "CANCRB",   "CANCRM",  "CATAST",  "CHF",
        "COPD",    "FLaELEC", "FXDISLC",  "GIBLEED", "GIOBSENT", "GYNEC1",  "GYNECA",  "HEART2",
        "HEART4",  "HEMTOL",  "HIPFX",    "INFEC4",  "LIVERDZ",  "METAB1",  "METAB3",  "MISCHRT",
        "MISCL1",  "MISCL5",  "MSC2a3",   "NEUMENT", "ODaBNCA",  "PERINTL", "PERVALV", "PNCRDZ",
        "PNEUM",   "PRGNCY",  "?",        "RENAL1",  "RENAL2",   "RENAL3",  "RESPR4",  "ROAMI",
        "SEIZURE", "SEPSIS",  "SKNAUT",   "STROKE",  "TRAUMA",   "UTI"}},
      {"Specialty",
       {"Anesthesiology", "Diagnostic Imaging", "Emergency", "General Practice", "Internal", "Laboratory",
        "Obstetrics and Gynecology", "Other", "Pathology", "Pediatrics", "Rehabilitation", "?", "Surgery"}},
      {"ProcedureGroup",
       {"ANES", "EM", "MED", "PL", "?", "RAD", "SAS", "SCS", "SDS", "SEOA", "SGS", "SIS", "SMCD", "SMS",
        "SNS", "SO", "SRS", "SUS"}},
      {"PlaceSvc",
       {"Ambulance", "Home", "Independent Lab", "Inpatient Hospital", "Office", "Other",
        "Outpatient Hospital", "?", "Urgent Care"}}};
  return columns;
}

std::span<const WordColumn> member_words() {
  static const std::vector<WordColumn> columns{
      {"AgeAtFirstClaim", {"0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80+", "?"}},
      {"Sex", {"?", "F", "M"}}};
  return columns;
}

CsvFormat members_format() {
  CsvFormat format{.columns = {number_of("MemberID")}};
  for (const WordColumn& column : member_words()) format.columns.push_back(words_of(column));
  return format;
}

CsvFormat claims_format() {
  CsvFormat format{.columns = {number_of("MemberID"), year(), top_coded("PayDelay", 162, "162+"),
                               category("CharlsonIndex", {"0", "1-2", "3-4", "5+"}), partner("ProviderID"),
                               partner("Vendor"), partner("PCP")}};
  for (const WordColumn& column : claim_words()) format.columns.push_back(words_of(column));
  format.columns.push_back(months_since_first_service());
  format.columns.push_back(
      category("LengthOfStay", {"1 day", "2 days", "3 days", "4 days", "5 days", "6 days", "1- 2 weeks",
                                "2- 4 weeks", "4- 8 weeks", "26+ weeks", ""}));
  format.columns.push_back(category("SupLOS", {"0", "1"}));
  return format;
}

CsvFormat drug_counts_format() {
  return counts_format("DrugCount", 7, "7+");
}

CsvFormat lab_counts_format() {
  return counts_format("LabCount", 10, "10+");
}

}  // namespace earshot
