// RetinaMNIST of MedMNIST v2 (Yang et al. 2023): retina images in a .npz file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// The arrays PART_images (count x height x width x 3 bytes) and PART_labels (count x 1, grades 0 … 4).
/// Normalisation and name are left to the caller.
ImageDataset parse_retinamnist(std::span<const std::uint8_t> npz, const std::string& part);

}  // namespace earshot
