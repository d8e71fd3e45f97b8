// Fuzzes the reader of the Heritage Health Prize: members, claims, drug counts and laboratory counts, one
// file after the other in the input. What it accepts must be a table of known words and sensible numbers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/formats/sample_files.hpp"
#include "earshot/data/tables/health_heritage.hpp"
#include "fuzz_target.hpp"

namespace {

bool is_whole(double value) {
  return std::isfinite(value) && value >= 0 && value == std::floor(value);
}

void check(const earshot::TabularDataset& dataset) {
  const std::size_t rows = dataset.features.row_count;
  const std::size_t columns = dataset.features.columns.size();
  if (columns != 17 || rows == 0 || dataset.target.size() != rows) std::abort();
  if (dataset.features.values.size() != rows * columns) std::abort();
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const double value = dataset.features.values[i];
    const std::size_t words = dataset.categories[i % columns].size();
    if (!is_whole(value) || (words > 0 && value >= static_cast<double>(words))) std::abort();
  }
  for (const double label : dataset.target)
    if (label != 0 && label != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sample(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] {
    const auto files = earshot::sample_files(sample, 4);
    check(earshot::read_health_heritage({.members = earshot::LineStream(files[0]),
                                         .claims = earshot::LineStream(files[1]),
                                         .drug_counts = earshot::LineStream(files[2]),
                                         .lab_counts = earshot::LineStream(files[3])}));
  });
  return 0;
}
