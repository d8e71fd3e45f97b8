// The FEMNIST subset: handwritten digits in folders per client, PNG files in a tar archive.
#pragma once

#include <cstdint>
#include <span>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// Members FOLDER/client_K/train/DIGIT/NAME.png, in the archive's order: grey images of one size, black on
/// white. Clients must be numbered from 0 without gaps. Normalisation and name are left to the caller.
ImageDataset parse_femnist(std::span<const std::uint8_t> tar);

}  // namespace earshot
