#include "earshot/model/torch/network.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/model/dropout_mask.hpp"
#include "earshot/model/torch/layers.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;

bool uses_batch(const PlacedLayer& place) {
  const auto* norm = std::get_if<BatchNorm>(place.layer);
  return norm != nullptr && !norm->frozen;
}

}  // namespace

std::string PullbackMethod::note() const {
  if (!by_differences()) return {};
  const bool asked = reason_ == Reason::kAskedFor;
  return std::string("central difference of input gradients: ") +
         (asked ? "asked for" : "this model offers no second derivative");
}

std::size_t TorchNetwork::parameter_count() const {
  std::size_t count = 0;
  for (const auto& shape : pieces()) count += values_in(shape);
  return count;
}

LayeredNetwork::LayeredNetwork(Architecture architecture)
    : architecture_(std::move(architecture)),
      places_(place(architecture_)),
      buffers_(earshot::buffer_count(architecture_)),
      output_size_(output_shape(architecture_).size()),
      reads_out_(has_read_out(architecture_)),
      needs_graph_(is_graph_network(architecture_)),
      uses_batch_statistics_(std::ranges::any_of(places_, uses_batch)) {
  initialise_buffers(architecture_, buffers_);
  for (const PlacedLayer& place : places_) {
    first_piece_.push_back(pieces_.size());
    for (auto& shape : piece_shapes(place)) pieces_.push_back(std::move(shape));
  }
  first_piece_.push_back(pieces_.size());
}

/// The way through the layers, depth first as they are placed.
struct LayeredNetwork::Walk {
  const TorchProblem& problem;
  std::size_t place = 0;
  Tensor adjacency{};  // dense, made by the first layer that needs it
  Tensor mask{};
};

Tensor LayeredNetwork::forward(const TorchProblem& problem) const {
  const Shape& shape = architecture_.input;
  Walk walk{problem};
  if (needs_graph_) {
    walk.adjacency = dense_adjacency(*problem.graph, problem.adjacency);
    walk.mask = dense_mask(*problem.graph);
  }
  const Tensor planes = problem.inputs.view({problem.inputs.size(0), signed_size(shape.channels),
                                             signed_size(shape.height), signed_size(shape.width)});
  return run(architecture_.layers, planes, walk).flatten(1);
}

Tensor LayeredNetwork::run(const std::vector<Layer>& layers, Tensor x, Walk& walk) const {
  for (const Layer& layer : layers) {
    const auto* block = std::get_if<Parallel>(&layer);
    x = block != nullptr ? run(*block, x, walk) : run_leaf(layer, x, walk);
  }
  return x;
}

Tensor LayeredNetwork::run(const Parallel& block, const Tensor& x, Walk& walk) const {
  std::vector<Tensor> results;
  for (const std::vector<Layer>& branch : block.branches) results.push_back(run(branch, x, walk));
  if (block.join == Join::kConcatenate) return torch::cat(results, 1);
  Tensor sum = results.front();
  for (std::size_t i = 1; i < results.size(); ++i) sum = sum + results[i];
  return sum;
}

namespace {

/// One leaf layer: what it is given besides its input.
struct RunLeaf {
  Tensor operator()(const Dense& layer) const { return dense(layer, parameters, x); }
  Tensor operator()(const Activate& layer) const { return activate(layer.kind, x); }
  Tensor operator()(const Convolve& layer) const { return convolve(layer, parameters, x); }
  Tensor operator()(const Pool& layer) const { return pool(layer, x); }
  Tensor operator()(const BatchNorm& layer) const {
    if (layer.frozen || problem.predicting)
      return batch_norm(layer, parameters, stored_statistics(buffers, x), x);
    if (!problem.observed.empty()) observe();
    return batch_norm(layer, parameters, std::nullopt, x);
  }
  Tensor operator()(const Dropout& layer) const { return drop(layer); }
  Tensor operator()(const GraphConvolve& layer) const {
    return graph_convolve(layer, parameters, adjacency, x);
  }
  Tensor operator()(const GraphAttend& layer) const {
    return graph_attend(layer, parameters, adjacency, mask, x);
  }
  Tensor operator()(const ReadOut& layer) const { return read_out(layer.kind, *problem.graph, x); }
  Tensor operator()(const Parallel&) const { fail(Fault::kInternal, "a parallel block is not a leaf"); }

  void observe() const;
  Tensor drop(const Dropout& layer) const;

  const TorchProblem& problem;
  const PlacedLayer& place;
  Pieces parameters;
  std::span<const double> buffers;
  const Tensor& adjacency;
  const Tensor& mask;
  const Tensor& x;
};

void RunLeaf::observe() const {
  const ChannelStatistics statistics = batch_statistics(x.detach());
  const std::span<double> out = problem.observed.subspan(place.buffer_offset, place.buffer_count);
  copy_to<double>(statistics.mean, out.first(place.in.channels));
  copy_to<double>(statistics.variance, out.subspan(place.in.channels));
}

Tensor RunLeaf::drop(const Dropout& layer) const {
  if (!problem.dropout) return x;
  const std::size_t size = place.in.size();
  std::vector<double> masks(static_cast<std::size_t>(x.size(0)) * size);
  for (std::size_t row = 0; row * size < masks.size(); ++row) {
    dropout_mask(*problem.dropout, place.name, problem.first_row + row, layer.rate,
                 std::span(masks).subspan(row * size, size));
  }
  return x * to_tensor<double>(masks, x.sizes()).to(x.dtype());
}

}  // namespace

Tensor LayeredNetwork::run_leaf(const Layer& layer, const Tensor& x, Walk& walk) const {
  const std::size_t index = walk.place++;
  const PlacedLayer& place = places_[index];
  const Pieces parameters = Pieces(walk.problem.parameters)
                                .subspan(first_piece_[index], first_piece_[index + 1] - first_piece_[index]);
  const auto buffers = std::span(buffers_).subspan(place.buffer_offset, place.buffer_count);
  Tensor out = std::visit(RunLeaf{walk.problem, place, parameters, buffers, walk.adjacency, walk.mask, x},
                          static_cast<const Layer::variant&>(layer));
  if (walk.problem.trace != nullptr && !parameters.empty())
    walk.problem.trace->push_back({&place, {parameters.begin(), parameters.end()}, buffers, x, out});
  return out;
}

}  // namespace earshot
