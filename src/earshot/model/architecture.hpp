// What a network is made of, as data: both engines build it, checkpoints store it, `earshot model` prints it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/shape.hpp"

namespace earshot {

enum class ActivationKind { kSigmoid, kTanh, kRelu, kSoftplus, kGelu, kElu, kLeakyRelu };
enum class PoolKind { kMax, kMean };
enum class ReadOutKind { kMean, kSum, kMax };
enum class Join { kAdd, kConcatenate };

/// W x + b on the flattened record. Parameters: W[outputs][inputs], b[outputs].
struct Dense {
  std::size_t outputs = 0;
  bool bias = true;
};
/// Element by element; the derivative of ReLU at 0 is 0. GELU is the exact one, x Phi(x); leaky ReLU has
/// slope 0.2 (GAT's).
struct Activate {
  ActivationKind kind = ActivationKind::kRelu;
};
/// Cross-correlation with zero padding; a 1-D convolution has kernel height 1. Parameters:
/// W[channels][in][ky][kx], b[channels].
struct Convolve {
  std::size_t channels = 0;
  std::size_t kernel_height = 1;
  std::size_t kernel_width = 1;
  std::size_t stride = 1;
  std::size_t padding_height = 0;
  std::size_t padding_width = 0;
  bool bias = true;
};
/// Square windows without padding; kernel 0 is the whole plane. With `ceil` a last, cut-off window is kept.
struct Pool {
  PoolKind kind = PoolKind::kMax;
  std::size_t kernel = 2;
  std::size_t stride = 2;
  bool ceil = false;
};
/// Per channel, biased variance. With frozen statistics it is an affine map by the running mean and variance
/// (the model's buffers: mean[channels], variance[channels]); otherwise training uses those of the batch.
/// Parameters: gamma, beta.
struct BatchNorm {
  bool frozen = false;
  double epsilon = 1e-5;
};
/// Off unless a problem names a dropout seed; kept values are scaled by 1 / (1 - rate).
struct Dropout {
  double rate = 0.5;
};
/// Kipf & Welling 2017, eq. (2): D^-1/2 (A + I) D^-1/2 H W^T + b, D the row sums of A + I. Parameters:
/// W[outputs][inputs], b.
struct GraphConvolve {
  std::size_t outputs = 0;
  bool bias = false;
};
/// Velickovic et al. 2018: per head h~ = W h, e_ij = leaky(a_source . h~_i + a_target . h~_j), alpha_ij
/// proportional to A_ij exp(e_ij) over j in N(i) and i itself (A_ii = 1), output sum_j alpha_ij h~_j.
/// Parameters: W[heads * width][inputs], a_source[heads][width], a_target[heads][width], then, with `skip`
/// and unequal sizes, S[outputs][inputs] (equal sizes add the input itself), then b[outputs].
struct GraphAttend {
  std::size_t heads = 1;
  std::size_t width = 0;                 // per head
  Join heads_join = Join::kConcatenate;  // kAdd: the mean of the heads
  bool skip = false;
  bool bias = true;
};
/// One row per graph from one row per node.
struct ReadOut {
  ReadOutKind kind = ReadOutKind::kMean;
};
struct Layer;
/// All branches see the same input; an empty branch is the identity. Adding needs equal shapes; concatenation
/// is along channels. He et al. 2016's block is {inner, {}} added, CTGAN's residual {inner, {}} concatenated,
/// SqueezeNet's expand two branches concatenated.
struct Parallel {
  Join join = Join::kAdd;
  std::vector<std::vector<Layer>> branches;
};
struct Layer : std::variant<Dense, Activate, Convolve, Pool, BatchNorm, Dropout, GraphConvolve, GraphAttend,
                            ReadOut, Parallel> {
  using variant::variant;
};

/// Names of the kinds of layers, in the variant's order.
inline constexpr std::array<std::string_view, 10> kLayerKinds{
    "dense",   "activate",       "convolve",     "pool",     "batch_norm",
    "dropout", "graph_convolve", "graph_attend", "read_out", "parallel"};
std::string_view layer_kind(const Layer& layer);

enum class LossKind {
  kSoftmaxCrossEntropy,  // (sum q) logsumexp(z) - <q, z>
  kBinaryCrossEntropy,   // mean over outputs of softplus(z) - q z
  kMeanSquared           // mean over outputs of (z - q)^2
};
enum class Reduction { kMean, kSum };

enum class Initialisation {
  kFanIn,  // uniform +-1/sqrt(fan in), weights and biases: PyTorch's default
  kHalf,   // uniform +-0.5, weights and biases: Zhu et al. 2019
  kXavier  // weights uniform +-sqrt(6 / (fan in + fan out)) (Glorot & Bengio 2010), biases 0
};

struct Architecture {
  std::string name;
  Shape input;  // of one record; of one node for graph networks
  std::vector<Layer> layers;
  LossKind loss = LossKind::kSoftmaxCrossEntropy;
  Reduction reduction = Reduction::kMean;
  Initialisation initialisation = Initialisation::kFanIn;
};

/// One leaf layer where it stands. Parameters are one flat vector, depth first in the order of the layers,
/// each layer's as listed above; buffers (batch norm) are a second flat vector in the same order.
struct PlacedLayer {
  const Layer* layer = nullptr;
  std::string name;  // "2.dense", "3.1.0.convolve": positions from 0, branch numbers for parallel blocks
  Shape in;
  Shape out;
  std::size_t parameter_offset = 0;
  std::size_t parameter_count = 0;
  std::size_t buffer_offset = 0;
  std::size_t buffer_count = 0;
  std::size_t fan_in = 0;
};

/// Leaf layers in order; refuses, in one sentence, layers that do not fit together. `architecture` must
/// outlive the result.
std::vector<PlacedLayer> place(const Architecture& architecture);
std::vector<PlacedLayer> place(const Architecture&&) = delete;  // the places would point into a temporary

Shape output_shape(const Architecture& architecture);
std::size_t parameter_count(const Architecture& architecture);
std::size_t buffer_count(const Architecture& architecture);
/// Any graph layer or read-out in it: needs a GraphPattern with every batch.
bool is_graph_network(const Architecture& architecture);
/// One output row per graph, not per node.
bool has_read_out(const Architecture& architecture);

/// Batch norm starts at gamma 1, beta 0.
void initialise(const Architecture& architecture, Stream& stream, std::span<double> parameters);
/// Mean 0, variance 1.
void initialise_buffers(const Architecture& architecture, std::span<double> buffers);

Json to_json(const Architecture& architecture);
/// Refuses unknown keys and everything place() refuses; the JSON is hostile input.
Architecture architecture_from_json(const Json& json);

}  // namespace earshot
