// The image datasets an experiment can name.
#pragma once

#include <filesystem>
#include <span>

#include "earshot/core/schema.hpp"
#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// `data` components by name. `load` reads from disk every time: keep what it returns.
struct DatasetComponent {
  Schema schema;
  ImageDataset (*load)(const Settings&, const std::filesystem::path& directory);
};
std::span<const DatasetComponent> dataset_components();

}  // namespace earshot
