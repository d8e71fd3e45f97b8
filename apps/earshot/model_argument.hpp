// A network named on the command line: one of earshot's own, a checkpoint, or a user's TorchScript file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "earshot/model/checkpoint.hpp"
#include "earshot/model/model.hpp"

namespace earshot::cli {

struct ModelArgument {
  std::string name;   // a component, a checkpoint or a TorchScript file
  std::string input;  // "105" or "3x32x32"
  std::size_t outputs = 0;
  std::string loss = "softmax_cross_entropy";  // of TorchScript files
  std::string engine = "native";
  bool imagenet = false;           // start from the ImageNet weights of SqueezeNet 1.1
  Json settings = Json::object();  // of the component's schema
};
void add_model_options(CLI::App& command, ModelArgument& argument);

/// `--set model.KEY=VALUE` and `--set data.KEY=VALUE`, sorted out.
struct ComponentSettings {
  Json model = Json::object();
  Json data = Json::object();
};
ComponentSettings component_settings(const std::vector<std::string>& overrides);

struct ChosenModel {
  std::variant<Architecture, ScriptReference> network;
  std::unique_ptr<Model> model;      // none for a checkpoint of a TorchScript file, which is not at hand
  std::string engine;                // "native", "torch" or "torchscript"
  std::optional<Checkpoint> stored;  // when a checkpoint was named

  const Architecture* architecture() const { return std::get_if<Architecture>(&network); }
};

/// `input` and `outputs` are those of the data if it is known; else the argument's own must be given.
ChosenModel choose_model(const ModelArgument& argument, std::optional<Shape> input = {},
                         std::size_t outputs = 0);

/// Fresh, stored, or ImageNet's.
std::vector<double> start_parameters(const ChosenModel& chosen, const ModelArgument& argument,
                                     std::uint64_t seed);

/// How DP-SGD gets each record's gradient: "fused", "ghost clipping", "one at a time" or "impossible", and
/// why.
struct PerExample {
  std::string how;
  std::string why;
};
PerExample per_example_gradients(const ChosenModel& chosen);

}  // namespace earshot::cli
