#include "earshot/data/images/cifar.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

ImageDataset parse_cifar10(std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || bytes.size() % kCifarRecord != 0) {
    fail(Fault::kData, fmt::format("{} bytes are no whole number of CIFAR-10 records ({} bytes each)",
                                   bytes.size(), kCifarRecord));
  }
  const std::size_t count = bytes.size() / kCifarRecord;
  ImageDataset dataset;
  dataset.shape = kCifarShape;
  dataset.classes = kCifarClasses;
  dataset.labels.reserve(count);
  dataset.pixels.reserve(count * kCifarShape.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto record = bytes.subspan(i * kCifarRecord, kCifarRecord);
    if (record[0] >= kCifarClasses)
      fail(Fault::kData, fmt::format("label {} is {}, allowed: 0..{}", i, record[0], kCifarClasses - 1));
    dataset.labels.push_back(record[0]);
    dataset.pixels.insert(dataset.pixels.end(), record.begin() + 1, record.end());
  }
  return dataset;
}

}  // namespace earshot
