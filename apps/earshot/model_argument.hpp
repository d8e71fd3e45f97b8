// A network named on the command line: one of earshot's own, a checkpoint, or a user's TorchScript file.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "earshot/experiment/plan.hpp"

namespace earshot::cli {

struct ModelArgument {
  std::string name;         // a component, a checkpoint or a TorchScript file
  std::string input;        // "105" or "3x32x32"
  std::size_t outputs = 0;  // 0: not given
  std::string loss;         // of TorchScript files
  std::string engine;
  bool imagenet = false;  // start from the ImageNet weights of SqueezeNet 1.1
  std::string start;      // from a checkpoint
};
void add_model_options(CLI::App& command, ModelArgument& argument);
/// `--model`, its options, and what training starts from.
void add_trained_model(CLI::App& command, ModelArgument& argument);

/// The body of a [model] section.
std::string model_section(const ModelArgument& argument);
/// The section with these settings beside, checked as in an experiment file.
Choice model_choice(const ModelArgument& argument, const Json& settings);
/// "--model mlp --engine torch", to be typed again.
std::string model_words(const ModelArgument& argument);

/// `--set model.KEY=VALUE` and `--set data.KEY=VALUE`, sorted out.
struct ComponentSettings {
  Json model = Json::object();
  Json data = Json::object();
};
ComponentSettings component_settings(const std::vector<std::string>& overrides);

}  // namespace earshot::cli
