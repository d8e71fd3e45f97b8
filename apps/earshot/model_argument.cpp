#include "model_argument.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/pipeline/components.hpp"
#include "graph_argument.hpp"
#include "setting_argument.hpp"

namespace earshot::cli {
namespace {

std::string start_of(const ModelArgument& argument) {
  if (argument.imagenet && !argument.start.empty())
    fail(Fault::kUsage, "--imagenet and --start are two starts; leave out one");
  return argument.imagenet ? "imagenet" : argument.start;
}

/// Everything that was given, by the keys of a [model] section.
Json given(const ModelArgument& argument) {
  const std::string kind = component_or_file("model", argument.name);
  Json section{{"kind", kind}};
  if (kind == "file") section["path"] = argument.name;
  if (!argument.input.empty()) section["input"] = argument.input;
  if (argument.outputs != 0) section["outputs"] = argument.outputs;
  if (!argument.loss.empty()) section["loss"] = argument.loss;
  if (!argument.engine.empty()) section["engine"] = argument.engine;
  if (const std::string start = start_of(argument); !start.empty()) section["start"] = start;
  return section;
}

}  // namespace

void add_model_options(CLI::App& command, ModelArgument& argument) {
  command.add_option("--input", argument.input, "size of a record: 105, or 3x32x32 for pictures");
  command.add_option("--outputs", argument.outputs, "classes, or numbers to predict");
  command.add_option("--engine", argument.engine, "which engine computes (default: native)")
      ->check(CLI::IsMember({"native", "torch"}));
  command.add_option("--loss", argument.loss, "of a TorchScript file (default: softmax_cross_entropy)")
      ->check(CLI::IsMember({"softmax_cross_entropy", "binary_cross_entropy", "mean_squared"}));
}

void add_trained_model(CLI::App& command, ModelArgument& argument) {
  command
      .add_option("--model", argument.name,
                  "a model of `earshot list model`, a checkpoint to go on from, or a TorchScript file")
      ->required();
  add_model_options(command, argument);
  command.add_flag("--imagenet", argument.imagenet, "start squeezenet11 from its ImageNet weights");
  command.add_option("--start", argument.start, "checkpoint of the same network to start from")
      ->type_name("FILE");
}

std::string model_section(const ModelArgument& argument) {
  const Json keys = given(argument);
  std::string section;
  for (const auto& [key, value] : keys.items()) {
    section +=
        fmt::format("{} = {}\n", key, value.is_string() ? toml_text(value.get<std::string>()) : value.dump());
  }
  return section;
}

Choice model_choice(const ModelArgument& argument, const Json& settings) {
  Json section = given(argument);
  const std::string kind = section.at("kind").get<std::string>();
  section.erase("kind");
  section.update(settings);
  const Catalogue catalogue = standard_catalogue();
  return {kind, valid_settings(*catalogue.find("model", kind), section, "model.")};
}

std::string model_words(const ModelArgument& argument) {
  std::string words = "--model " + argument.name;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words += fmt::format(" {} {}", flag, value);
  };
  add("--input", argument.input);
  if (argument.outputs != 0) add("--outputs", std::to_string(argument.outputs));
  add("--loss", argument.loss);
  add("--engine", argument.engine);
  add("--start", argument.start);
  if (argument.imagenet) words += " --imagenet";
  return words;
}

ComponentSettings component_settings(const std::vector<std::string>& overrides) {
  ComponentSettings settings;
  const Catalogue catalogue = standard_catalogue();
  for (const std::string& text : overrides) {
    const Override parsed = read_setting(text, catalogue);
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

}  // namespace earshot::cli
