// The layers of an architecture as torch expressions. Activations are rows x channels x height x width; graph
// layers work on dense matrices: they are there to be right, the native engine to be fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "earshot/model/model.hpp"

namespace earshot {

using Pieces = std::span<const torch::Tensor>;

/// Shapes of a layer's parameter tensors, in the order of the flat vector.
std::vector<std::vector<std::int64_t>> piece_shapes(const PlacedLayer& place);

torch::Tensor dense(const Dense& layer, Pieces parameters, const torch::Tensor& x);
torch::Tensor activate(ActivationKind kind, const torch::Tensor& x);
torch::Tensor convolve(const Convolve& layer, Pieces parameters, const torch::Tensor& x);
torch::Tensor pool(const Pool& layer, const torch::Tensor& x);

struct ChannelStatistics {
  torch::Tensor mean;
  torch::Tensor variance;
};
/// Unbiased variance, as running statistics want it.
ChannelStatistics batch_statistics(const torch::Tensor& x);
ChannelStatistics stored_statistics(std::span<const double> buffers, const torch::Tensor& like);
/// (x - mean) / sqrt(variance + epsilon).
torch::Tensor normalise(const ChannelStatistics& statistics, double epsilon, const torch::Tensor& x);
/// Without stored statistics: those of the batch.
torch::Tensor batch_norm(const BatchNorm& layer, Pieces parameters,
                         const std::optional<ChannelStatistics>& stored, const torch::Tensor& x);

/// A as a dense matrix, without self-loops, from the values of its edges.
torch::Tensor dense_adjacency(const GraphPattern& pattern, const torch::Tensor& edges);
/// Where a node listens: its edges and itself.
torch::Tensor dense_mask(const GraphPattern& pattern);

torch::Tensor graph_convolve(const GraphConvolve& layer, Pieces parameters, const torch::Tensor& adjacency,
                             const torch::Tensor& x);
torch::Tensor graph_attend(const GraphAttend& layer, Pieces parameters, const torch::Tensor& adjacency,
                           const torch::Tensor& mask, const torch::Tensor& x);
torch::Tensor read_out(ReadOutKind kind, const GraphPattern& pattern, const torch::Tensor& x);

/// Loss of every row of outputs.
torch::Tensor row_losses(LossKind loss, const torch::Tensor& outputs, const torch::Tensor& targets);

}  // namespace earshot
