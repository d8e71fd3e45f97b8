// Between the cells of a table (a category's index or a number each) and the numbers a network reads, as an
// attack needs it: relaxed on the way in, exact on the way out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/attack/inversion/decoder.hpp"
#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

/// Makes free variables records of this encoder (Vero et al. 2023, section 4.1): a softmax over the positions
/// of a one-hot category, a sigmoid for each place of any other code, both scaled as the encoder scales
/// codes, and a sigmoid between the lowest and the highest value for a number. A constant column is known.
Decoder table_decoder(const TableEncoder& encoder);

/// The rows nearest to these records: each category by the nearest code word, each number within the values
/// the encoder was fitted on and with their decimals. Rows one after the other, one cell per column.
std::vector<double> to_cells(const TableEncoder& encoder, std::span<const double> records);
/// The records of rows.
std::vector<double> to_records(const TableEncoder& encoder, std::span<const double> cells);

/// How many rows the cells are; refuses an empty or broken table.
std::size_t row_count(const TableEncoder& encoder, std::span<const double> cells);

}  // namespace earshot
