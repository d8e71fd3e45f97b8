// A user's own TorchScript module that says how different two pictures look.
#pragma once

#include <filesystem>
#include <memory>

#include "earshot/model/perceptual_distance.hpp"

namespace earshot {

/// TorchEngine::load_perceptual_distance.
std::unique_ptr<PerceptualDistance> load_perceptual_script(const std::filesystem::path& path);

}  // namespace earshot
