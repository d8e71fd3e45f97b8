// Between the cells of a table (a category's index or a number each) and the numbers a network reads, as an
// attack needs it: relaxed on the way in, exact on the way out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/attack/inversion/decoder.hpp"
#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

/// How a search moves through the places of a code that is not one-hot.
enum class CodeRelaxation {
  kPlaces,   // a sigmoid each: every code word can be reached
  kSoftmax,  // as if the code were one-hot: TabLeak left as it is, which reaches words with a single 1 only
};

/// Makes free variables records of this encoder (Vero et al. 2023, section 4.1): a softmax over the positions
/// of a one-hot category, a sigmoid for each place of any other code unless it is relaxed otherwise, both
/// scaled as the encoder scales codes, and a sigmoid between the lowest and the highest value for a number. A
/// constant column is known.
Decoder table_decoder(const TableEncoder& encoder, CodeRelaxation relaxation = CodeRelaxation::kPlaces);

/// The rows nearest to these records: each category by the nearest code word, each number within the values
/// the encoder was fitted on and with their decimals. Rows one after the other, one cell per column.
std::vector<double> to_cells(const TableEncoder& encoder, std::span<const double> records);
/// The records of rows.
std::vector<double> to_records(const TableEncoder& encoder, std::span<const double> cells);

/// How many rows the cells are; refuses an empty or broken table.
std::size_t row_count(const TableEncoder& encoder, std::span<const double> cells);

}  // namespace earshot
