#include "earshot/data/images/aptos.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/jpeg.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/formats/tar.hpp"
#include "earshot/data/images/image_transform.hpp"
#include "earshot/data/images/stratified.hpp"

namespace earshot {
namespace {

// Its own address among the draws of a plan's data, so that a plan with the same seed draws independently.
constexpr std::uint64_t kSplitDraw = 0x6170746f73;

using Contents = std::map<std::string, std::span<const std::uint8_t>, std::less<>>;

/// The archive's images by id.
Contents images_by_id(std::span<const std::uint8_t> tar) {
  Contents contents;
  for (const TarFile& file : parse_tar(tar)) {
    const std::size_t slash = file.path.find('/');
    const bool fits = slash != std::string::npos && file.path.find('/', slash + 1) == std::string::npos &&
                      file.path.ends_with(".jpg");
    if (!fits) fail(Fault::kData, fmt::format("{}: expected FOLDER/ID.jpg", in_quotes(file.path)));
    const std::string id = file.path.substr(slash + 1, file.path.size() - slash - 5);
    if (!contents.emplace(id, file.content).second)
      fail(Fault::kData, fmt::format("two images of {}", in_quotes(id)));
  }
  return contents;
}

[[noreturn]] void refuse(const std::string& origin, const TextCell& cell, const std::string& why) {
  fail(Fault::kData, fmt::format("{}:{}: {} {}", origin, cell.line, in_quotes(cell.text), why));
}

std::uint8_t parse_grade(const TextCell& cell, const std::string& origin) {
  const bool digit =
      cell.text.size() == 1 && cell.text[0] >= '0' && cell.text[0] < '0' + static_cast<int>(kAptosGrades);
  if (!digit) refuse(origin, cell, fmt::format("is no grade, allowed: 0..{}", kAptosGrades - 1));
  return static_cast<std::uint8_t>(cell.text[0] - '0');
}

void check_header(const std::vector<TextCell>& header, const std::string& origin) {
  if (header.size() != 2 || header[0].text != "id_code" || header[1].text != "diagnosis")
    fail(Fault::kData, origin + ": the first line must be id_code,diagnosis");
}

Image prepare(const AptosRecord& record, const AptosSize& size) {
  return with_context(record.id + ".jpg", [&] {
    Image image = decode_jpeg(record.jpeg);
    if (image.shape.channels != 3) fail(Fault::kData, "expected a colour image");
    if (size.resize != 0) image = resize_shorter_side(image, size.resize);
    if (size.crop != 0) image = centre_crop(image, size.crop, size.crop);
    return image;
  });
}

}  // namespace

std::vector<AptosRecord> index_aptos(std::string_view table, const std::string& origin,
                                     std::span<const std::uint8_t> tar) {
  Contents contents = images_by_id(tar);
  CsvRecords lines(check_text(table, origin), origin, ',');
  std::vector<TextCell> cells;
  lines.next(cells);
  check_header(cells, origin);
  std::vector<AptosRecord> records;
  while (lines.next(cells)) {
    if (cells.size() != 2) refuse(origin, cells[0], "stands in a line that has not two cells");
    const auto found = contents.find(cells[0].text);
    if (found == contents.end()) refuse(origin, cells[0], "has no image in the archive, or comes twice");
    records.push_back({found->first, parse_grade(cells[1], origin), found->second});
    contents.erase(found);
  }
  if (!contents.empty())
    fail(Fault::kData,
         fmt::format("{}: no line for the image {}", origin, in_quotes(contents.begin()->first)));
  return records;
}

AptosSplit split_aptos(std::span<const AptosRecord> records, std::uint64_t seed) {
  if (records.size() <= kAptosTestImages) {
    fail(Fault::kData, fmt::format("{} images cannot be split into {} for testing and the rest",
                                   records.size(), kAptosTestImages));
  }
  std::vector<std::uint8_t> grades;
  for (const AptosRecord& record : records) grades.push_back(record.grade);
  AptosSplit split;
  split.test = stratified_sample(grades, kAptosTestImages,
                                 {.seed = seed, .purpose = Purpose::kDataSelection, .trial = kSplitDraw});
  split.train = complement(split.test, records.size());
  return split;
}

std::size_t count_copies(std::span<const AptosRecord> records, const AptosSplit& split) {
  const auto content = [&](std::size_t i) {
    return std::string_view(reinterpret_cast<const char*>(records[i].jpeg.data()), records[i].jpeg.size());
  };
  std::unordered_set<std::string_view> seen;
  for (const std::size_t i : split.train) seen.insert(content(i));
  return static_cast<std::size_t>(
      std::ranges::count_if(split.test, [&](std::size_t i) { return seen.contains(content(i)); }));
}

ImageDataset decode_aptos(std::span<const AptosRecord> records, std::span<const std::size_t> chosen,
                          const AptosSize& size) {
  if (chosen.empty()) fail(Fault::kConfig, "no image is chosen; choose at least one");
  ImageDataset dataset;
  dataset.shape = prepare(records[chosen[0]], size).shape;
  dataset.classes = kAptosGrades;
  dataset.pixels.resize(chosen.size() * dataset.shape.size());
  for (const std::size_t i : chosen) dataset.labels.push_back(records[i].grade);
  parallel_for(chosen.size(), [&](std::size_t k) {
    const AptosRecord& record = records[chosen[k]];
    const Image image = prepare(record, size);
    if (image.shape != dataset.shape) {
      fail(Fault::kData,
           fmt::format("{}.jpg: {} x {} pixels, others have {} x {}", record.id, image.shape.height,
                       image.shape.width, dataset.shape.height, dataset.shape.width));
    }
    std::ranges::copy(image.planes,
                      dataset.pixels.begin() + static_cast<std::ptrdiff_t>(k * image.planes.size()));
  });
  return dataset;
}

}  // namespace earshot
