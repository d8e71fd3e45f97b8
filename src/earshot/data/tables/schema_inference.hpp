// What the columns of an unknown CSV file seem to hold: a proposal to be read, and edited, by somebody who
// knows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/csv.hpp"

namespace earshot {

struct InferredSchema {
  CsvFormat format;
  std::vector<std::string> reasons;  // per column, one sentence: what was seen and what was made of it
  std::size_t rows = 0;
};

/// Looks at every record. A column of whole numbers, of numbers or of dates is of that kind; text is a
/// category when few texts repeat, an identifier when none does, and left out otherwise. `?`, `NA`, `N/A`,
/// `NaN`, `nan`, `null`, `NULL` and an empty cell mark a missing value; a column must not use two of them. No
/// range, no target and no code behind a number is guessed.
InferredSchema infer_schema(std::string_view text, const std::string& origin);

}  // namespace earshot
