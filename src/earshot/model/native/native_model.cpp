#include "earshot/model/native/native_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/model/native/evaluation.hpp"

namespace earshot {
namespace {

class NativeModel final : public Model {
 public:
  explicit NativeModel(Architecture architecture)
      : network_(std::make_shared<NativeNetwork>(std::move(architecture))) {}

  std::size_t parameter_count() const override { return network_->parameters; }
  std::size_t input_size() const override { return network_->inputs; }
  std::size_t output_size() const override { return network_->outputs; }
  LossKind loss() const override { return network_->architecture.loss; }
  void initialise(Stream& stream, std::span<double> parameters) const override {
    earshot::initialise(network_->architecture, stream, parameters);
  }
  Json describe() const override {
    Json document = earshot::describe(network_->architecture);
    document["engine"] = "native";
    return document;
  }

  std::span<const double> buffers() const override { return network_->buffers; }
  void set_buffers(std::span<const double> buffers) override {
    if (buffers.size() != network_->buffers.size()) {
      fail(Fault::kInternal, "the model has another number of buffers");
    }
    std::ranges::copy(buffers, network_->buffers.begin());
  }
  void observe(const Problems<double>& problems, double momentum) override {
    if (network_->buffers.empty() || problems.count * problems.rows == 0) return;
    if (!observer_) observer_ = std::make_unique<NativeEvaluation<double>>(network_);
    observer_->observe(problems, momentum, network_->buffers);
  }

  std::unique_ptr<Evaluation<double>> evaluation() const override {
    return std::make_unique<NativeEvaluation<double>>(network_);
  }
  std::unique_ptr<Evaluation<float>> fast_evaluation() const override {
    return std::make_unique<NativeEvaluation<float>>(network_);
  }

 private:
  std::shared_ptr<NativeNetwork> network_;
  std::unique_ptr<NativeEvaluation<double>> observer_;
};

}  // namespace

std::unique_ptr<Model> make_native_model(Architecture architecture) {
  return std::make_unique<NativeModel>(std::move(architecture));
}

}  // namespace earshot
