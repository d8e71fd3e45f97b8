// APTOS 2019 blindness detection: retina photographs with grades, JPEG files in a tar archive beside a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

inline constexpr std::size_t kAptosGrades = 5;
/// Of the 3,662 labelled images, as Shahbazi 2026 splits them: 2,931 for training, 731 for testing.
inline constexpr std::size_t kAptosTestImages = 731;

struct AptosRecord {
  std::string id;
  std::uint8_t grade = 0;
  std::span<const std::uint8_t> jpeg;  // a part of the archive's bytes, which must outlive it
};

/// `table` has the columns id_code and diagnosis (0 … 4); the archive must hold FOLDER/ID.jpg for each id and
/// nothing else. In the table's order. `origin` names the table in messages.
std::vector<AptosRecord> index_aptos(std::string_view table, const std::string& origin,
                                     std::span<const std::uint8_t> tar);

struct AptosSplit {
  std::vector<std::size_t> train;  // increasing
  std::vector<std::size_t> test;
};

/// Every grade keeps its share in both parts; the same seed gives the same parts.
AptosSplit split_aptos(std::span<const AptosRecord> records, std::uint64_t seed);

/// How many images of the test part are byte for byte the image of a training record.
std::size_t count_copies(std::span<const AptosRecord> records, const AptosSplit& split);

/// What happens to an image between decoding and memory; 0 means no change.
struct AptosSize {
  std::size_t resize = 0;  // the shorter side
  std::size_t crop = 0;    // the centre
};

/// Decodes the chosen records, each of which must come out in the same shape. Normalisation and name are left
/// to the caller.
ImageDataset decode_aptos(std::span<const AptosRecord> records, std::span<const std::size_t> chosen,
                          const AptosSize& size);

}  // namespace earshot
