// The handwritten digits of 8x8 pixels as a table of grey levels.
#include <fmt/format.h>

#include "earshot/data/tables/tabular_loading.hpp"

namespace earshot {
namespace {

TabularDataset load_digits(const std::filesystem::path& directory) {
  CsvFormat format{.header = false};
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      format.columns.push_back(whole(fmt::format("pixel {},{}", row, column), 0, 16));
  format.columns.push_back(category("digit", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  return with_target("digits", read_catalogued_table("digits", "digits/digits.csv", directory, format),
                     "digit");
}

}  // namespace

std::vector<TabularLoader> digit_tables() {
  return {{"digits", "digits", "which digit; 64 grey levels from 0 to 16", load_digits}};
}

}  // namespace earshot
