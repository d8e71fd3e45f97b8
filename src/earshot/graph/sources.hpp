// Where graphs and weights come from when they come from files.
#pragma once

#include <filesystem>

namespace earshot {

/// The dataset directory, and the directory relative paths of a plan start from.
struct GraphSources {
  std::filesystem::path data_directory;
  std::filesystem::path working_directory;
};

}  // namespace earshot
