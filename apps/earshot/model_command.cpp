#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/model/object_reader.hpp"
#include "earshot/pipeline/model_fit.hpp"
#include "earshot/training/training_data.hpp"
#include "model_argument.hpp"
#include "model_training.hpp"

namespace earshot::cli {
namespace {

struct DescribeOptions {
  ModelArgument model;
  std::string data;
  std::vector<std::string> set;
  bool json = false;
};

struct ExportOptions {
  std::string checkpoint;
  std::string out;
  bool json = false;
};

Json shape_json(const Shape& shape) {
  return {shape.channels, shape.height, shape.width};
}

/// Numbers a layer puts out, for one record: what a gradient has to keep, beside the parameters.
std::size_t activations(const Architecture& architecture) {
  std::size_t sum = architecture.input.size();
  for (const PlacedLayer& layer : place(architecture)) sum += layer.out.size();
  return sum;
}

Json layer_json(const PlacedLayer& layer) {
  return {{"name", layer.name},
          {"in", shape_json(layer.in)},
          {"out", shape_json(layer.out)},
          {"parameters", layer.parameter_count},
          {"buffers", layer.buffer_count}};
}

Json network_json(const ChosenModel& chosen) {
  if (const Architecture* architecture = chosen.architecture()) {
    Json layers = Json::array();
    for (const PlacedLayer& layer : place(*architecture)) layers.push_back(layer_json(layer));
    return {{"name", architecture->name},
            {"input", shape_json(architecture->input)},
            {"outputs", output_shape(*architecture).size()},
            {"parameters", parameter_count(*architecture)},
            {"buffers", buffer_count(*architecture)},
            {"parameter_bytes", 8 * parameter_count(*architecture)},
            {"activation_bytes_per_record", 8 * activations(*architecture)},
            {"layers", std::move(layers)},
            {"architecture", to_json(*architecture)}};
  }
  const auto& script = std::get<ScriptReference>(chosen.network);
  const std::size_t parameters =
      chosen.model ? chosen.model->parameter_count() : chosen.stored->parameters.size();
  return {{"name", "torchscript"},       {"sha256", script.sha256},  {"input", shape_json(script.input)},
          {"outputs", script.outputs},   {"parameters", parameters}, {"parameter_bytes", 8 * parameters},
          {"loss", name_of(script.loss)}};
}

/// How derivatives of gradients, which attacks need, are computed.
std::string pullback_text(const ChosenModel& chosen) {
  const std::string note = chosen.model ? chosen.model->pullback_note() : "";
  return note.empty() ? "second derivative" : note;
}

Json description(const ChosenModel& chosen) {
  Json document = network_json(chosen);
  document["engine"] = chosen.engine;
  const PerExample per_example = per_example_gradients(chosen);
  document["per_example_gradients"] = {{"how", per_example.how}, {"why", per_example.why}};
  document["pullback"] = pullback_text(chosen);
  if (chosen.stored) document["provenance"] = chosen.stored->provenance;
  return document;
}

std::string bytes_text(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  return value < 1e9 ? fmt::format("{:.1f} MB", value / 1e6) : fmt::format("{:.1f} GB", value / 1e9);
}

void print_layers(const Architecture& architecture) {
  fmt::print("  {:<26} {:>12} {:>12} {:>12}\n", "layer", "in", "out", "parameters");
  for (const PlacedLayer& layer : place(architecture)) {
    fmt::print("  {:<26} {:>12} {:>12} {:>12}\n", layer.name, shape_text(layer.in), shape_text(layer.out),
               layer.parameter_count);
  }
}

void print_description(const ChosenModel& chosen) {
  const Json document = description(chosen);
  fmt::print("{}: {} parameters ({} in double precision), {} engine\n", document["name"].get<std::string>(),
             document["parameters"].get<std::size_t>(),
             bytes_text(document["parameter_bytes"].get<std::size_t>()), chosen.engine);
  if (const Architecture* architecture = chosen.architecture()) {
    print_layers(*architecture);
    fmt::print("  loss {}; {} of activations per {}\n", name_of(architecture->loss),
               bytes_text(document["activation_bytes_per_record"].get<std::size_t>()),
               is_graph_network(*architecture) ? "node" : "record");
  } else {
    const auto& script = std::get<ScriptReference>(chosen.network);
    fmt::print("  TorchScript file of SHA-256 {}\n  input {}, outputs {}, loss {}\n", script.sha256,
               shape_text(script.input), script.outputs, name_of(script.loss));
  }
  const PerExample per_example = per_example_gradients(chosen);
  fmt::print("  gradients: yes; pullbacks (inputs, labels): {}\n  per-example gradients: {}; {}\n",
             pullback_text(chosen), per_example.how, per_example.why);
  if (chosen.stored) fmt::print("  provenance {}\n", chosen.stored->provenance.dump());
}

void describe_model(const DescribeOptions& options) {
  const ComponentSettings settings = component_settings(options.set);
  TrainingData data;
  if (!options.data.empty()) {
    data = load_training_data({.name = options.data, .settings = settings.data}, data_directory());
  } else if (!settings.data.empty()) {
    fail(Fault::kUsage, "--set data.KEY=VALUE needs --data");
  }
  const ChosenModel chosen =
      choose_model(model_choice(options.model, settings.model), data.examples.get(), sources_from({}));
  if (options.json) {
    print_json(description(chosen));
  } else {
    print_description(chosen);
  }
}

/// numpy's format, version 1: a magic, a dictionary padded to 64 bytes, the numbers.
std::string npy(std::span<const double> values) {
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.size());
  constexpr std::size_t kStart = 10;
  header.append(64 - (kStart + header.size() + 1) % 64, ' ');
  header.push_back('\n');
  std::string out = std::string("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(header.size() & 0xFF));
  out.push_back(static_cast<char>(header.size() >> 8));
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  return out;
}

void export_model(const ExportOptions& options) {
  const Checkpoint checkpoint = load_checkpoint(options.checkpoint);
  const ChosenModel chosen{checkpoint.network, nullptr, "", checkpoint, {}};
  const std::filesystem::path out(options.out);
  std::filesystem::create_directories(out);
  Json document = network_json(chosen);
  document["provenance"] = checkpoint.provenance;
  write_atomically(out / "parameters.npy", npy(checkpoint.parameters));
  Json files = {"parameters.npy"};
  if (!checkpoint.buffers.empty()) {
    write_atomically(out / "buffers.npy", npy(checkpoint.buffers));
    files.push_back("buffers.npy");
  }
  files.push_back("model.json");
  write_atomically(out / "model.json", document.dump(2) + "\n");
  if (options.json) {
    print_json({{"directory", out.string()}, {"files", files}});
  } else {
    fmt::print("{}: {} parameters, {} buffers and their description\n", out.string(),
               checkpoint.parameters.size(), checkpoint.buffers.size());
  }
}

void add_describe(CLI::App& model) {
  CLI::App* command =
      model.add_subcommand("describe", "Layers, shapes, sizes, and what earshot can do with it");
  auto options = std::make_shared<DescribeOptions>();
  command
      ->add_option("MODEL", options->model.name,
                   "a model of `earshot list model`, a checkpoint, or a TorchScript file")
      ->required();
  add_model_options(*command, options->model);
  command->add_option("--data", options->data, "take input and outputs from this dataset");
  command->add_option("--set", options->set, "a setting: --set model.hidden=400,400")->take_all();
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { describe_model(*options); });
}

void add_export(CLI::App& model) {
  CLI::App* command = model.add_subcommand("export", "A checkpoint as numpy arrays and JSON");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("CHECKPOINT", options->checkpoint, "written by `earshot model train`")->required();
  command->add_option("--out", options->out, "directory to write to")->required();
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] { export_model(*options); });
}

}  // namespace

void add_model_command(CLI::App& app) {
  CLI::App* model = app.add_subcommand("model", "Describe, train and export models");
  model->require_subcommand(1);
  add_describe(*model);
  add_train(*model);
  add_export(*model);
}

}  // namespace earshot::cli
