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
};
LoadedScript load_script_file(const std::filesystem::path& path, const ScriptOptions& options);

/// A copy of the module to be evaluated by one thread in one precision.
std::unique_ptr<TorchNetwork> make_script_network(const LoadedScript& script, torch::Dtype dtype);

/// What `earshot model describe` shows of it.
Json describe_script(const LoadedScript& script);

}  // namespace earshot
