// MNIST and sets of its format: a file of images and one of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "earshot/data/formats/idx.hpp"
#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// Puts the two together; their counts must agree. Normalisation and name are left to the caller.
ImageDataset combine_idx(IdxImages images, std::vector<std::uint8_t> labels, std::size_t classes);

}  // namespace earshot
