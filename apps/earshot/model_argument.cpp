#include "model_argument.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/experiment/override.hpp"
#include "earshot/model/components.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/ncnn_weights.hpp"
#include "earshot/model/object_reader.hpp"
#include "earshot/model/torch_engine.hpp"

namespace earshot::cli {
namespace {

[[noreturn]] void refuse_input(const std::string& text) {
  fail(Fault::kUsage, fmt::format("--input {}: write 105 for a record of 105 numbers, or 3x32x32 for "
                                  "channels x height x width",
                                  text));
}

Shape parse_shape(const std::string& text) {
  std::vector<std::size_t> parts;
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find('x'));
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value == 0) refuse_input(text);
    parts.push_back(value);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (parts.size() == 1) return {parts[0]};
  if (parts.size() == 3) return {parts[0], parts[1], parts[2]};
  refuse_input(text);
}

Shape input_of(const ModelArgument& argument, const std::optional<Shape>& known) {
  if (!argument.input.empty()) {
    const Shape given = parse_shape(argument.input);
    if (known && known->size() != given.size()) {
      fail(Fault::kUsage, fmt::format("--input {} has {} numbers, a record of the data {}", argument.input,
                                      given.size(), known->size()));
    }
    return given;
  }
  if (known) return *known;
  fail(Fault::kUsage,
       fmt::format("{} fits records of any size; say which with --input or --data", argument.name));
}

Settings settings_of(const ModelComponent& component, Json given) {
  for (const Parameter& parameter : component.schema.parameters) {
    // --set model.hidden=100 is a number to TOML and a list of one width to the schema.
    const auto value = given.find(parameter.key);
    if (value != given.end() && parameter.type == ParameterType::kText && value->is_number_integer()) {
      *value = value->dump();
    }
  }
  std::vector<Problem> problems;
  Settings settings = validate(
      component.schema, given, [](std::string_view key) { return "model." + std::string(key); }, problems);
  if (!problems.empty()) throw PlanError(std::move(problems));
  return settings;
}

std::unique_ptr<Model> build(const Architecture& architecture, const std::string& engine) {
  if (engine == "torch") return torch_engine().make(architecture);
  return make_native_model(architecture);
}

ChosenModel from_component(const ModelComponent& component, const ModelArgument& argument,
                           const std::optional<Shape>& input, std::size_t outputs) {
  if (argument.outputs != 0) outputs = argument.outputs;
  if (outputs == 0) {
    fail(Fault::kUsage,
         fmt::format("{} has any number of outputs; say how many with --outputs or --data", argument.name));
  }
  Architecture architecture =
      component.make(settings_of(component, argument.settings), input_of(argument, input), outputs);
  std::unique_ptr<Model> model = build(architecture, argument.engine);
  return {std::move(architecture), std::move(model), argument.engine, {}};
}

ChosenModel from_checkpoint(const ModelArgument& argument) {
  Checkpoint checkpoint = load_checkpoint(argument.name);
  ChosenModel chosen{checkpoint.network, nullptr, argument.engine, {}};
  if (const Architecture* architecture = chosen.architecture()) {
    chosen.model = build(*architecture, argument.engine);
    if (!checkpoint.buffers.empty()) chosen.model->set_buffers(checkpoint.buffers);
  } else {
    chosen.engine = "torchscript";
  }
  chosen.stored = std::move(checkpoint);
  return chosen;
}

ChosenModel from_script(const ModelArgument& argument, const std::optional<Shape>& input,
                        std::size_t outputs) {
  const auto losses = Names<LossKind>::kNames;
  ScriptOptions options;
  options.input = input_of(argument, input);
  options.loss = static_cast<LossKind>(position_of(argument.loss, losses, "--loss"));
  options.outputs = argument.outputs;
  std::unique_ptr<Model> model = torch_engine().load_script(argument.name, options);
  if (outputs != 0 && model->output_size() != outputs && !(outputs == 2 && model->output_size() == 1)) {
    fail(Fault::kConfig,
         fmt::format("{} has {} outputs, the data need {}", argument.name, model->output_size(), outputs));
  }
  const ScriptReference reference{sha256(read_bytes(argument.name)), options.input, model->output_size(),
                                  options.loss, options.reduction};
  return {reference, std::move(model), "torchscript", {}};
}

void require_no_settings(const ModelArgument& argument) {
  if (argument.settings.empty()) return;
  fail(Fault::kUsage, fmt::format("--set model.{}: {} is a file and has no settings",
                                  argument.settings.begin().key(), argument.name));
}

/// The ImageNet weights of SqueezeNet 1.1 in ncnn's format, as the data directory has them.
void take_imagenet_weights(const Architecture& architecture, std::span<double> parameters) {
  if (architecture.name != "squeezenet11") {
    fail(Fault::kUsage, "--imagenet: ImageNet weights are there for squeezenet11 only");
  }
  const DatasetEntry& entry = find_dataset("squeezenet");
  const auto path = [&](const char* file) { return locate(entry, find_file(entry, file), data_directory()); };
  take_weights(
      read_ncnn(path("squeezenet/squeezenet_v1.1.ncnn.param"), path("squeezenet/squeezenet_v1.1.ncnn.bin")),
      architecture, parameters);
}

}  // namespace

void add_model_options(CLI::App& command, ModelArgument& argument) {
  command.add_option("--input", argument.input, "size of a record: 105, or 3x32x32 for pictures");
  command.add_option("--outputs", argument.outputs, "classes, or numbers to predict");
  command.add_option("--engine", argument.engine, "which engine computes")
      ->check(CLI::IsMember({"native", "torch"}))
      ->capture_default_str();
  command.add_option("--loss", argument.loss, "of a TorchScript file")
      ->check(CLI::IsMember({"softmax_cross_entropy", "binary_cross_entropy", "mean_squared"}))
      ->capture_default_str();
}

ComponentSettings component_settings(const std::vector<std::string>& overrides) {
  ComponentSettings settings;
  for (const std::string& text : overrides) {
    const Override parsed = parse_override(text);
    if (parsed.key.starts_with("model.")) {
      settings.model[parsed.key.substr(6)] = parsed.value;
    } else if (parsed.key.starts_with("data.")) {
      settings.data[parsed.key.substr(5)] = parsed.value;
    } else {
      fail(Fault::kUsage, fmt::format("--set {}: write model.KEY=VALUE or data.KEY=VALUE", text));
    }
  }
  return settings;
}

ChosenModel choose_model(const ModelArgument& argument, std::optional<Shape> input, std::size_t outputs) {
  const auto components = model_components();
  const auto component = std::ranges::find_if(
      components, [&](const ModelComponent& c) { return c.schema.name == argument.name; });
  if (component != components.end()) return from_component(*component, argument, input, outputs);
  if (!std::filesystem::exists(argument.name)) {
    std::vector<std::string> names;
    for (const ModelComponent& c : components) names.push_back(c.schema.name);
    fail(Fault::kUsage, fmt::format("there is no model and no file called \"{}\"; {}", argument.name,
                                    suggest(argument.name, names)));
  }
  require_no_settings(argument);
  if (looks_like_checkpoint(argument.name)) return from_checkpoint(argument);
  return from_script(argument, input, outputs);
}

std::vector<double> start_parameters(const ChosenModel& chosen, const ModelArgument& argument,
                                     std::uint64_t seed) {
  if (chosen.stored) return chosen.stored->parameters;
  std::vector<double> parameters(chosen.model->parameter_count());
  Stream stream({seed, Purpose::kModelInit});
  chosen.model->initialise(stream, parameters);
  if (!argument.imagenet) return parameters;
  if (chosen.architecture() == nullptr) fail(Fault::kUsage, "--imagenet does not go with a TorchScript file");
  take_imagenet_weights(*chosen.architecture(), parameters);
  return parameters;
}

PerExample per_example_gradients(const ChosenModel& chosen) {
  const Architecture* architecture = chosen.architecture();
  if (architecture == nullptr) {
    return {"one at a time",
            "what a TorchScript file does with a record is not known, so each gets its own pass"};
  }
  const auto placed = place(*architecture);
  const bool batch_statistics = std::ranges::any_of(placed, [](const PlacedLayer& layer) {
    const auto* norm = std::get_if<BatchNorm>(layer.layer);
    return norm != nullptr && !norm->frozen;
  });
  if (batch_statistics) {
    return {"impossible",
            "batch norm mixes the records of a batch: no record has a gradient of its own; freeze its "
            "statistics (--set model.norm=frozen)"};
  }
  if (is_graph_network(*architecture)) {
    return {"one at a time", "a graph layer mixes the rows of a problem, so each output gets its own pass"};
  }
  if (chosen.engine == "torch")
    return {"ghost clipping", "norms follow from layer inputs and output gradients"};
  return {"fused", "norms are found during the backward pass of the whole batch"};
}

}  // namespace earshot::cli
