#include "earshot/data/images/mnist.hpp"

#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

ImageDataset combine_idx(IdxImages images, std::vector<std::uint8_t> labels, std::size_t classes) {
  if (images.count != labels.size())
    fail(Fault::kData, fmt::format("{} images but {} labels", images.count, labels.size()));
  ImageDataset dataset;
  dataset.shape = {1, images.rows, images.columns};
  dataset.classes = classes;
  dataset.pixels = std::move(images.pixels);
  dataset.labels = std::move(labels);
  return dataset;
}

}  // namespace earshot
