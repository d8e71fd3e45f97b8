#include "earshot/model/torch/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/model/torch/layers.hpp"
#include "earshot/model/torch/per_example.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;

// Beyond this a dense adjacency matrix fills the memory.
constexpr std::size_t kMostNodes = 8192;

void expect_size(std::string_view what, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  fail(Fault::kInternal, fmt::format("{} has {} numbers, expected {}", what, size, expected));
}

template <class Real>
void expect_shared_or_each(std::string_view what, std::span<const Real> values, std::size_t each,
                           std::size_t count) {
  if (values.size() != each) expect_size(what, values.size(), count * each);
}

/// Problem `index`'s part of what every problem has, or all share.
template <class Real>
std::span<const Real> part(std::span<const Real> values, std::size_t each, std::size_t index) {
  return values.size() == each ? values : values.subspan(index * each, each);
}
template <class Real>
std::span<Real> part_of(std::span<Real> values, std::size_t each, std::size_t index) {
  return values.empty() ? values : values.subspan(index * each, each);
}

void check_graph(const TorchNetwork& network, const GraphPattern* graph, std::size_t rows) {
  if (!network.needs_graph()) {
    if (graph != nullptr) fail(Fault::kInternal, network.name() + " takes records, not a graph");
    return;
  }
  if (graph == nullptr) fail(Fault::kInternal, network.name() + " needs a graph with every batch");
  expect_size("the batch of a graph network", rows, graph->nodes);
  if (graph->nodes > kMostNodes) {
    fail(Fault::kConfig,
         fmt::format("the torch engine holds graphs as dense matrices and takes at most {} nodes, got "
                     "{}; use the native engine",
                     kMostNodes, graph->nodes));
  }
}

template <class Real>
void check_problems(const TorchNetwork& network, const Problems<Real>& problems, bool with_targets) {
  check_graph(network, problems.graph, problems.rows);
  const std::size_t targets = target_rows(network, problems.rows, problems.graph);
  expect_shared_or_each("parameters", problems.parameters, network.parameter_count(), problems.count);
  expect_size("inputs", problems.inputs.size(), problems.count * problems.rows * network.input_size());
  if (with_targets)
    expect_size("targets", problems.targets.size(), problems.count * targets * network.output_size());
  if (!problems.row_weights.empty()) expect_size("row weights", problems.row_weights.size(), targets);
  if (!problems.adjacency.empty())
    expect_shared_or_each("adjacency", problems.adjacency, problems.graph ? problems.graph->edges() : 0,
                          problems.count);
}

Tensor sum_of_rows(const Tensor& losses, const WeightedRows& rows) {
  return (losses.index_select(0, rows.rows) * rows.weights.to(losses.dtype())).sum();
}

/// An operator whose backward pass has no derivative: libtorch says "derivative for aten::... is not
/// implemented". Anything else that goes wrong is not to be worked around.
bool lacks_second_derivative(const std::exception& error) {
  const std::string message = short_message(error);
  return message.find("derivative for") != std::string::npos &&
         message.find("is not implemented") != std::string::npos;
}

template <class Real>
double largest(std::span<const Real> values) {
  double most = 0;
  for (const Real value : values) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

/// The step t of a central difference along `direction`: the largest parameter changes by the cube root of
/// the rounding unit, relatively, where the error of the difference (t^2) and that of rounding (unit / t)
/// meet.
template <class Real>
double difference_step(std::span<const Real> parameters, std::span<const Real> direction) {
  const double length = largest(direction);
  const double size = largest(parameters);
  if (length == 0) return 1;
  return std::cbrt(static_cast<double>(std::numeric_limits<Real>::epsilon())) * (size > 0 ? size : 1) /
         length;
}

std::string what_failed(const TorchNetwork& network) {
  return network.name() + " cannot be evaluated";
}

}  // namespace

std::size_t target_rows(const TorchNetwork& network, std::size_t rows, const GraphPattern* graph) {
  return network.reads_out() && graph != nullptr ? graph->graphs() : rows;
}

template <class Real>
TorchProblem to_problem(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index,
                        Follow follow) {
  TorchProblem problem;
  const auto flat = part(problems.parameters, network.parameter_count(), index);
  std::size_t offset = 0;
  for (const auto& shape : network.pieces()) {
    const Tensor piece = to_tensor<Real>(flat.subspan(offset), shape);
    offset += static_cast<std::size_t>(piece.numel());
    problem.parameters.push_back(piece.requires_grad_(follow != Follow::kNothing));
  }
  const std::size_t record = network.input_size();
  problem.inputs = to_tensor<Real>(problems.inputs.subspan(index * problems.rows * record),
                                   {signed_size(problems.rows), signed_size(record)});
  problem.inputs.requires_grad_(follow == Follow::kEverything);
  if (problems.graph != nullptr) {
    const std::size_t edges = problems.graph->edges();
    problem.adjacency = problems.adjacency.empty()
                            ? torch::ones({signed_size(edges)}, kDtype<Real>)
                            : to_tensor<Real>(part(problems.adjacency, edges, index), {signed_size(edges)});
    problem.adjacency.requires_grad_(follow == Follow::kEverything);
  }
  problem.graph = problems.graph;
  problem.dropout = problems.dropout;
  return problem;
}

template <class Real>
Tensor to_targets(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index) {
  const std::size_t rows = target_rows(network, problems.rows, problems.graph);
  const std::size_t each = rows * network.output_size();
  return to_tensor<Real>(problems.targets.subspan(index * each, each),
                         {signed_size(rows), signed_size(network.output_size())});
}

template <class Real>
WeightedRows weighted_rows(std::span<const Real> weights, std::size_t target_rows) {
  std::vector<std::int64_t> rows;
  std::vector<double> kept;
  for (std::size_t i = 0; i < target_rows; ++i) {
    const double weight = weights.empty() ? 1 : static_cast<double>(weights[i]);
    if (weight == 0) continue;
    rows.push_back(signed_size(i));
    kept.push_back(weight);
  }
  const double total = std::accumulate(kept.begin(), kept.end(), 0.0);
  return {torch::tensor(rows, torch::kInt64), torch::tensor(kept, torch::kFloat64), total};
}

template <class Real>
Tensor TorchEvaluation<Real>::loss_of(const Problems<Real>& problems, const TorchProblem& problem,
                                      const Tensor& targets) const {
  const TorchNetwork& network = *network_;
  const WeightedRows rows =
      weighted_rows(problems.row_weights, target_rows(network, problems.rows, problems.graph));
  const Tensor loss = sum_of_rows(row_losses(network.loss(), network.forward(problem), targets), rows);
  return network.reduction() == Reduction::kMean ? loss / rows.total : loss;
}

template <class Real>
auto TorchEvaluation<Real>::differentiate(const Problems<Real>& problems, std::size_t index, bool twice) const
    -> Kept {
  const TorchNetwork& network = *network_;
  TorchProblem problem =
      to_problem(network, problems, index, twice ? Follow::kEverything : Follow::kParameters);
  const Tensor targets = to_targets(network, problems, index).requires_grad_(twice);
  const Tensor loss = loss_of(problems, problem, targets);
  std::vector<Tensor> gradients =
      torch::autograd::grad({loss}, problem.parameters, {}, /*retain_graph=*/twice,
                            /*create_graph=*/twice, /*allow_unused=*/true);
  return {loss, std::move(gradients), problem.inputs, targets, problem.adjacency};
}

template <class Real>
void TorchEvaluation<Real>::gradients(const Problems<Real>& problems, std::span<Real> losses,
                                      std::span<Real> out) {
  const std::size_t parameters = network_->parameter_count();
  check_problems(*network_, problems, true);
  expect_size("losses", losses.size(), problems.count);
  expect_size("gradients", out.size(), problems.count * parameters);
  last_ = problems;
  kept_.clear();
  const std::size_t targets = target_rows(*network_, problems.rows, problems.graph);
  if (weighted_rows(problems.row_weights, targets).total == 0) {
    std::fill(losses.begin(), losses.end(), Real{0});
    std::fill(out.begin(), out.end(), Real{0});
    return;
  }
  in_torch(network_->fault(), what_failed(*network_), [&] {
    if (network_->pullback_method().by_differences()) keeps_graphs_ = false;
    for (std::size_t k = 0; k < problems.count; ++k) {
      Kept kept = differentiate(problems, k, keeps_graphs_);
      losses[k] = kept.loss.template item<Real>();
      std::span<Real> flat = out.subspan(k * parameters, parameters);
      for (std::size_t i = 0; i < kept.gradients.size(); ++i) {
        const std::size_t size = values_in(network_->pieces()[i]);
        copy_to<Real>(kept.gradients[i], flat.first(size));
        flat = flat.subspan(size);
      }
      if (keeps_graphs_) kept_.push_back(std::move(kept));
    }
  });
}

template <class Real>
void TorchEvaluation<Real>::differentiate_again(std::size_t index, std::span<const Real> direction,
                                                ProblemGradient<Real> out) const {
  const Kept& kept = kept_[index];
  std::vector<Tensor> gradients, directions;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < kept.gradients.size(); ++i) {
    const Tensor piece = to_tensor<Real>(direction.subspan(offset), network_->pieces()[i]);
    offset += static_cast<std::size_t>(piece.numel());
    // A parameter without influence has no gradient to differentiate.
    if (!kept.gradients[i].defined() || !kept.gradients[i].requires_grad()) continue;
    gradients.push_back(kept.gradients[i]);
    directions.push_back(piece);
  }
  std::vector<Tensor> sources;
  std::vector<std::span<Real>> sinks;
  const auto want = [&](const Tensor& source, std::span<Real> sink) {
    if (sink.empty()) return;
    sources.push_back(source);
    sinks.push_back(sink);
  };
  want(kept.inputs, out.inputs);
  want(kept.targets, out.targets);
  want(kept.adjacency, out.adjacency);
  if (sources.empty()) return;
  std::vector<Tensor> results(sources.size());
  if (!gradients.empty())
    results = torch::autograd::grad(gradients, sources, directions, /*retain_graph=*/true,
                                    /*create_graph=*/false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < results.size(); ++i) copy_to<Real>(results[i], sinks[i]);
}

template <class Real>
std::vector<Tensor> TorchEvaluation<Real>::source_gradients(std::size_t index,
                                                            std::span<const Real> parameters,
                                                            const ProblemGradient<Real>& wanted) const {
  Problems<Real> moved = last_;
  moved.parameters = parameters;
  const TorchProblem problem = to_problem(*network_, moved, index, Follow::kEverything);
  const Tensor targets = to_targets(*network_, moved, index).requires_grad_();
  std::vector<Tensor> sources;
  if (!wanted.inputs.empty()) sources.push_back(problem.inputs);
  if (!wanted.targets.empty()) sources.push_back(targets);
  if (!wanted.adjacency.empty()) sources.push_back(problem.adjacency);
  if (sources.empty()) return {};
  return torch::autograd::grad({loss_of(moved, problem, targets)}, sources, {}, /*retain_graph=*/false,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

template <class Real>
void TorchEvaluation<Real>::difference(std::size_t index, std::span<const Real> direction,
                                       ProblemGradient<Real> out) const {
  const auto parameters = part(last_.parameters, network_->parameter_count(), index);
  const double step = difference_step<Real>(parameters, direction);
  std::vector<Real> ahead(parameters.begin(), parameters.end());
  std::vector<Real> behind = ahead;
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    ahead[i] += static_cast<Real>(step * direction[i]);
    behind[i] -= static_cast<Real>(step * direction[i]);
  }
  const std::vector<Tensor> plus = source_gradients(index, ahead, out);
  const std::vector<Tensor> minus = source_gradients(index, behind, out);
  std::size_t source = 0;
  for (const std::span<Real> sink : {out.inputs, out.targets, out.adjacency}) {
    if (sink.empty()) continue;
    const Tensor& a = plus[source];
    const Tensor& b = minus[source];
    ++source;
    // What the loss does not depend on has no gradient, on neither side.
    copy_to<Real>(a.defined() && b.defined() ? (a - b) / (2 * step) : Tensor(), sink);
  }
}

template <class Real>
ProblemGradient<Real> TorchEvaluation<Real>::part_of_pullback(const ProblemGradient<Real>& out,
                                                              std::size_t index) const {
  const std::size_t inputs = last_.rows * network_->input_size();
  const std::size_t targets = target_rows(*network_, last_.rows, last_.graph) * network_->output_size();
  const std::size_t edges = last_.graph ? last_.graph->edges() : 0;
  return {part_of(out.inputs, inputs, index), part_of(out.targets, targets, index),
          part_of(out.adjacency, edges, index)};
}

template <class Real>
void TorchEvaluation<Real>::pull_by_second_derivatives(std::span<const Real> directions,
                                                       const ProblemGradient<Real>& out) {
  const std::size_t parameters = network_->parameter_count();
  keeps_graphs_ = true;
  if (kept_.empty()) {
    for (std::size_t k = 0; k < last_.count; ++k) kept_.push_back(differentiate(last_, k, true));
  }
  for (std::size_t k = 0; k < last_.count; ++k)
    differentiate_again(k, directions.subspan(k * parameters, parameters), part_of_pullback(out, k));
}

template <class Real>
void TorchEvaluation<Real>::pull_by_differences(std::span<const Real> directions,
                                                const ProblemGradient<Real>& out) const {
  const std::size_t parameters = network_->parameter_count();
  for (std::size_t k = 0; k < last_.count; ++k)
    difference(k, directions.subspan(k * parameters, parameters), part_of_pullback(out, k));
}

template <class Real>
void TorchEvaluation<Real>::pullbacks(std::span<const Real> directions, ProblemGradient<Real> out) {
  const TorchNetwork& network = *network_;
  const std::size_t rows = target_rows(network, last_.rows, last_.graph);
  const std::size_t inputs = last_.rows * network.input_size();
  const std::size_t edges = last_.graph ? last_.graph->edges() : 0;
  expect_size("directions", directions.size(), last_.count * network.parameter_count());
  if (!out.inputs.empty()) expect_size("inputs' gradient", out.inputs.size(), last_.count * inputs);
  if (!out.targets.empty())
    expect_size("targets' gradient", out.targets.size(), last_.count * rows * network.output_size());
  if (!out.adjacency.empty()) expect_size("adjacency's gradient", out.adjacency.size(), last_.count * edges);
  if (weighted_rows(last_.row_weights, rows).total == 0) {
    for (const std::span<Real> zero : {out.inputs, out.targets, out.adjacency})
      std::fill(zero.begin(), zero.end(), Real{0});
    return;
  }
  PullbackMethod& method = network.pullback_method();
  in_torch(network.fault(), network.name() + " cannot be differentiated twice", [&] {
    if (!method.by_differences()) {
      try {
        return pull_by_second_derivatives(directions, out);
      } catch (const std::exception& error) {
        if (!lacks_second_derivative(error)) throw;
        method.use_differences(PullbackMethod::Reason::kNoSecondDerivative);
        kept_.clear();
      }
    }
    pull_by_differences(directions, out);
  });
}

template <class Real>
ClippingReport TorchEvaluation<Real>::clipped_sums(const Problems<Real>& problems, double bound,
                                                   std::span<Real> norms, std::span<Real> out) {
  const TorchNetwork& network = *network_;
  const std::size_t parameters = network.parameter_count();
  const std::size_t rows = target_rows(network, problems.rows, problems.graph);
  if (!(bound > 0) || !std::isfinite(bound))
    fail(Fault::kConfig, "a clipping bound must be a positive number");
  check_problems(network, problems, true);
  if (!norms.empty()) expect_size("norms", norms.size(), problems.count * rows);
  expect_size("clipped sums", out.size(), problems.count * parameters);
  if (network.uses_batch_statistics()) {
    fail(Fault::kConfig,
         network.name() +
             " normalises by the statistics of its batch, so no record has a gradient of its own; "
             "freeze the statistics");
  }
  return in_torch(network.fault(), what_failed(network), [&] {
    ClippingReport report;
    for (std::size_t k = 0; k < problems.count; ++k)
      clip_rows(network, problems, k, bound, part_of(norms, rows, k), out.subspan(k * parameters, parameters),
                report);
    return report;
  });
}

template <class Real>
void TorchEvaluation<Real>::outputs(const Problems<Real>& problems, std::span<Real> out) {
  const TorchNetwork& network = *network_;
  check_problems(network, problems, false);
  const std::size_t each = target_rows(network, problems.rows, problems.graph) * network.output_size();
  expect_size("outputs", out.size(), problems.count * each);
  if (out.empty()) return;
  in_torch(network.fault(), what_failed(network), [&] {
    const torch::NoGradGuard no_graph;
    for (std::size_t k = 0; k < problems.count; ++k) {
      TorchProblem problem = to_problem(network, problems, k, Follow::kNothing);
      problem.predicting = true;
      copy_to<Real>(network.forward(problem), out.subspan(k * each, each));
    }
  });
}

#define EARSHOT_INSTANTIATE(Real)                                                                    \
  template TorchProblem to_problem(const TorchNetwork&, const Problems<Real>&, std::size_t, Follow); \
  template Tensor to_targets(const TorchNetwork&, const Problems<Real>&, std::size_t);               \
  template WeightedRows weighted_rows(std::span<const Real>, std::size_t);                           \
  template class TorchEvaluation<Real>
EARSHOT_INSTANTIATE(float);
EARSHOT_INSTANTIATE(double);

}  // namespace earshot
