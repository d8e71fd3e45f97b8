#include "earshot/model/torch/layers.hpp"

#include <limits>
#include <tuple>

#include "earshot/core/error.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;
using Sizes = std::vector<std::int64_t>;

// exp(-40) is below the rounding of a double beside 40: from here on softplus(x) is x.
constexpr double kSoftplusIsIdentity = 40;
constexpr double kLeakySlope = 0.2;

Tensor exact_softplus(const Tensor& x) {
  return torch::softplus(x, 1, kSoftplusIsIdentity);
}

/// Rows of one number per feature, as every later layer expects them.
Tensor as_planes(const Tensor& rows) {
  return rows.unsqueeze(2).unsqueeze(3);
}

Tensor bias_or_none(bool bias, Pieces parameters) {
  return bias ? parameters.back() : Tensor{};
}

Tensor scaled_up(const Tensor& rows, const Tensor& weights, const Tensor& bias) {
  return bias.defined() ? torch::linear(rows, weights, bias) : torch::linear(rows, weights);
}

struct PieceShapes {
  Sizes in_and_out(std::size_t outputs) const { return {signed_size(outputs), signed_size(place.in.size())}; }
  static void add_bias(std::vector<Sizes>& shapes, bool bias, std::size_t outputs) {
    if (bias) shapes.push_back({signed_size(outputs)});
  }

  std::vector<Sizes> operator()(const Dense& layer) const {
    std::vector<Sizes> shapes{in_and_out(layer.outputs)};
    add_bias(shapes, layer.bias, layer.outputs);
    return shapes;
  }
  std::vector<Sizes> operator()(const Convolve& layer) const {
    std::vector<Sizes> shapes{{signed_size(layer.channels), signed_size(place.in.channels),
                               signed_size(layer.kernel_height), signed_size(layer.kernel_width)}};
    add_bias(shapes, layer.bias, layer.channels);
    return shapes;
  }
  std::vector<Sizes> operator()(const BatchNorm&) const {
    return {{signed_size(place.in.channels)}, {signed_size(place.in.channels)}};
  }
  std::vector<Sizes> operator()(const GraphConvolve& layer) const {
    std::vector<Sizes> shapes{in_and_out(layer.outputs)};
    add_bias(shapes, layer.bias, layer.outputs);
    return shapes;
  }
  std::vector<Sizes> operator()(const GraphAttend& layer) const {
    const Sizes vectors{signed_size(layer.heads), signed_size(layer.width)};
    std::vector<Sizes> shapes{in_and_out(layer.heads * layer.width), vectors, vectors};
    const std::size_t outputs = place.out.size();
    if (layer.skip && outputs != place.in.size()) shapes.push_back(in_and_out(outputs));
    add_bias(shapes, layer.bias, outputs);
    return shapes;
  }
  template <class WithoutParameters>
  std::vector<Sizes> operator()(const WithoutParameters&) const {
    return {};
  }

  const PlacedLayer& place;
};

/// Velickovic et al. 2018, eq. (1)-(3), one head: rows of alpha sum to 1. Subtracting the row's largest e_ij
/// changes nothing but keeps the exponentials finite, so it needs no derivative.
Tensor attention(const Tensor& h, const Tensor& source, const Tensor& target, const Tensor& adjacency,
                 const Tensor& mask) {
  const Tensor scores =
      torch::leaky_relu(torch::mv(h, source).unsqueeze(1) + torch::mv(h, target).unsqueeze(0), kLeakySlope);
  const Tensor heard = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  const Tensor largest = std::get<0>(heard.detach().max(1, true));
  const Tensor weights = adjacency * torch::exp(heard - largest);
  return weights / weights.sum(1, true);
}

Tensor skip_connection(const Tensor& rows, const Tensor& out, const GraphAttend& layer, Pieces parameters) {
  if (!layer.skip) return out;
  if (rows.size(1) == out.size(1)) return out + rows;
  return out + torch::linear(rows, parameters[3]);
}

Tensor with_self_loops(const Tensor& adjacency) {
  return adjacency + torch::eye(adjacency.size(0), adjacency.options());
}

Tensor edge_positions(const GraphPattern& pattern) {
  Tensor positions = torch::empty({signed_size(pattern.edges())}, torch::kInt64);
  auto* data = positions.data_ptr<std::int64_t>();
  for (std::size_t node = 0; node < pattern.nodes; ++node) {
    for (std::size_t e = pattern.row_starts[node]; e < pattern.row_starts[node + 1]; ++e)
      data[e] = signed_size(node * pattern.nodes + pattern.columns[e]);
  }
  return positions;
}

}  // namespace

std::vector<Sizes> piece_shapes(const PlacedLayer& place) {
  return std::visit(PieceShapes{place}, *place.layer);
}

Tensor dense(const Dense& layer, Pieces parameters, const Tensor& x) {
  return as_planes(scaled_up(x.flatten(1), parameters[0], bias_or_none(layer.bias, parameters)));
}

Tensor activate(ActivationKind kind, const Tensor& x) {
  switch (kind) {
    case ActivationKind::kSigmoid:
      return torch::sigmoid(x);
    case ActivationKind::kTanh:
      return torch::tanh(x);
    case ActivationKind::kRelu:
      return torch::relu(x);
    case ActivationKind::kSoftplus:
      return exact_softplus(x);
    case ActivationKind::kGelu:
      return torch::gelu(x);
    case ActivationKind::kElu:
      return torch::elu(x);
    case ActivationKind::kLeakyRelu:
      return torch::leaky_relu(x, kLeakySlope);
  }
  fail(Fault::kInternal, "unknown activation");
}

Tensor convolve(const Convolve& layer, Pieces parameters, const Tensor& x) {
  return torch::conv2d(x, parameters[0], bias_or_none(layer.bias, parameters), signed_size(layer.stride),
                       {signed_size(layer.padding_height), signed_size(layer.padding_width)});
}

Tensor pool(const Pool& layer, const Tensor& x) {
  Sizes kernel(2, signed_size(layer.kernel));
  Sizes stride(2, signed_size(layer.stride));
  if (layer.kernel == 0) stride = kernel = {x.size(2), x.size(3)};
  return layer.kind == PoolKind::kMax ? torch::max_pool2d(x, kernel, stride, 0, 1, layer.ceil)
                                      : torch::avg_pool2d(x, kernel, stride, 0, layer.ceil);
}

ChannelStatistics batch_statistics(const Tensor& x) {
  const auto [variance, mean] = torch::var_mean(x, {0, 2, 3}, /*unbiased=*/true);
  return {mean, variance};
}

ChannelStatistics stored_statistics(std::span<const double> buffers, const Tensor& like) {
  const std::int64_t channels = like.size(1);
  const Tensor both = torch::from_blob(const_cast<double*>(buffers.data()), {2, channels}, torch::kFloat64)
                          .to(like.options(), /*non_blocking=*/false, /*copy=*/true);
  return {both[0], both[1]};
}

Tensor normalise(const ChannelStatistics& statistics, double epsilon, const Tensor& x) {
  return (x - as_planes(statistics.mean.unsqueeze(0))) *
         as_planes(torch::rsqrt(statistics.variance + epsilon).unsqueeze(0));
}

Tensor batch_norm(const BatchNorm& layer, Pieces parameters, const std::optional<ChannelStatistics>& stored,
                  const Tensor& x) {
  const ChannelStatistics statistics = stored.value_or(ChannelStatistics{});
  return torch::batch_norm(x, parameters[0], parameters[1], statistics.mean, statistics.variance,
                           /*training=*/!stored, /*momentum=*/0, layer.epsilon, /*cudnn_enabled=*/false);
}

Tensor dense_adjacency(const GraphPattern& pattern, const Tensor& edges) {
  const std::int64_t nodes = signed_size(pattern.nodes);
  return torch::zeros({nodes * nodes}, edges.options())
      .index_add(0, edge_positions(pattern), edges)
      .view({nodes, nodes});
}

Tensor dense_mask(const GraphPattern& pattern) {
  const std::int64_t nodes = signed_size(pattern.nodes);
  const Tensor listed =
      torch::zeros({nodes * nodes}, torch::kBool).index_fill(0, edge_positions(pattern), true);
  return listed.view({nodes, nodes}).logical_or(torch::eye(nodes, torch::kBool));
}

Tensor graph_convolve(const GraphConvolve& layer, Pieces parameters, const Tensor& adjacency,
                      const Tensor& x) {
  const Tensor looped = with_self_loops(adjacency);
  const Tensor degrees = looped.sum(1);
  if (degrees.le(0).any().item<bool>())
    fail(Fault::kNumeric, "a graph convolution needs positive degrees: keep the adjacency above -1 in sum");
  const Tensor scale = torch::rsqrt(degrees);
  const Tensor mixing = scale.unsqueeze(1) * looped * scale.unsqueeze(0);
  const Tensor mixed = torch::mm(mixing, torch::linear(x.flatten(1), parameters[0]));
  return as_planes(layer.bias ? mixed + parameters[1] : mixed);
}

Tensor graph_attend(const GraphAttend& layer, Pieces parameters, const Tensor& adjacency, const Tensor& mask,
                    const Tensor& x) {
  const Tensor rows = x.flatten(1);
  const Tensor looped = with_self_loops(adjacency);
  const std::vector<Tensor> projected = torch::linear(rows, parameters[0]).split(signed_size(layer.width), 1);
  std::vector<Tensor> heads;
  for (std::size_t head = 0; head < layer.heads; ++head) {
    const Tensor& h = projected[head];
    const std::int64_t index = signed_size(head);
    heads.push_back(torch::mm(attention(h, parameters[1][index], parameters[2][index], looped, mask), h));
  }
  const bool concatenated = layer.heads_join == Join::kConcatenate;
  Tensor out = concatenated ? torch::cat(heads, 1) : torch::stack(heads).mean(0);
  out = skip_connection(rows, out, layer, parameters);
  return as_planes(layer.bias ? out + parameters.back() : out);
}

Tensor read_out(ReadOutKind kind, const GraphPattern& pattern, const Tensor& x) {
  std::vector<Tensor> graphs;
  for (std::size_t g = 0; g < pattern.graphs(); ++g) {
    const Tensor nodes =
        x.slice(0, signed_size(pattern.graph_starts[g]), signed_size(pattern.graph_starts[g + 1]));
    graphs.push_back(kind == ReadOutKind::kMean  ? nodes.mean(0)
                     : kind == ReadOutKind::kSum ? nodes.sum(0)
                                                 : std::get<0>(nodes.max(0)));
  }
  return torch::stack(graphs);
}

Tensor row_losses(LossKind loss, const Tensor& outputs, const Tensor& targets) {
  switch (loss) {
    case LossKind::kSoftmaxCrossEntropy:
      return targets.sum(1) * torch::logsumexp(outputs, 1) - (targets * outputs).sum(1);
    case LossKind::kBinaryCrossEntropy:
      return (exact_softplus(outputs) - targets * outputs).mean(1);
    case LossKind::kMeanSquared:
      return (outputs - targets).square().mean(1);
  }
  fail(Fault::kInternal, "unknown loss");
}

}  // namespace earshot
