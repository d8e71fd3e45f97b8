// The binary format of CIFAR-10 (Krizhevsky 2009): records of one label byte and three 32x32 planes.
#pragma once

#include <cstdint>
#include <span>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

inline constexpr ImageShape kCifarShape{3, 32, 32};
inline constexpr std::size_t kCifarClasses = 10;
inline constexpr std::size_t kCifarRecord = 1 + 3 * 32 * 32;

/// One or more whole records, every label below 10. Normalisation and name are left to the caller.
ImageDataset parse_cifar10(std::span<const std::uint8_t> bytes);

}  // namespace earshot
