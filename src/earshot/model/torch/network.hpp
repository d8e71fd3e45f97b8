// A network as torch sees it: a differentiable function of its parameter tensors and a problem's data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "earshot/core/error.hpp"
#include "earshot/model/model.hpp"

namespace earshot {

/// What goes into a layer with parameters and what comes out of it, for the gradients of single rows.
struct LayerTrace {
  const PlacedLayer* place = nullptr;
  std::vector<torch::Tensor> parameters;
  std::span<const double> buffers;
  torch::Tensor in;
  torch::Tensor out;
};

/// One problem as tensors.
struct TorchProblem {
  std::vector<torch::Tensor> parameters;  // one per piece of the network
  torch::Tensor inputs;                   // rows x input_size
  torch::Tensor adjacency;                // edges; undefined without a graph
  const GraphPattern* graph = nullptr;
  std::optional<std::uint64_t> dropout{};
  std::size_t first_row = 0;  // number of the first record in its batch: dropout masks are named by rows
  bool predicting = false;    // batch norm uses its buffers
  std::vector<LayerTrace>* trace = nullptr;
  std::span<double> observed{};  // not empty: where batch norm writes its batch mean and unbiased variance
};

/// How a model's pullbacks are computed. Its evaluations share one, so that what one finds out all know.
class PullbackMethod {
 public:
  enum class Reason { kNone, kNoSecondDerivative, kAskedFor };

  bool by_differences() const { return reason_ != Reason::kNone; }
  void use_differences(Reason reason) { reason_ = reason; }
  /// For Model::pullback_note.
  std::string note() const;

 private:
  std::atomic<Reason> reason_ = Reason::kNone;
};

class TorchNetwork {
 public:
  explicit TorchNetwork(std::shared_ptr<PullbackMethod> pullback = std::make_shared<PullbackMethod>())
      : pullback_(std::move(pullback)) {}
  virtual ~TorchNetwork() = default;

  PullbackMethod& pullback_method() const { return *pullback_; }

  /// Shapes of the parameter tensors; one after the other they are the flat parameter vector.
  virtual const std::vector<std::vector<std::int64_t>>& pieces() const = 0;
  virtual std::size_t input_size() const = 0;
  virtual std::size_t output_size() const = 0;
  virtual LossKind loss() const = 0;
  virtual Reduction reduction() const = 0;
  virtual bool reads_out() const { return false; }
  virtual bool needs_graph() const { return false; }
  virtual bool uses_batch_statistics() const { return false; }

  /// Outputs before the loss: target rows x output_size.
  virtual torch::Tensor forward(const TorchProblem& problem) const = 0;

  /// Made of our layers, which keep rows apart: then the norms of the rows' gradients follow from the traces.
  virtual bool traceable() const { return false; }

  /// Whose fault it is, and what to say first, when libtorch cannot run it.
  virtual Fault fault() const { return Fault::kInternal; }
  virtual std::string name() const = 0;

  std::size_t parameter_count() const;

 private:
  std::shared_ptr<PullbackMethod> pullback_;
};

/// Layers of an Architecture.
class LayeredNetwork : public TorchNetwork {
 public:
  explicit LayeredNetwork(Architecture architecture);
  LayeredNetwork(const LayeredNetwork&) = delete;
  LayeredNetwork& operator=(const LayeredNetwork&) = delete;

  const Architecture& architecture() const { return architecture_; }
  std::span<const PlacedLayer> places() const { return places_; }
  std::vector<double>& buffers() { return buffers_; }
  const std::vector<double>& buffers() const { return buffers_; }

  const std::vector<std::vector<std::int64_t>>& pieces() const override { return pieces_; }
  std::size_t input_size() const override { return architecture_.input.size(); }
  std::size_t output_size() const override { return output_size_; }
  LossKind loss() const override { return architecture_.loss; }
  Reduction reduction() const override { return architecture_.reduction; }
  bool reads_out() const override { return reads_out_; }
  bool needs_graph() const override { return needs_graph_; }
  bool uses_batch_statistics() const override { return uses_batch_statistics_; }
  torch::Tensor forward(const TorchProblem& problem) const override;
  bool traceable() const override { return !needs_graph_ && !uses_batch_statistics_; }
  std::string name() const override { return "network " + architecture_.name; }

 private:
  struct Walk;
  torch::Tensor run(const std::vector<Layer>& layers, torch::Tensor x, Walk& walk) const;
  torch::Tensor run(const Parallel& block, const torch::Tensor& x, Walk& walk) const;
  torch::Tensor run_leaf(const Layer& layer, const torch::Tensor& x, Walk& walk) const;

  Architecture architecture_;
  std::vector<PlacedLayer> places_;
  std::vector<std::size_t> first_piece_;  // of each place
  std::vector<std::vector<std::int64_t>> pieces_;
  std::vector<double> buffers_;
  std::size_t output_size_ = 0;
  bool reads_out_ = false;
  bool needs_graph_ = false;
  bool uses_batch_statistics_ = false;
};

}  // namespace earshot
