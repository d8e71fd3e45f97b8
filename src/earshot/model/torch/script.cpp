#include "earshot/model/torch/script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/random.hpp"
#include "earshot/model/torch/evaluation.hpp"
#include "earshot/model/torch/script_file.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;

/// Operators that touch files, other processes, the terminal or the shared random generator, or that take a
/// tensor's memory away from autograd: none has a place in a function of parameters and records.
constexpr std::array<std::string_view, 38> kRefused = {"aten::save",
                                                       "aten::from_file",
                                                       "aten::set_",
                                                       "aten::set_data",
                                                       "aten::data",
                                                       "prim::data",
                                                       "aten::resize_",
                                                       "aten::resize_as_",
                                                       "aten::wait",
                                                       "prim::fork",
                                                       "prim::rpc_async",
                                                       "prim::rpc_sync",
                                                       "prim::rpc_remote",
                                                       "prim::Print",
                                                       "prim::PythonOp",
                                                       "prim::IgnoredPythonOp",
                                                       "prim::TimePoint",
                                                       "aten::manual_seed",
                                                       "aten::set_grad_enabled",
                                                       "aten::rand",
                                                       "aten::rand_like",
                                                       "aten::randn",
                                                       "aten::randn_like",
                                                       "aten::randint",
                                                       "aten::randint_like",
                                                       "aten::randperm",
                                                       "aten::random",
                                                       "aten::random_",
                                                       "aten::normal",
                                                       "aten::normal_",
                                                       "aten::bernoulli",
                                                       "aten::bernoulli_",
                                                       "aten::multinomial",
                                                       "aten::poisson",
                                                       "aten::uniform_",
                                                       "aten::exponential_",
                                                       "aten::rrelu",
                                                       "aten::rrelu_"};

void check_operator(std::string_view name) {
  const std::string_view space = name.substr(0, name.find("::"));
  if (space != "aten" && space != "prim")
    fail(Fault::kData,
         fmt::format("operator {} is not supported: only PyTorch's own (aten, prim) are", name));
  if (std::ranges::find(kRefused, name) != kRefused.end()) {
    fail(Fault::kData,
         fmt::format("operator {} is not allowed: a model may only compute, reproducibly, from its "
                     "parameters and records",
                     name));
  }
}

void check_operators(torch::jit::Block* block) {
  for (torch::jit::Node* node : block->nodes()) {
    check_operator(node->kind().toQualString());
    for (torch::jit::Block* inner : node->blocks()) check_operators(inner);
  }
}

/// Every function the file defines, called or not.
void check_operators(const torch::jit::Module& module) {
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    if (function->isGraphFunction()) check_operators(torch::jit::toGraphFunction(*function).graph()->block());
  }
}

torch::jit::Module owner_of(torch::jit::Module module, std::string_view path) {
  for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1))
    module = module.attr(std::string(path.substr(0, dot))).toModule();
  return module;
}

/// The parameters that are trained, each tensor once: what a user froze stays as it is.
struct ScriptParameter {
  std::vector<std::string> names;  // several if tied
  Tensor value;
};
std::vector<ScriptParameter> trained_parameters(const torch::jit::Module& module) {
  std::vector<ScriptParameter> parameters;
  std::map<const void*, std::size_t> seen;
  for (const auto& [name, value] : module.named_parameters()) {
    if (!value.requires_grad()) continue;
    if (!is_supported(value.scalar_type())) {
      fail(Fault::kData,
           fmt::format("parameter {} has type {}; convert the module with .float() or .double()", name,
                       c10::toString(value.scalar_type())));
    }
    const auto [known, is_new] = seen.emplace(value.unsafeGetTensorImpl(), parameters.size());
    if (is_new) parameters.push_back({{}, value});
    parameters[known->second].names.push_back(name);
  }
  if (parameters.empty())
    fail(Fault::kData,
         "the module has no parameter that requires a gradient; there is nothing to train or attack");
  return parameters;
}

/// Plain vectors are N x n, sequences N x channels x length, pictures N x channels x height x width.
std::vector<std::int64_t> record_shape(const Shape& shape) {
  if (shape.plane() == 1) return {-1, signed_size(shape.channels)};
  if (shape.height == 1) return {-1, signed_size(shape.channels), signed_size(shape.width)};
  return {-1, signed_size(shape.channels), signed_size(shape.height), signed_size(shape.width)};
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.sizes(), " x "));
}

class ScriptNetwork : public TorchNetwork {
 public:
  ScriptNetwork(torch::jit::Module module, const LoadedScript& script)
      : TorchNetwork(script.pullback),
        module_(std::move(module)),
        options_(script.options),
        name_(script.name) {
    for (const ScriptParameter& parameter : trained_parameters(module_)) {
      pieces_.push_back(parameter.value.sizes().vec());
      for (const std::string& path : parameter.names) {
        slots_.push_back({owner_of(module_, path), path.substr(path.rfind('.') + 1), pieces_.size() - 1});
      }
    }
  }

  const std::vector<std::vector<std::int64_t>>& pieces() const override { return pieces_; }
  std::size_t input_size() const override { return options_.input.size(); }
  std::size_t output_size() const override { return options_.outputs; }
  LossKind loss() const override { return options_.loss; }
  Reduction reduction() const override { return options_.reduction; }
  Fault fault() const override { return Fault::kData; }
  std::string name() const override { return name_; }

  Tensor forward(const TorchProblem& problem) const override {
    for (const Slot& slot : slots_) slot.owner.setattr(slot.name, problem.parameters[slot.piece]);
    // The optimising executor differentiates by its own rules, not always twice.
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    const std::int64_t records = problem.inputs.size(0);
    const torch::jit::IValue result = module_.forward({problem.inputs.view(record_shape(options_.input))});
    if (!result.isTensor())
      fail(Fault::kData, fmt::format("{}: forward gives a {}, expected one tensor", name_, result.tagKind()));
    Tensor out = result.toTensor();
    check_output(out, records, problem.inputs.scalar_type());
    return out;
  }

 private:
  struct Slot {
    mutable torch::jit::Module owner;
    std::string name;
    std::size_t piece;
  };

  void check_output(const Tensor& out, std::int64_t records, torch::Dtype dtype) const {
    if (out.scalar_type() != dtype) {
      fail(Fault::kData, fmt::format("{}: forward gives numbers of type {} for records of type {}", name_,
                                     c10::toString(out.scalar_type()), c10::toString(dtype)));
    }
    const bool known = options_.outputs != 0;
    if (out.dim() != 2 || out.size(0) != records || out.size(1) == 0 ||
        (known && out.size(1) != signed_size(options_.outputs))) {
      fail(Fault::kData,
           fmt::format("{}: forward gives {} for {} records, expected {} x {}", name_, shape_text(out),
                       records, records, known ? std::to_string(options_.outputs) : "outputs"));
    }
  }

  mutable torch::jit::Module module_;
  ScriptOptions options_;
  std::string name_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::int64_t>> pieces_;
};

/// Parameters and buffers follow the precision of the evaluation; whole numbers stay what they are, and what
/// is one tensor in two places stays one.
void convert_tensors(const torch::jit::Module& root, torch::Dtype dtype) {
  std::map<const void*, Tensor> converted;
  for (torch::jit::Module module : root.modules()) {
    for (const auto& [name, value] : module.named_attributes(/*recurse=*/false)) {
      if (!value.isTensor() || !value.toTensor().is_floating_point()) continue;
      const Tensor tensor = value.toTensor();
      Tensor& twin = converted[tensor.unsafeGetTensorImpl()];
      if (!twin.defined()) twin = tensor.detach().to(dtype).requires_grad_(tensor.requires_grad());
      module.setattr(name, twin);
    }
  }
}

torch::jit::Module open_module(const std::filesystem::path& path) {
  const Bytes bytes = read_bytes(path);
  check_script_file(bytes);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  return in_torch(Fault::kData, "libtorch cannot load it", [&] {
    torch::jit::Module module = torch::jit::load(stream, torch::kCPU);
    module.eval();
    return module;
  });
}

/// One record and three: what a module fixed to the batch it was traced with gets wrong.
constexpr std::array<std::size_t, 2> kProbes = {1, 3};

std::vector<double> probe_values(std::size_t count) {
  Stream stream({.purpose = Purpose::kTest});
  std::vector<double> values(count);
  for (double& value : values) value = stream.uniform();
  return values;
}

/// A few records with the file's parameters.
template <class Real>
struct Probe {
  Probe(const LoadedScript& script, const TorchNetwork& network, std::size_t rows)
      : parameters(script.start.begin(), script.start.end()), targets(rows * network.output_size()) {
    const std::vector<double> values = probe_values(rows * network.input_size());
    records.assign(values.begin(), values.end());
    problems.rows = rows;
    problems.parameters = parameters;
    problems.inputs = records;
    problems.targets = targets;
  }
  std::vector<Real> parameters, records, targets;
  Problems<Real> problems;
};

std::size_t find_outputs(const LoadedScript& script) {
  const auto network = make_script_network(script, torch::kFloat64);
  return in_torch(Fault::kData, script.name + " cannot be evaluated", [&] {
    const torch::NoGradGuard no_graph;
    const Probe<double> probe(script, *network, 1);
    return static_cast<std::size_t>(
        network->forward(to_problem(*network, probe.problems, 0, Follow::kNothing)).size(1));
  });
}

void check_outputs(const Tensor& once, const Tensor& again, const std::string& name) {
  if (!once.requires_grad())
    fail(Fault::kData, name + ": the outputs do not depend on the parameters by differentiable operations");
  if (!torch::equal(once.nan_to_num(), again.nan_to_num()))
    fail(Fault::kData,
         name + ": forward gives different outputs for the same records; leave out what is random");
}

/// Gradient and pullback of a few records, in the engine's own way.
template <class Real>
void check_evaluation(const LoadedScript& script, std::size_t rows) {
  std::shared_ptr<const TorchNetwork> network = make_script_network(script, kDtype<Real>);
  const Probe<Real> probe(script, *network, rows);
  in_torch(Fault::kData, script.name + " cannot be evaluated", [&] {
    const TorchProblem problem = to_problem(*network, probe.problems, 0, Follow::kParameters);
    check_outputs(network->forward(problem), network->forward(problem), script.name);
  });
  TorchEvaluation<Real> evaluation(network);
  std::vector<Real> gradient(probe.parameters.size()), pulled(probe.records.size()), loss(1);
  evaluation.gradients(probe.problems, loss, gradient);
  evaluation.pullbacks(probe.parameters, {pulled, {}, {}});
}

}  // namespace

bool is_supported(torch::Dtype dtype) {
  return dtype == torch::kFloat32 || dtype == torch::kFloat64;
}

torch::jit::Module load_checked_module(const std::filesystem::path& path) {
  torch::jit::Module module = open_module(path);
  in_torch(Fault::kData, "libtorch cannot compile it", [&] { check_operators(module); });
  return module;
}

LoadedScript load_script_file(const std::filesystem::path& path, const ScriptOptions& options) {
  return with_context(path.string(), [&] {
    LoadedScript script{load_checked_module(path), path.filename().string(), options, {}};
    if (options.central_differences) script.pullback->use_differences(PullbackMethod::Reason::kAskedFor);
    for (const ScriptParameter& parameter : trained_parameters(script.module)) {
      const std::size_t offset = script.start.size();
      script.start.resize(offset + static_cast<std::size_t>(parameter.value.numel()));
      copy_to<double>(parameter.value, std::span(script.start).subspan(offset));
    }
    if (!std::ranges::all_of(script.start, [](double value) { return std::isfinite(value); }))
      fail(Fault::kData, "a parameter is not a finite number");
    if (script.options.outputs == 0) script.options.outputs = find_outputs(script);
    for (const std::size_t rows : kProbes) {
      check_evaluation<float>(script, rows);
      check_evaluation<double>(script, rows);
    }
    return script;
  });
}

std::unique_ptr<TorchNetwork> make_script_network(const LoadedScript& script, torch::Dtype dtype) {
  torch::jit::Module copy = script.module.deepcopy();
  convert_tensors(copy, dtype);
  return std::make_unique<ScriptNetwork>(std::move(copy), script);
}

Json describe_script(const LoadedScript& script) {
  Json parameters = Json::array();
  for (const ScriptParameter& parameter : trained_parameters(script.module)) {
    parameters.push_back({{"name", parameter.names.front()}, {"shape", parameter.value.sizes().vec()}});
  }
  Json document{{"engine", "torch"}, {"script", script.name}, {"parameters", std::move(parameters)}};
  if (script.pullback->by_differences()) document["pullback"] = script.pullback->note();
  return document;
}

}  // namespace earshot
