// Fuzzes the ARFF reader: what it accepts must be a table of finite numbers whose codes name a category.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/formats/arff.hpp"
#include "fuzz_target.hpp"

namespace {

void check(const earshot::CodedTable& result) {
  const earshot::NumericTable& table = result.table;
  const std::size_t width = table.columns.size();
  if (table.row_count == 0 || table.values.size() != table.row_count * width) std::abort();
  if (result.categories.size() != width) std::abort();
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const auto& categories = result.categories[i % width];
    if (!std::isfinite(table.values[i])) std::abort();
    if (!categories.empty() && table.values[i] >= static_cast<double>(categories.size())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::CodedTable strict = earshot::read_arff(text, "fuzz");
    check(strict);
    if (strict.dropped_rows != 0) std::abort();
  });
  earshot::fuzzing::accept_or_refuse(
      [&] { check(earshot::read_arff(text, "fuzz", earshot::OnMissing::kDropRow)); });
  return 0;
}
