#include "earshot/pipeline/model_fit.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/model/object_reader.hpp"

namespace earshot {
namespace {

/// What has to fit the data.
struct Demands {
  std::size_t input;
  std::size_t outputs;
  LossKind loss;
};

Demands demands_of(const ChosenModel& chosen) {
  if (const Architecture* architecture = chosen.architecture())
    return {architecture->input.size(), output_shape(*architecture).size(), architecture->loss};
  const auto& script = std::get<ScriptReference>(chosen.network);
  return {script.input.size(), script.outputs, script.loss};
}

void require_outputs(const Demands& network, const Targets& targets) {
  const bool one_for_two = targets.classes == 2 && network.outputs == 1;
  if (network.outputs != targets.outputs() && !one_for_two) {
    fail(Fault::kConfig,
         fmt::format("the network has {} outputs, the data need {}", network.outputs, targets.outputs()));
  }
}

/// Before anything else: one output for a number is an error of another kind to a network for classes.
void require_loss_of_numbers(const ChosenModel& chosen, const Targets& targets) {
  const Architecture* architecture = chosen.architecture();
  const LossKind loss = architecture ? architecture->loss : std::get<ScriptReference>(chosen.network).loss;
  if (targets.classes == 0 && loss != LossKind::kMeanSquared) {
    fail(Fault::kConfig, fmt::format("the data are numbers to predict, which {} cannot learn; use a network "
                                     "with the loss mean_squared",
                                     name_of(loss)));
  }
}

void require_loss_of_one_output(const Demands& network, const Targets& targets) {
  if (targets.classes != 0 && network.outputs == 1 && network.loss != LossKind::kBinaryCrossEntropy) {
    fail(Fault::kConfig, fmt::format("one output tells two classes apart by binary_cross_entropy, not by {}; "
                                     "change the loss, or use two outputs",
                                     name_of(network.loss)));
  }
}

void require_kind(const ChosenModel& chosen, const Examples& examples) {
  const Architecture* architecture = chosen.architecture();
  const bool takes_graphs = architecture != nullptr && is_graph_network(*architecture);
  if (are_graphs(examples) != takes_graphs) {
    fail(Fault::kConfig, takes_graphs ? "a network for graphs needs data that are graphs"
                                      : "the data are graphs and need a network for graphs: gcn or gat");
  }
  if (takes_graphs && has_read_out(*architecture) == examples.connected()) {
    fail(Fault::kConfig,
         examples.connected()
             ? "the data have a label per node, the network answers per graph; set model.level "
               "to \"node\""
             : "the data have a label per graph, the network answers per node; set model.level "
               "to \"graph\"");
  }
}

}  // namespace

bool are_graphs(const Examples& examples) {
  ExampleMemory memory;
  constexpr std::array<std::size_t, 1> kFirst{0};
  return examples.gather(kFirst, examples.targets().outputs(), 0, memory).graph != nullptr;
}

void require_fit(const ChosenModel& chosen, const Examples& examples) {
  require_loss_of_numbers(chosen, examples.targets());
  require_kind(chosen, examples);
  const Demands network = demands_of(chosen);
  if (network.input != examples.input().size()) {
    fail(Fault::kConfig, fmt::format("the network takes records of {} numbers, the data have {} ({})",
                                     network.input, examples.input().size(), shape_text(examples.input())));
  }
  require_outputs(network, examples.targets());
  require_loss_of_one_output(network, examples.targets());
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
            "statistics (--set model.norm=frozen)",
            false};
  }
  if (is_graph_network(*architecture)) {
    return {"one at a time", "a graph layer mixes the rows of a problem, so each output gets its own pass"};
  }
  if (chosen.engine == "torch")
    return {"ghost clipping", "norms follow from layer inputs and output gradients"};
  return {"fused", "norms are found during the backward pass of the whole batch"};
}

void add_assumptions(const ChosenModel& chosen, PrivacyStatement& statement) {
  if (chosen.architecture() != nullptr || !statement.is_private()) return;
  statement.assumptions.emplace_back(
      "the TorchScript file keeps nothing of a record from one call to the next (tried on a few, not "
      "proven)");
}

}  // namespace earshot
