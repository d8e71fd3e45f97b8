#include "earshot/model/native/evaluation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {
namespace {

/// Half of a usual second-level cache.
constexpr std::size_t kGroupBytes = std::size_t{256} << 10U;
/// Rows that keep the arithmetic busy while shared parameters are read, from that cache or from beyond it.
constexpr std::size_t kRowsInCache = 8;
constexpr std::size_t kRowsBeyond = 64;
/// The same from either where no gradients are written, and few enough to be shared out among threads.
constexpr std::size_t kMatchedRows = 32;

void expect(bool holds, const char* sentence) {
  if (!holds) fail(Fault::kInternal, sentence);
}

/// Eight sums of their own: a single one would wait for itself.
template <class Real>
double squared_length(std::span<const Real> numbers) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= numbers.size(); i += kSums)
    for (std::size_t s = 0; s < kSums; ++s)
      sums[s] += static_cast<double>(numbers[i + s]) * static_cast<double>(numbers[i + s]);
  for (; i < numbers.size(); ++i)
    sums[0] += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
  return std::accumulate(std::begin(sums), std::end(sums), 0.0);
}

template <class Real>
std::span<Real> part(std::span<Real> whole, std::size_t problems_first, std::size_t problems,
                     std::size_t size) {
  return whole.subspan(problems_first * size, problems * size);
}

bool uses_batch_statistics(const NativeNetwork& network) {
  return std::any_of(network.places.begin(), network.places.end(), [](const PlacedLayer& place) {
    const auto* norm = std::get_if<BatchNorm>(place.layer);
    return norm != nullptr && !norm->frozen;
  });
}

void check_pattern(const GraphPattern& graph, std::size_t rows) {
  expect(graph.nodes == rows, "the rows of a graph network's problem are the nodes of its graph");
  expect(graph.row_starts.size() == rows + 1 && graph.row_starts.front() == 0 &&
             graph.row_starts.back() == graph.edges(),
         "a graph pattern has one start per row and the number of edges last");
  expect(!graph.graph_starts.empty() && graph.graph_starts.front() == 0 && graph.graph_starts.back() == rows,
         "a graph pattern's graphs start at node 0 and end at the last node");
}

}  // namespace

NativeNetwork::NativeNetwork(Architecture from)
    : architecture(std::move(from)),
      places(place(architecture)),
      parameters(parameter_count(architecture)),
      inputs(architecture.input.size()),
      outputs(output_shape(architecture).size()),
      graph(is_graph_network(architecture)),
      buffers(buffer_count(architecture)) {
  initialise_buffers(architecture, buffers);
}

template <class Real>
NativeEvaluation<Real>::Group::Group(const NativeNetwork& network)
    : layers(make_network<Real>(network.architecture, network.places, network.buffers.data())),
      loss(network.architecture.loss, network.outputs) {}

template <class Real>
NativeEvaluation<Real>::NativeEvaluation(std::shared_ptr<const NativeNetwork> network)
    : network_(std::move(network)) {
  for (const PlacedLayer& place : network_->places) {
    activations_ += place.out.size();
    if (!std::holds_alternative<Dense>(*place.layer)) in_memory_ += place.parameter_count;
  }
}

// --- Problems and groups

template <class Real>
void NativeEvaluation<Real>::check(const Problems<Real>& problems) const {
  const std::size_t count = problems.count;
  expect(problems.parameters.size() == network_->parameters ||
             problems.parameters.size() == count * network_->parameters,
         "problems need one set of parameters, or one each, of the model's size");
  expect(problems.inputs.size() == count * problems.rows * network_->inputs,
         "problems need as many inputs as their count x rows x the model's input size");
  if (!network_->graph) {
    expect(problems.graph == nullptr && problems.adjacency.empty(), "only a graph network takes a graph");
    return;
  }
  expect(problems.graph != nullptr, "a graph network needs a graph pattern with every batch");
  check_pattern(*problems.graph, problems.rows);
  const std::size_t edges = problems.graph->edges();
  expect(problems.adjacency.empty() || problems.adjacency.size() == edges ||
             problems.adjacency.size() == count * edges,
         "an adjacency has one number per edge of the pattern, for all problems or for each");
}

template <class Real>
std::size_t NativeEvaluation<Real>::group_size(const Problems<Real>& problems) const {
  const std::size_t bytes =
      sizeof(Real) * (2 * network_->parameters + 3 * problems.rows * (activations_ + network_->inputs));
  const std::size_t rows = network_->parameters * sizeof(Real) <= kGroupBytes ? kRowsInCache : kRowsBeyond;
  const std::size_t fewest = (rows + problems.rows - 1) / std::max<std::size_t>(problems.rows, 1);
  return std::max<std::size_t>({kGroupBytes / std::max<std::size_t>(bytes, 1), fewest, 1});
}

template <class Real>
std::size_t NativeEvaluation<Real>::match_group_size(const Problems<Real>& problems,
                                                     std::size_t in_memory) const {
  if (in_memory > 0) {
    const std::size_t bytes =
        sizeof(Real) * (2 * in_memory + 3 * problems.rows * (activations_ + network_->inputs));
    return std::max<std::size_t>(kGroupBytes / bytes, 1);
  }
  return std::max<std::size_t>(kMatchedRows / std::max<std::size_t>(problems.rows, 1), 1);
}

template <class Real>
void NativeEvaluation<Real>::start(const Problems<Real>& problems, std::size_t size, std::size_t most) {
  ready_ = false;
  check(problems);
  groups_used_ = 0;
  for (std::size_t first = 0; first < problems.count && groups_used_ < most; first += size) {
    if (groups_used_ == groups_.size()) groups_.push_back(std::make_unique<Group>(*network_));
    place(problems, first, std::min(size, problems.count - first), *groups_[groups_used_++]);
  }
  target_rows_ = groups_used_ == 0 ? 0 : groups_.front()->layers->rows_out(groups_.front()->call);
}

template <class Real>
void NativeEvaluation<Real>::place(const Problems<Real>& problems, std::size_t first, std::size_t count,
                                   Group& group) const {
  group.first = first;
  group.count = count;
  group.call.count = count;
  group.call.rows = problems.rows;
  group.call.dropout = problems.dropout;
  group.call.graph = problems.graph;
  group.call.adjacency = {};
  if (problems.adjacency.empty()) return;
  const std::size_t edges = problems.graph->edges();
  const std::size_t stride = problems.adjacency.size() == edges ? 0 : edges;
  group.call.adjacency = {problems.adjacency.data() + first * stride, stride};
}

/// What each target row's loss counts: w_i / sum w, or w_i.
template <class Real>
void NativeEvaluation<Real>::set_scales(const Problems<Real>& problems) {
  expect(problems.targets.size() == problems.count * target_rows_ * network_->outputs,
         "problems need as many targets as their count x target rows x the model's output size");
  expect(problems.row_weights.empty() || problems.row_weights.size() == target_rows_,
         "row weights are one number per target row, shared by all problems");
  room(scales_, target_rows_);
  double total = 0;
  for (std::size_t i = 0; i < target_rows_; ++i) {
    scales_[i] = problems.row_weights.empty() ? Real(1) : problems.row_weights[i];
    total += scales_[i];
  }
  if (network_->architecture.reduction == Reduction::kSum || total == 0) return;
  for (std::size_t i = 0; i < target_rows_; ++i) scales_[i] = static_cast<Real>(scales_[i] / total);
}

// --- Sweeps

template <class Real>
LayerState<Real> NativeEvaluation<Real>::state_of(const Problems<Real>& problems, const Group& group) const {
  const std::size_t stride = problems.parameters.size() == network_->parameters ? 0 : network_->parameters;
  LayerState<Real> state;
  state.in = problems.inputs.data() + group.first * problems.rows * network_->inputs;
  state.out = group.out.data();
  state.out_adjoint = group.adjoint.data();
  state.out_tangent = group.tangent.data();
  state.out_adjoint_tangent = group.adjoint_tangent.data();
  state.parameters = {problems.parameters.data() + group.first * stride, stride};
  return state;
}

template <class Real>
ParameterBlock<Real> NativeEvaluation<Real>::block_of(const Group& group, std::span<Real> vectors) const {
  return {vectors.data() + group.first * network_->parameters, network_->parameters};
}

template <class Real>
void NativeEvaluation<Real>::forward(const Problems<Real>& problems, Group& group, const Real* inputs,
                                     bool predicting, Real* out) {
  group.call.predicting = predicting;
  LayerState<Real> state = state_of(problems, group);
  if (inputs != nullptr) state.in = inputs;
  group.layers->forward(group.call, state, out);
}

/// Loss and backward sweep after a forward sweep into the group's memory.
template <class Real>
void NativeEvaluation<Real>::backward(const Problems<Real>& problems, Group& group, Real* losses) {
  const std::size_t size = target_rows_ * network_->outputs;
  room(group.adjoint, group.count * size);
  group.loss.forward(group.count, target_rows_, group.out.data(),
                     problems.targets.data() + group.first * size, scales_.data(), losses,
                     group.adjoint.data());
  group.layers->backward(group.call, state_of(problems, group), nullptr);
}

template <class Real>
void NativeEvaluation<Real>::gradients(const Problems<Real>& problems, std::span<Real> losses,
                                       std::span<Real> out) {
  start(problems, group_size(problems));
  set_scales(problems);
  expect(losses.size() == problems.count, "losses are one number per problem");
  expect(out.size() == problems.count * network_->parameters, "gradients are one vector per problem");
  for (const auto& group : groups()) {
    Real* values = room(group->out, group->count * target_rows_ * network_->outputs);
    forward(problems, *group, nullptr, false, values);
    backward(problems, *group, losses.data() + group->first);
    group->layers->parameter_gradient(group->call, state_of(problems, *group), block_of(*group, out));
  }
  last_ = problems;
  ready_ = true;
}

template <class Real>
void NativeEvaluation<Real>::check_pullback(const Problems<Real>& problems,
                                            const ProblemGradient<Real>& out) const {
  const std::size_t edges = problems.graph == nullptr ? 0 : problems.graph->edges();
  expect(out.inputs.empty() || out.inputs.size() == problems.inputs.size(),
         "the pullback to the inputs has their shape");
  expect(out.targets.empty() || out.targets.size() == problems.targets.size(),
         "the pullback to the targets has their shape");
  expect(out.adjacency.empty() || out.adjacency.size() == problems.count * edges,
         "the pullback to the adjacency has one number per problem and edge");
}

template <class Real>
void NativeEvaluation<Real>::pullbacks(std::span<const Real> directions, ProblemGradient<Real> out) {
  expect(ready_, "pullbacks are of the last gradients: nothing else may be evaluated in between");
  expect(directions.size() == last_.count * network_->parameters, "directions are one vector per problem");
  check_pullback(last_, out);
  std::ranges::fill(out.adjacency, Real(0));
  for (const auto& group : groups()) {
    LayerState<Real> state = state_of(last_, *group);
    state.direction = {directions.data() + group->first * network_->parameters, network_->parameters};
    pull(last_, *group, state, out);
  }
}

template <class Real>
void NativeEvaluation<Real>::pull(const Problems<Real>& problems, Group& group, LayerState<Real> state,
                                  const ProblemGradient<Real>& out) {
  const std::size_t target_size = target_rows_ * network_->outputs;
  const std::size_t input_size = problems.rows * network_->inputs;
  state.out_tangent = room(group.tangent, group.count * target_size);
  state.out_adjoint_tangent = room(group.adjoint_tangent, group.count * target_size);
  group.layers->tangent(group.call, state, group.tangent.data());
  Real* to_targets = out.targets.empty() ? nullptr : out.targets.data() + group.first * target_size;
  group.loss.tangent(group.count, target_rows_, problems.targets.data() + group.first * target_size,
                     scales_.data(), group.tangent.data(), group.adjoint_tangent.data(), to_targets);
  Real* to_inputs = out.inputs.empty() ? nullptr : out.inputs.data() + group.first * input_size;
  Call<Real> call = group.call;
  if (!out.adjacency.empty()) {
    const std::size_t edges = problems.graph->edges();
    call.adjacency_tangent = {out.adjacency.data() + group.first * edges, edges};
  }
  if (to_inputs != nullptr || !out.adjacency.empty()) group.layers->tangent_backward(call, state, to_inputs);
}

template <class Real>
template <class Body>
void NativeEvaluation<Real>::for_matched_groups(const Problems<Real>& problems, std::size_t size,
                                                std::span<const Real> observed, std::span<double> distances,
                                                const ProblemGradient<Real>& out, Body body) {
  const std::size_t parts = (problems.count + size - 1) / size;
  start(problems, size, thread_count());
  set_scales(problems);
  expect(observed.size() == network_->parameters, "what was observed has the size of a gradient");
  expect(distances.size() == problems.count, "distances are one number per problem");
  check_pullback(problems, out);
  std::ranges::fill(distances, 0.0);
  std::ranges::fill(out.adjacency, Real(0));
  // A thread keeps its memory, warm in its cache, from one group of problems to the next.
  std::atomic<std::size_t> next{0};
  parallel_for(groups_used_, [&](std::size_t worker) {
    Group& group = *groups_[worker];
    for (std::size_t part = next++; part < parts; part = next++) {
      place(problems, part * size, std::min(size, problems.count - part * size), group);
      forward(problems, group, nullptr, false,
              room(group.out, group.count * target_rows_ * network_->outputs));
      backward(problems, group, nullptr);
      body(group);
    }
  });
}

template <class Real>
ParameterBlock<Real> NativeEvaluation<Real>::directions(Group& group, std::size_t in_memory) const {
  if (in_memory == 0) return {};
  return {room(group.direction, group.count * network_->parameters), network_->parameters};
}

template <class Real>
void NativeEvaluation<Real>::match(const Problems<Real>& problems, std::span<const Real> observed,
                                   std::span<double> distances, ProblemGradient<Real> out) {
  for_matched_groups(
      problems, match_group_size(problems, in_memory_), observed, distances, out,
      [&](Group& group) { match_group(problems, observed, group, distances.data() + group.first, out); });
}

template <class Real>
void NativeEvaluation<Real>::match_group(const Problems<Real>& problems, std::span<const Real> observed,
                                         Group& group, double* distances, const ProblemGradient<Real>& out) {
  const ParameterBlock<Real> direction = directions(group, in_memory_);
  LayerState<Real> state = state_of(problems, group);
  group.layers->match_layers(group.call, state, observed.data(), direction, distances);
  state.direction = {direction.data, direction.stride};
  pull(problems, group, state, out);
}

template <class Real>
std::size_t NativeEvaluation<Real>::cosine_in_memory(const Problems<Real>& problems) const {
  return problems.rows > kMostGramRows ? network_->parameters : in_memory_;
}

template <class Real>
void NativeEvaluation<Real>::match_cosine(const Problems<Real>& problems, std::span<const Real> observed,
                                          std::span<double> distances, ProblemGradient<Real> out) {
  const double length = std::sqrt(squared_length(observed));
  for_matched_groups(problems, match_group_size(problems, cosine_in_memory(problems)), observed, distances,
                     out, [&](Group& group) {
                       match_cosine_group(problems, observed, length, group, distances.data() + group.first,
                                          out);
                     });
}

/// With p the product of gradient g and observed o, 1 - p / (|g| |o|) has by g the derivative
/// p / (|g|^3 |o|) g - o / (|g| |o|).
template <class Real>
void NativeEvaluation<Real>::match_cosine_group(const Problems<Real>& problems,
                                                std::span<const Real> observed, double observed_length,
                                                Group& group, double* distances,
                                                const ProblemGradient<Real>& out) {
  const ParameterBlock<Real> direction = directions(group, cosine_in_memory(problems));
  LayerState<Real> state = state_of(problems, group);
  std::fill_n(room(group.products, group.count), group.count, Products{});
  group.layers->multiply_layers(group.call, state, observed.data(), direction, group.products.data());
  room(group.combinations, group.count);
  for (std::size_t k = 0; k < group.count; ++k) {
    const auto [product, square] = group.products[k];
    const double lengths = std::sqrt(square) * observed_length;
    const bool none = !(lengths > 0);
    distances[k] = none ? 1 : 1 - product / lengths;
    group.combinations[k] = none ? Combination{} : Combination{product / lengths / square, -1 / lengths};
  }
  group.layers->combine_layers(group.call, state, observed.data(), direction, group.combinations.data());
  state.direction = {direction.data, direction.stride};
  pull(problems, group, state, out);
}

template <class Real>
void NativeEvaluation<Real>::outputs(const Problems<Real>& problems, std::span<Real> out) {
  start(problems, group_size(problems));
  const std::size_t size = target_rows_ * network_->outputs;
  expect(out.size() == problems.count * size, "outputs are one row per target row of every problem");
  for (const auto& group : groups())
    forward(problems, *group, nullptr, true, out.data() + group->first * size);
}

template <class Real>
void NativeEvaluation<Real>::observe(const Problems<Real>& problems, double momentum,
                                     std::span<double> buffers) {
  start(problems, group_size(problems));
  Group& all = *groups_.front();  // statistics are of all rows, so all problems are one group
  all.count = problems.count;
  all.call.count = problems.count;
  forward(problems, all, nullptr, false, room(all.out, problems.count * target_rows_ * network_->outputs));
  all.layers->observe(all.call, state_of(problems, all), momentum, buffers.data());
}

// --- Clipping

/// The factor that shrinks a gradient of this norm to the bound. A component of the shrunk gradient is
/// rounded when its adjoint was computed, when that is scaled and when it is multiplied by the input, and the
/// norm itself is off by a few units in double: sixteen rounding units less keep the result within the bound.
template <class Real>
double NativeEvaluation<Real>::factor(double norm, Clipping& clipping) const {
  if (!std::isfinite(norm)) {
    ++clipping.report.non_finite;
    return 0;
  }
  if (norm > clipping.bound) ++clipping.report.clipped;
  const double safe = clipping.bound * (1 - 16 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  return norm <= safe ? 1 : safe / norm;
}

template <class Real>
ClippingReport NativeEvaluation<Real>::clipped_sums(const Problems<Real>& problems, double bound,
                                                    std::span<Real> norms, std::span<Real> out) {
  if (!(bound > 0) || !std::isfinite(bound))
    fail(Fault::kConfig, "a clipping bound must be a positive number");
  if (uses_batch_statistics(*network_)) {
    fail(Fault::kConfig, "per-example gradients do not exist under batch statistics: freeze them");
  }
  start(problems, group_size(problems));
  set_scales(problems);
  expect(norms.empty() || norms.size() == problems.count * target_rows_, "norms are one per target row");
  expect(out.size() == problems.count * network_->parameters, "clipped sums are one vector per problem");
  for (std::size_t i = 0; i < target_rows_; ++i) scales_[i] = scales_[i] == 0 ? Real(0) : Real(1);
  std::ranges::fill(out, Real(0));
  Clipping clipping{bound, norms, out, {}};
  for (const auto& group : groups()) {
    if (problems.rows == 0) break;
    if (group->layers->mixes_rows()) {
      clip_one_by_one(problems, *group, clipping);
    } else {
      clip_rows(problems, *group, clipping);
    }
  }
  return clipping.report;
}

/// Rows that do not mix: a row's adjoints are its own gradient's, so its norm is known layer by layer, and
/// scaling its adjoints scales its gradient.
template <class Real>
void NativeEvaluation<Real>::clip_rows(const Problems<Real>& problems, Group& group, Clipping& clipping) {
  const std::size_t rows = group.call.all_rows();
  Real* values = room(group.out, rows * network_->outputs);
  forward(problems, group, nullptr, false, values);
  backward(problems, group, nullptr);
  std::fill_n(room(group.squared_norms, rows), rows, 0.0);
  LayerState<Real> state = state_of(problems, group);
  group.layers->add_squared_norms(group.call, state, group.squared_norms.data());
  if (!set_factors(group, clipping)) {
    state.in = replace_rows(problems, group);
    forward(problems, group, state.in, false, values);
    group.layers->backward(group.call, state, nullptr);
  }
  scale_rows(rows, network_->outputs, group.factors.data(), group.adjoint.data());
  group.layers->scale_adjoints(group.call, group.factors.data());
  group.layers->parameter_gradient(group.call, state, block_of(group, clipping.out));
  for (std::size_t k = 0; k < group.count; ++k) {
    if (sound_row(group, k)) continue;
    std::ranges::fill(part(clipping.out, group.first + k, 1, network_->parameters), Real(0));
  }
}

/// Whether all rows are finite.
template <class Real>
bool NativeEvaluation<Real>::set_factors(Group& group, Clipping& clipping) const {
  const std::size_t rows = group.call.all_rows();
  room(group.factors, rows);
  bool finite = true;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool left_out = scales_[i % target_rows_] == 0;
    const double norm = std::sqrt(group.squared_norms[i]);
    finite = finite && std::isfinite(norm);
    group.factors[i] = left_out ? 0 : factor(norm, clipping);
    if (!clipping.norms.empty()) {
      clipping.norms[group.first * target_rows_ + i] = left_out ? Real(0) : static_cast<Real>(norm);
    }
  }
  return finite;
}

template <class Real>
std::optional<std::size_t> NativeEvaluation<Real>::sound_row(const Group& group, std::size_t problem) const {
  const double* norms = group.squared_norms.data() + problem * group.call.rows;
  for (std::size_t i = 0; i < group.call.rows; ++i) {
    if (std::isfinite(norms[i])) return i;
  }
  return std::nullopt;
}

/// A row that is not finite would spoil the sum even with adjoints 0 (0 times infinity): a row that is finite
/// takes its place. A problem without one keeps its rows, and its sum is cleared.
template <class Real>
const Real* NativeEvaluation<Real>::replace_rows(const Problems<Real>& problems, Group& group) const {
  const std::size_t rows = group.call.rows;
  const std::size_t size = network_->inputs;
  const Real* from = problems.inputs.data() + group.first * rows * size;
  Real* to = room(group.inputs, group.count * rows * size);
  std::copy_n(from, group.count * rows * size, to);
  for (std::size_t k = 0; k < group.count; ++k) {
    const std::optional<std::size_t> sound = sound_row(group, k);
    for (std::size_t i = 0; sound && i < rows; ++i) {
      if (std::isfinite(group.squared_norms[k * rows + i])) continue;
      std::copy_n(from + (k * rows + *sound) * size, size, to + (k * rows + i) * size);
    }
  }
  return to;
}

/// Rows that mix (graphs): each target row's loss has a backward sweep of its own.
template <class Real>
void NativeEvaluation<Real>::clip_one_by_one(const Problems<Real>& problems, Group& group,
                                             Clipping& clipping) {
  const std::size_t width = network_->outputs;
  const std::size_t size = group.count * target_rows_ * width;
  const std::size_t parameters = network_->parameters;
  forward(problems, group, nullptr, false, room(group.out, size));
  room(group.adjoint, size);
  group.loss.forward(group.count, target_rows_, group.out.data(),
                     problems.targets.data() + group.first * target_rows_ * width, scales_.data(), nullptr,
                     group.adjoint.data());
  LayerState<Real> state = state_of(problems, group);
  state.out_adjoint = room(one_row_, size);
  room(one_gradient_, group.count * parameters);
  for (std::size_t row = 0; row < target_rows_; ++row) {
    std::ranges::fill(one_row_, Real(0));
    std::ranges::fill(one_gradient_, Real(0));
    for (std::size_t k = 0; k < group.count; ++k) {
      const std::size_t at = (k * target_rows_ + row) * width;
      std::copy_n(group.adjoint.data() + at, width, one_row_.data() + at);
    }
    if (scales_[row] != 0) {
      group.layers->backward(group.call, state, nullptr);
      group.layers->parameter_gradient(group.call, state, {one_gradient_.data(), parameters});
    }
    for (std::size_t k = 0; k < group.count; ++k) {
      const Real* gradient = one_gradient_.data() + k * parameters;
      const double squared = std::accumulate(gradient, gradient + parameters, 0.0, [](double sum, Real g) {
        return sum + static_cast<double>(g) * g;
      });
      const double norm = std::sqrt(squared);
      if (!clipping.norms.empty()) {
        clipping.norms[(group.first + k) * target_rows_ + row] = static_cast<Real>(norm);
      }
      const Real share = static_cast<Real>(factor(norm, clipping));
      if (share == 0) continue;
      Real* sum = clipping.out.data() + (group.first + k) * parameters;
      for (std::size_t i = 0; i < parameters; ++i) sum[i] += share * gradient[i];
    }
  }
}

template class NativeEvaluation<float>;
template class NativeEvaluation<double>;

}  // namespace earshot
