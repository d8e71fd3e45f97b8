// Tables of medicine: breast biopsies, hospital charges, insured people's years.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/tables/health_heritage.hpp"
#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

/// Ten measures of the cell nuclei, each as mean, standard error and mean of the three largest, in the order
/// of the file's description.
CsvFormat wdbc_format() {
  constexpr std::array kMeasures{"radius",     "texture",          "perimeter", "area",
                                 "smoothness", "compactness",      "concavity", "concave points",
                                 "symmetry",   "fractal dimension"};
  CsvFormat format{
      .columns = {{.name = "id", .kind = ColumnKind::kIdentifier}, category("diagnosis", {"B", "M"})},
      .header = false};
  const auto add = [&](std::string_view before, std::string_view after) {
    for (const std::string_view measure : kMeasures)
      format.columns.push_back(amount(fmt::format("{}{}{}", before, measure, after)));
  };
  add("mean ", "");
  add("", " error");
  add("worst ", "");
  return format;
}

TabularDataset load_wdbc(const std::filesystem::path& directory) {
  TabularDataset dataset = with_target(
      "wdbc", read_catalogued_table("wdbc", "wdbc/wdbc.data", directory, wdbc_format()), "diagnosis");
  dataset.classes = {"benign", "malignant"};
  return dataset;
}

/// The sample's number repeats for patients seen twice, so it is no identifier.
TabularDataset load_breast_cancer_wisconsin(const std::filesystem::path& directory) {
  CsvFormat format{.columns = {ignored("sample code number")}, .header = false};
  for (const char* mark :
       {"clump thickness", "uniformity of cell size", "uniformity of cell shape", "marginal adhesion",
        "single epithelial cell size", "bare nuclei", "bland chromatin", "normal nucleoli", "mitoses"})
    format.columns.push_back(whole(mark, 1, 10));
  format.columns[6].missing_text = "?";
  format.columns.push_back(category("class", {"2", "4"}));
  TabularDataset dataset = with_target(
      "breast_cancer_wisconsin",
      read_catalogued_table("breast-cancer-wisconsin", "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
                            directory, format),
      "class");
  dataset.classes = {"benign", "malignant"};
  return dataset;
}

// The commonest group of each of the four conditions of Biswas 2024: pneumonia, heart failure, digestive
// disorders, urinary infections.
const std::vector<std::string>& charge_conditions() {
  static const std::vector<std::string> conditions{
      "194 - SIMPLE PNEUMONIA & PLEURISY W CC", "292 - HEART FAILURE & SHOCK W CC",
      "392 - ESOPHAGITIS, GASTROENT & MISC DIGEST DISORDERS W/O MCC",
      "690 - KIDNEY & URINARY TRACT INFECTIONS W/O MCC"};
  return conditions;
}

/// The rows of the four conditions, and the header's cells.
struct ChargeRows {
  std::vector<TextCell> header;
  std::vector<std::vector<TextCell>> rows;

  std::size_t position(std::string_view name) const {
    std::vector<std::string> names;
    for (const TextCell& cell : header) names.push_back(cell.text);
    return column_position(names, name);
  }
  std::vector<std::string> distinct(std::string_view name) const {
    std::set<std::string> values;
    for (const auto& row : rows) values.insert(row[position(name)].text);
    return {values.begin(), values.end()};
  }
};

ChargeRows select_conditions(const CataloguedText& file) {
  CsvRecords records(file.text, file.origin, ',');
  ChargeRows result;
  records.next(result.header);
  const std::size_t condition = result.position("DRG Definition");
  std::vector<TextCell> cells;
  while (records.next(cells)) {
    check_width(cells, result.header.size(), file.origin);
    if (std::ranges::find(charge_conditions(), cells[condition].text) != charge_conditions().end())
      result.rows.push_back(cells);
  }
  return result;
}

CodedTable read_charges(const ChargeRows& charges, const std::string& origin) {
  TableBuilder builder(
      origin,
      {category("DRG Definition", charge_conditions()),
       category("Provider Id", charges.distinct("Provider Id")), ignored("Provider Name"),
       ignored("Provider Street Address"), ignored("Provider City"),
       category("Provider State", charges.distinct("Provider State")), whole("Provider Zip Code", 0, 99999),
       category("Hospital Referral Region Description",
                charges.distinct("Hospital Referral Region Description")),
       amount("Total Discharges"), amount("Average Covered Charges"), amount("Average Total Payments"),
       amount("Average Medicare Payments")});
  for (const auto& row : charges.rows) builder.add(row);
  return std::move(builder).finish();
}

/// One row per hospital and condition; the hospital is the client. Longitude and latitude, which Biswas 2024
/// looked up for each ZIP code, are in no file we have: state, region and the ZIP code itself are kept.
TabularDataset load_hospital_charges(const std::filesystem::path& directory) {
  const CataloguedText file =
      read_catalogued("cms-ipps-fy2011", "cms-ipps-fy2011/ipps_provider_drg100_fy2011.csv", directory);
  CodedTable table = read_charges(select_conditions(file), file.origin);
  std::vector<std::string> clients = table.categories[table.table.column("Provider Id")];
  const std::vector<double> holders = take_column(table, "Provider Id");
  // The largest part of the total payment: with it the target would be all but known.
  take_column(table, "Average Medicare Payments");
  TabularDataset dataset = with_target("hospital_charges", std::move(table), "Average Total Payments");
  dataset.client_name = "Provider Id";
  dataset.clients = std::move(clients);
  dataset.client.assign(holders.begin(), holders.end());
  return dataset;
}

}  // namespace

std::vector<TabularLoader> medical_tables() {
  return {
      {"wdbc", "wdbc", "benign or malignant; 30 measures of the cell nuclei", load_wdbc},
      {"breast_cancer_wisconsin", "breast-cancer-wisconsin", "benign or malignant; nine marks from 1 to 10",
       load_breast_cancer_wisconsin},
      {"hospital_charges", "cms-ipps-fy2011",
       "average total payment for four conditions; the hospital is the client", load_hospital_charges},
      {"health_heritage", "health-heritage",
       "comorbidity or none; a year of claims, prescriptions and laboratory tests", load_health_heritage},
  };
}

}  // namespace earshot
