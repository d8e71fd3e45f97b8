// For tests: a small table of people drawn at random, and its encoders.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

inline constexpr std::size_t kPeople = 60;

/// Age (whole), work (5), income (two decimals), constant, sex (2), region (3).
inline TabularDataset people() {
  TabularDataset out;
  out.features.columns = {"age", "work", "income", "year", "sex", "region"};
  out.categories = {{}, {"farm", "shop", "office", "school", "none"}, {}, {}, {"f", "m"}, {"n", "s", "w"}};
  out.features.row_count = kPeople;
  Stream stream({4, Purpose::kTest, 31});
  for (std::size_t i = 0; i < kPeople; ++i) {
    const double age = 18 + static_cast<double>(stream.below(60));
    const auto work = static_cast<double>(std::min(stream.below(5), stream.below(5)));
    const double income = round_to_decimals(20 + 80 * stream.uniform() * stream.uniform(), 2);
    const auto sex = static_cast<double>(stream.below(2));
    const auto region = static_cast<double>(stream.below(3));
    out.features.values.insert(out.features.values.end(), {age, work, income, 2023, sex, region});
  }
  return out;
}

inline std::vector<std::size_t> everybody() {
  std::vector<std::size_t> rows(kPeople);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

inline TableEncoder people_encoder(CategoryEncoding encoding = CategoryEncoding::kOneHot,
                                   NumberScaling numbers = NumberScaling::kStandard,
                                   bool alternate_sign = true, CodeScaling codes = CodeScaling::kNone) {
  return TableEncoder(
      people(), everybody(),
      {numbers, {.encoding = encoding, .seed = 3, .hash_width = 5, .alternate_sign = alternate_sign}, codes});
}

/// The cells of rows [first, first + count).
inline std::vector<double> people_cells(std::size_t first, std::size_t count) {
  const TabularDataset table = people();
  std::vector<double> cells;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto row = table.features.row(i);
    cells.insert(cells.end(), row.begin(), row.end());
  }
  return cells;
}

inline constexpr CategoryEncoding kAllEncodings[] = {CategoryEncoding::kOneHot, CategoryEncoding::kBinary,
                                                     CategoryEncoding::kRandomBinary,
                                                     CategoryEncoding::kHashing};

}  // namespace earshot
