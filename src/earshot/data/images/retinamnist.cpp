#include "earshot/data/images/retinamnist.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/npy.hpp"
#include "earshot/data/formats/zip.hpp"

namespace earshot {
namespace {

constexpr std::size_t kGrades = 5;
constexpr std::size_t kChannels = 3;

NpyArray array_of(const std::vector<ZipFile>& files, const std::string& name) {
  const auto found = std::ranges::find(files, name + ".npy", &ZipFile::path);
  if (found == files.end()) fail(Fault::kData, fmt::format("the archive holds no {}.npy", name));
  return with_context(found->path, [&] { return parse_npy(found->content); });
}

std::vector<std::uint8_t> grades_of(const NpyArray& array) {
  const bool column = array.shape.size() == 2 && array.shape[1] == 1;
  if (!column) fail(Fault::kData, "labels must be one column");
  std::vector<std::uint8_t> grades;
  for (const double grade : npy_numbers(array)) {
    if (!(grade >= 0 && grade < kGrades) || grade != static_cast<std::uint8_t>(grade)) {
      fail(Fault::kData, fmt::format("label {} is {}, allowed: 0..{}", grades.size(), grade, kGrades - 1));
    }
    grades.push_back(static_cast<std::uint8_t>(grade));
  }
  return grades;
}

}  // namespace

ImageDataset parse_retinamnist(std::span<const std::uint8_t> npz, const std::string& part) {
  const std::vector<ZipFile> files = parse_zip(npz);
  NpyArray images = array_of(files, part + "_images");
  if (images.shape.size() != 4 || images.shape[3] != kChannels)
    fail(Fault::kData, part + "_images must have the shape (count, height, width, 3)");
  ImageDataset dataset;
  dataset.shape = {kChannels, images.shape[1], images.shape[2]};
  dataset.classes = kGrades;
  const std::size_t count = images.shape[0];
  dataset.labels = grades_of(array_of(files, part + "_labels"));
  if (count != dataset.size())
    fail(Fault::kData, fmt::format("{} images but {} labels", count, dataset.size()));
  const Bytes pixels = npy_bytes(std::move(images));
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes planes = separate_planes(
        dataset.shape, std::span(pixels).subspan(i * dataset.shape.size(), dataset.shape.size()));
    dataset.pixels.insert(dataset.pixels.end(), planes.begin(), planes.end());
  }
  return dataset;
}

}  // namespace earshot
