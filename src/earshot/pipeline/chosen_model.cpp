#include "earshot/pipeline/chosen_model.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/object_reader.hpp"
#include "earshot/model/torch_engine.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/model_fit.hpp"
#include "earshot/pipeline/training_sections.hpp"

namespace earshot {
namespace {

constexpr const char* kImageNet = "imagenet";

[[noreturn]] void refuse_shape(const std::string& text) {
  fail(Fault::kConfig,
       fmt::format("input {}: write 105 for a record of 105 numbers, or 3x32x32 for channels x "
                   "height x width",
                   text));
}

Shape parse_shape(const std::string& text) {
  std::vector<std::size_t> parts;
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find('x'));
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value == 0) refuse_shape(text);
    parts.push_back(value);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (parts.size() == 1) return {parts[0]};
  if (parts.size() == 3) return {parts[0], parts[1], parts[2]};
  refuse_shape(text);
}

std::string called(const Choice& section) {
  return section.kind == network_file_schema().name ? section.settings.text("path") : section.kind;
}

Shape input_of(const Choice& section, const Examples* examples) {
  if (section.settings.has("input")) {
    const Shape given = parse_shape(section.settings.text("input"));
    if (examples != nullptr && examples->input().size() != given.size()) {
      fail(Fault::kConfig, fmt::format("input {} has {} numbers, a record of the data {}", shape_text(given),
                                       given.size(), examples->input().size()));
    }
    return given;
  }
  if (examples != nullptr) return examples->input();
  fail(Fault::kUsage,
       fmt::format("{} fits records of any size; say which with --input or --data", called(section)));
}

std::size_t outputs_of(const Choice& section, const Examples* examples) {
  if (section.settings.has("outputs")) return section.settings.size("outputs");
  if (examples != nullptr) return examples->targets().outputs();
  fail(Fault::kUsage,
       fmt::format("{} has any number of outputs; say how many with --outputs or --data", called(section)));
}

std::string engine_of(const Choice& section) {
  return settings_for(network_schema(), section).text("engine");
}

std::unique_ptr<Model> build(const Architecture& architecture, const std::string& engine) {
  if (engine == "torch") return torch_engine().make(architecture);
  return make_native_model(architecture);
}

ChosenModel from_component(const Choice& section, const Examples* examples) {
  const ModelComponent& component = model_component(section.kind);
  const std::size_t outputs = outputs_of(section, examples);
  Architecture architecture =
      component.make(settings_for(component.schema, section), input_of(section, examples), outputs);
  ChosenModel chosen{std::move(architecture), nullptr, engine_of(section), {}, {}};
  if (examples != nullptr) require_fit(chosen, *examples);
  chosen.model = build(*chosen.architecture(), chosen.engine);
  return chosen;
}

void start_from(ChosenModel& chosen, Checkpoint checkpoint) {
  if (!checkpoint.buffers.empty()) chosen.model->set_buffers(checkpoint.buffers);
  chosen.stored = std::move(checkpoint);
}

ChosenModel from_checkpoint(const Choice& section, const std::filesystem::path& path,
                            const Examples* examples) {
  for (const char* key : {"input", "outputs", "loss", "start"}) {
    if (section.settings.has(key))
      fail(Fault::kConfig, fmt::format("{} is a checkpoint and says itself what its {} is; leave it out",
                                       path.string(), key));
  }
  Checkpoint checkpoint = load_checkpoint(path);
  ChosenModel chosen{checkpoint.network, nullptr, engine_of(section), {}, {}};
  if (const Architecture* architecture = chosen.architecture()) {
    if (examples != nullptr) require_fit(chosen, *examples);
    chosen.model = build(*architecture, chosen.engine);
    start_from(chosen, std::move(checkpoint));
    return chosen;
  }
  if (examples != nullptr) {
    fail(Fault::kConfig,
         fmt::format("{} is a checkpoint of a TorchScript file and does not hold the file itself; name that "
                     "file as the model, and this checkpoint as its start",
                     path.string()));
  }
  chosen.engine = "torchscript";
  chosen.stored = std::move(checkpoint);
  return chosen;
}

ChosenModel from_script(const Choice& section, const std::filesystem::path& path, const Examples* examples) {
  const Settings own = settings_for(network_script_schema(), section);
  if (section.settings.has("engine") && engine_of(section) != "torch")
    fail(Fault::kConfig,
         fmt::format("{} is a TorchScript file and runs on the torch engine; leave out engine "
                     "\"native\"",
                     path.string()));
  if (examples != nullptr && are_graphs(*examples))
    fail(Fault::kConfig, "the data are graphs and a TorchScript file takes records; use gcn or gat");
  ScriptOptions options;
  options.input = input_of(section, examples);
  options.loss = static_cast<LossKind>(position_of(own.text("loss"), Names<LossKind>::kNames, "loss"));
  if (section.settings.has("outputs")) options.outputs = section.settings.size("outputs");
  std::unique_ptr<Model> model =
      with_context(fmt::format("a network for records of {}", shape_text(options.input)),
                   [&] { return torch_engine().load_script(path, options); });
  const ScriptReference reference{sha256(read_bytes(path)), options.input, model->output_size(), options.loss,
                                  options.reduction};
  ChosenModel chosen{reference, std::move(model), "torchscript", {}, {}};
  if (examples != nullptr) require_fit(chosen, *examples);
  return chosen;
}

/// The ImageNet weights of SqueezeNet 1.1 in ncnn's format, as the data directory has them.
std::vector<NcnnConvolution> imagenet_weights(const ChosenModel& chosen,
                                              const std::filesystem::path& data_directory) {
  if (chosen.architecture() == nullptr || chosen.architecture()->name != "squeezenet11")
    fail(Fault::kConfig, "ImageNet weights are there for squeezenet11 only; leave out start \"imagenet\"");
  const DatasetEntry& entry = find_dataset("squeezenet");
  const auto path = [&](const char* file) { return locate(entry, find_file(entry, file), data_directory); };
  return read_ncnn(path("squeezenet/squeezenet_v1.1.ncnn.param"),
                   path("squeezenet/squeezenet_v1.1.ncnn.bin"));
}

bool same_network(const ChosenModel& chosen, const Checkpoint& checkpoint) {
  const auto* architecture = std::get_if<Architecture>(&checkpoint.network);
  if (chosen.architecture() == nullptr || architecture == nullptr) {
    const auto* script = std::get_if<ScriptReference>(&checkpoint.network);
    return chosen.architecture() == nullptr && script != nullptr &&
           *script == std::get<ScriptReference>(chosen.network);
  }
  return to_json(*architecture) == to_json(*chosen.architecture());
}

void take_start(ChosenModel& chosen, const Choice& section, const GraphSources& sources) {
  if (!section.settings.has("start")) return;
  const std::string start = section.settings.text("start");
  if (start == kImageNet) {
    chosen.pretrained = imagenet_weights(chosen, sources.data_directory);
    return;
  }
  Checkpoint checkpoint = load_checkpoint(sources.working_directory / start);
  if (!same_network(chosen, checkpoint))
    fail(Fault::kConfig,
         fmt::format("{} is a checkpoint of another network than {}; start from one of the same file or "
                     "layers, input, outputs and loss",
                     start, called(section)));
  start_from(chosen, std::move(checkpoint));
}

ChosenModel from_file(const Choice& section, const Examples* examples, const GraphSources& sources) {
  const std::filesystem::path path = sources.working_directory / section.settings.text("path");
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    fail(Fault::kConfig,
         fmt::format("{}: there is no such file; path names a checkpoint or a TorchScript file",
                     path.string()));
  if (looks_like_checkpoint(path)) return from_checkpoint(section, path, examples);
  return from_script(section, path, examples);
}

}  // namespace

const Schema& network_schema() {
  static const Schema schema{
      "model",
      "network",
      "",
      "",
      {choice_parameter("engine", "native", {"native", "torch"}, "which engine computes"),
       optional(text_parameter("input", {}, "a record's shape, where not the data's: 105, or 3x32x32")),
       optional(integer_parameter("outputs", {}, 1, 1'000'000,
                                  "of the network, where not one per class: 1 tells two classes apart")),
       optional(text_parameter("start", {},
                               "a checkpoint of the same network to start from, or \"imagenet\" for "
                               "squeezenet11; else it starts fresh"))}};
  return schema;
}

const Schema& network_file_schema() {
  static const Schema schema{"model",
                             "file",
                             "a file of one's own: a checkpoint to go on from, or a TorchScript module",
                             "",
                             {text_parameter("path", {}, "checkpoint, or what torch.jit.save wrote")}};
  return schema;
}

const Schema& network_script_schema() {
  static const Schema schema{
      "model",
      "script",
      "",
      "",
      {choice_parameter("loss", name_of(LossKind::kSoftmaxCrossEntropy),
                        {Names<LossKind>::kNames.begin(), Names<LossKind>::kNames.end()},
                        "what training a TorchScript module minimises")}};
  return schema;
}

ChosenModel choose_model(const Choice& section, const Examples* examples, const GraphSources& sources) {
  ChosenModel chosen = section.kind == network_file_schema().name ? from_file(section, examples, sources)
                                                                  : from_component(section, examples);
  take_start(chosen, section, sources);
  return chosen;
}

std::vector<double> start_parameters(const ChosenModel& chosen, Stream& stream) {
  if (chosen.stored) return chosen.stored->parameters;
  std::vector<double> parameters(chosen.model->parameter_count());
  chosen.model->initialise(stream, parameters);
  if (!chosen.pretrained.empty()) take_weights(chosen.pretrained, *chosen.architecture(), parameters);
  return parameters;
}

std::string shape_text(const Shape& shape) {
  if (shape.plane() == 1) return std::to_string(shape.channels);
  return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
}

}  // namespace earshot
