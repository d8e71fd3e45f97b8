// Rows of a table as the numbers a model reads, and back: fitted on the training rows, with its layout in the
// open for attacks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/data/tables/category_encoding.hpp"
#include "earshot/data/tables/standardise.hpp"
#include "earshot/data/tables/tabular_dataset.hpp"

namespace earshot {

/// Whether the places of category codes are scaled as numbers are.
enum class CodeScaling {
  kNone,     // codes as they are
  kStandard  // every place has mean 0 and deviation 1, as in the code of Vero et al. 2023
};
std::string_view to_string(CodeScaling scaling);

struct EncoderOptions {
  NumberScaling numbers = NumberScaling::kStandard;
  CategoryOptions categories;
  CodeScaling codes = CodeScaling::kNone;
};

/// Where one column of the table stands among the encoded numbers, and how it got there.
struct ColumnBlock {
  std::string name;
  std::size_t first = 0;
  std::size_t width = 1;
  // A number: its training rows' statistics and the scale made of them.
  ColumnStatistics statistics;
  ColumnScale scale;
  // A category: its code words before any scaling, the scale of each of their places, and its categories from
  // the most to the least frequent training row.
  std::vector<std::string> categories;
  std::vector<CodeWord> words;
  std::vector<ColumnScale> places;
  std::vector<std::size_t> by_frequency;

  bool categorical() const { return !words.empty(); }
  /// How many categories share their code word with a more frequent one: they cannot be told apart.
  std::size_t collisions() const;
};

class TableEncoder {
 public:
  /// Looks at these rows of the features only.
  TableEncoder(const TabularDataset& dataset, std::span<const std::size_t> rows,
               const EncoderOptions& options);

  std::size_t width() const { return width_; }
  std::span<const ColumnBlock> blocks() const { return blocks_; }
  const EncoderOptions& options() const { return options_; }

  /// One row of the features becomes width() numbers.
  void encode(std::span<const double> row, std::span<double> out) const;
  /// These rows of a table with the same columns, each encoded number named.
  NumericTable encode(const NumericTable& features, std::span<const std::size_t> rows) const;

  /// The row these numbers stand for: categories by the code word nearest to the unscaled code, numbers
  /// unscaled and rounded to the decimals of the training rows. Undoes encode() for every row that keeps to
  /// those decimals, up to collisions.
  std::vector<double> decode(std::span<const double> numbers) const;

  /// Everything that was fitted or drawn.
  Json describe() const;

 private:
  EncoderOptions options_;
  std::vector<ColumnBlock> blocks_;
  std::size_t width_ = 0;
};

}  // namespace earshot
