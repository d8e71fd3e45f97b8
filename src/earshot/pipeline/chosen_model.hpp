// The network a [model] section names: one of earshot's own, a checkpoint, or a user's TorchScript file; and
// what it starts from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "earshot/experiment/plan.hpp"
#include "earshot/graph/sources.hpp"
#include "earshot/model/checkpoint.hpp"
#include "earshot/model/model.hpp"
#include "earshot/model/ncnn_weights.hpp"
#include "earshot/training/examples.hpp"

namespace earshot {

/// What may be said of any network that is trained: engine, input, outputs, start.
const Schema& network_schema();
/// `kind = "file"`: a checkpoint or a TorchScript file.
const Schema& network_file_schema();
/// What may be said of a TorchScript file besides: its loss.
const Schema& network_script_schema();

struct ChosenModel {
  std::variant<Architecture, ScriptReference> network;
  std::unique_ptr<Model> model;      // none for a checkpoint of a TorchScript file, which is not at hand
  std::string engine;                // "native", "torch" or "torchscript"
  std::optional<Checkpoint> stored;  // where it starts from
  std::vector<NcnnConvolution> pretrained;  // overwrite a fresh start

  const Architecture* architecture() const { return std::get_if<Architecture>(&network); }
};

/// The network for these examples, checked against them. Without examples the section has to say input and
/// outputs, and a checkpoint of a TorchScript file is taken for what it is, without a model.
ChosenModel choose_model(const Choice& section, const Examples* examples, const GraphSources& sources);

/// Fresh from the stream, or what the section says.
std::vector<double> start_parameters(const ChosenModel& chosen, Stream& stream);

/// "105" or "3x32x32".
std::string shape_text(const Shape& shape);

}  // namespace earshot
