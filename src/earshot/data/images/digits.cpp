#include "earshot/data/images/digits.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/data/formats/csv.hpp"

namespace earshot {
namespace {

constexpr ImageShape kShape{1, 8, 8};
constexpr std::size_t kClasses = 10;
constexpr double kLargestPixel = 16;

CsvFormat digits_format() {
  CsvFormat format{.columns = {}, .header = false};
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    format.columns.push_back({.name = fmt::format("pixel {}", i),
                              .kind = ColumnKind::kInteger,
                              .lowest = 0,
                              .highest = kLargestPixel});
  }
  format.columns.push_back(
      {.name = "label", .kind = ColumnKind::kInteger, .lowest = 0, .highest = kClasses - 1.0});
  return format;
}

}  // namespace

ImageDataset parse_digits(std::string_view text, const std::string& origin) {
  NumericTable table = read_csv(text, origin, digits_format()).table;
  ImageDataset dataset;
  dataset.shape = kShape;
  dataset.classes = kClasses;
  for (const double label : take_column(table, "label"))
    dataset.labels.push_back(static_cast<std::uint8_t>(label));
  for (const double pixel : table.values)
    dataset.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * pixel / kLargestPixel)));
  return dataset;
}

}  // namespace earshot
