// A user's own TorchScript module behind the seam.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <torch/script.h>

#include "earshot/model/torch/network.hpp"
#include "earshot/model/torch_engine.hpp"

namespace earshot {

/// A module that passed all checks, in the precision of the file.
struct LoadedScript {
  torch::jit::Module module;
  std::string name;  // of the file
  ScriptOptions options;
  std::vector<double> start;  // the file's parameters
  std::shared_ptr<PullbackMethod> pullback = std::make_shared<PullbackMethod>();
};
/// Checked before, while and after libtorch opens it; in evaluation mode.
torch::jit::Module load_checked_module(const std::filesystem::path& path);

/// Whether parameters and buffers of this type can be computed with.
bool is_supported(torch::Dtype dtype);

LoadedScript load_script_file(const std::filesystem::path& path, const ScriptOptions& options);

/// A copy of the module to be evaluated by one thread in one precision.
std::unique_ptr<TorchNetwork> make_script_network(const LoadedScript& script, torch::Dtype dtype);

/// What `earshot model describe` shows of it.
Json describe_script(const LoadedScript& script);

}  // namespace earshot
