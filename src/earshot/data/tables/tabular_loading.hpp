// What the loaders of known tables share: reading catalogued files, and short words for columns.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/formats/csv.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot {

/// A catalogued table, read under the format.
CodedTable read_catalogued_table(std::string_view dataset, std::string_view path,
                                 const std::filesystem::path& directory, const CsvFormat& format);

ColumnSchema real(std::string name);
/// A number of at least zero.
ColumnSchema amount(std::string name);
ColumnSchema whole(std::string name, double lowest, double highest);
ColumnSchema category(std::string name, std::vector<std::string> categories);
ColumnSchema ignored(std::string name);

/// The tables each file of loaders adds.
std::vector<TabularLoader> people_tables();
std::vector<TabularLoader> digit_tables();
std::vector<TabularLoader> medical_tables();
std::vector<TabularLoader> regression_tables();

}  // namespace earshot
