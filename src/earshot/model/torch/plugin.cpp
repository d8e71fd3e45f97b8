// The models of the torch engine, and the entry by which a program that loads it gets them.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/model/torch/evaluation.hpp"
#include "earshot/model/torch/network.hpp"
#include "earshot/model/torch/perceptual.hpp"
#include "earshot/model/torch/script.hpp"
#include "earshot/model/torch/tensors.hpp"
#include "earshot/model/torch_engine.hpp"

namespace earshot {
namespace {

class LayeredModel : public Model {
 public:
  explicit LayeredModel(Architecture architecture)
      : network_(std::make_shared<LayeredNetwork>(std::move(architecture))) {}

  std::size_t parameter_count() const override { return network_->parameter_count(); }
  std::size_t input_size() const override { return network_->input_size(); }
  std::size_t output_size() const override { return network_->output_size(); }
  LossKind loss() const override { return network_->loss(); }
  void initialise(Stream& stream, std::span<double> parameters) const override {
    earshot::initialise(network_->architecture(), stream, parameters);
  }
  Json describe() const override {
    Json document = earshot::describe(network_->architecture());
    document["engine"] = "torch";
    return document;
  }
  std::string pullback_note() const override { return network_->pullback_method().note(); }

  std::span<const double> buffers() const override { return network_->buffers(); }
  void set_buffers(std::span<const double> buffers) override {
    if (buffers.size() != network_->buffers().size()) {
      fail(Fault::kInternal, fmt::format("{} has {} running statistics, got {}", network_->name(),
                                         network_->buffers().size(), buffers.size()));
    }
    std::ranges::copy(buffers, network_->buffers().begin());
  }
  void observe(const Problems<double>& problems, double momentum) override;

  std::unique_ptr<Evaluation<double>> evaluation() const override {
    return std::make_unique<TorchEvaluation<double>>(network_);
  }
  std::unique_ptr<Evaluation<float>> fast_evaluation() const override {
    return std::make_unique<TorchEvaluation<float>>(network_);
  }

 private:
  std::shared_ptr<LayeredNetwork> network_;
};

void LayeredModel::observe(const Problems<double>& problems, double momentum) {
  if (problems.count != 1) fail(Fault::kInternal, "running statistics follow one batch at a time");
  std::vector<double>& running = network_->buffers();
  std::vector<double> observed = running;
  in_torch(Fault::kInternal, network_->name() + " cannot be evaluated", [&] {
    const torch::NoGradGuard no_graph;
    TorchProblem problem = to_problem(*network_, problems, 0, Follow::kNothing);
    problem.observed = observed;
    network_->forward(problem);
  });
  for (std::size_t i = 0; i < running.size(); ++i)
    running[i] = (1 - momentum) * running[i] + momentum * observed[i];
}

class ScriptModel : public Model {
 public:
  explicit ScriptModel(LoadedScript script) : script_(std::move(script)) {}

  std::size_t parameter_count() const override { return script_.start.size(); }
  std::size_t input_size() const override { return script_.options.input.size(); }
  std::size_t output_size() const override { return script_.options.outputs; }
  LossKind loss() const override { return script_.options.loss; }
  void initialise(Stream&, std::span<double> parameters) const override {
    if (parameters.size() != script_.start.size()) {
      fail(Fault::kInternal, fmt::format("{} has {} parameters, got room for {}", script_.name,
                                         script_.start.size(), parameters.size()));
    }
    std::ranges::copy(script_.start, parameters.begin());
  }
  Json describe() const override { return describe_script(script_); }
  std::string pullback_note() const override { return script_.pullback->note(); }
  std::span<const double> buffers() const override { return {}; }
  void set_buffers(std::span<const double> buffers) override {
    if (!buffers.empty()) fail(Fault::kInternal, script_.name + " keeps no running statistics of ours");
  }
  void observe(const Problems<double>&, double) override {}
  std::unique_ptr<Evaluation<double>> evaluation() const override {
    return std::make_unique<TorchEvaluation<double>>(make_script_network(script_, torch::kFloat64));
  }
  std::unique_ptr<Evaluation<float>> fast_evaluation() const override {
    return std::make_unique<TorchEvaluation<float>>(make_script_network(script_, torch::kFloat32));
  }

 private:
  LoadedScript script_;
};

class Engine : public TorchEngine {
 public:
  std::unique_ptr<Model> make(Architecture architecture) const override {
    return std::make_unique<LayeredModel>(std::move(architecture));
  }
  std::unique_ptr<Model> load_script(const std::filesystem::path& path,
                                     const ScriptOptions& options) const override {
    return std::make_unique<ScriptModel>(load_script_file(path, options));
  }
  std::unique_ptr<PerceptualDistance> load_perceptual_distance(
      const std::filesystem::path& path) const override {
    return load_perceptual_script(path);
  }
};

}  // namespace
}  // namespace earshot

/// The engine, or null for a program that was compiled for another version of the seam.
extern "C" __attribute__((visibility("default"))) const earshot::TorchEngine* earshot_torch_engine(
    int version) {
  static const earshot::Engine engine;
  return version == earshot::kTorchSeamVersion ? &engine : nullptr;
}
