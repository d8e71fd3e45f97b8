#include "earshot/data/tables/tabular_loading.hpp"

#include <utility>

namespace earshot {

CodedTable read_catalogued_table(std::string_view dataset, std::string_view path,
                                 const std::filesystem::path& directory, const CsvFormat& format) {
  const CataloguedText file = read_catalogued(dataset, path, directory);
  return read_csv(file.text, file.origin, format);
}

ColumnSchema real(std::string name) {
  return {.name = std::move(name)};
}

ColumnSchema amount(std::string name) {
  return {.name = std::move(name), .kind = ColumnKind::kReal, .lowest = 0};
}

ColumnSchema whole(std::string name, double lowest, double highest) {
  return {.name = std::move(name), .kind = ColumnKind::kInteger, .lowest = lowest, .highest = highest};
}

ColumnSchema category(std::string name, std::vector<std::string> categories) {
  return {.name = std::move(name), .kind = ColumnKind::kCategory, .categories = std::move(categories)};
}

ColumnSchema ignored(std::string name) {
  return {.name = std::move(name), .kind = ColumnKind::kIgnored};
}

}  // namespace earshot
