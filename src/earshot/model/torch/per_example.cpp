#include "earshot/model/torch/per_example.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/model/torch/evaluation.hpp"
#include "earshot/model/torch/layers.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;

// Squares of numbers below 1e-154 are not normal numbers.
constexpr double kSquaresVanish = 1e-140;

Tensor sum_of_squares(const Tensor& rows) {
  return rows.flatten(1).square().sum(1);
}

/// A row of a convolution's input as the columns its kernel meets: channels * kernel x positions.
Tensor columns(const Convolve& layer, const Tensor& in) {
  const auto stride = signed_size(layer.stride);
  return torch::im2col(in, {signed_size(layer.kernel_height), signed_size(layer.kernel_width)}, {1, 1},
                       {signed_size(layer.padding_height), signed_size(layer.padding_width)},
                       {stride, stride});
}

/// ||G U^T||^2 of every row, by whichever of G U^T and (G^T G) o (U^T U) is smaller (Bu et al. 2022, eq.
/// (4)).
Tensor squared_product(const Tensor& adjoints, const Tensor& columns) {
  const std::int64_t positions = columns.size(2);
  if (2 * positions * positions >= adjoints.size(1) * columns.size(1))
    return sum_of_squares(torch::bmm(adjoints, columns.transpose(1, 2)));
  const Tensor gram = torch::bmm(adjoints.transpose(1, 2), adjoints);
  return (gram * torch::bmm(columns.transpose(1, 2), columns)).flatten(1).sum(1);
}

/// What one layer adds to the squared norms of the rows' gradients; in double, so that the rounding of long
/// sums does not matter.
struct SquaredNorms {
  Tensor operator()(const Dense& layer) const {
    const Tensor squares = sum_of_squares(adjoint);
    return squares * (sum_of_squares(in) + (layer.bias ? 1 : 0));
  }
  Tensor operator()(const Convolve& layer) const {
    const Tensor planes = adjoint.flatten(2);
    const Tensor weights = squared_product(planes, columns(layer, in));
    return layer.bias ? weights + sum_of_squares(planes.sum(2)) : weights;
  }
  Tensor operator()(const BatchNorm& layer) const {
    const Tensor normal = normalise(stored_statistics(buffers, in), layer.epsilon, in);
    return sum_of_squares((adjoint * normal).sum({2, 3})) + sum_of_squares(adjoint.sum({2, 3}));
  }
  template <class Other>
  Tensor operator()(const Other&) const {
    fail(Fault::kInternal, "this layer's rows cannot be told apart");
  }

  Tensor in;
  Tensor adjoint;
  std::span<const double> buffers;
};

/// The sum over rows of their gradients w.r.t. one layer's parameters; `adjoint` has been weighted.
struct SummedGradients {
  std::vector<Tensor> operator()(const Dense& layer) const {
    const Tensor rows = adjoint.flatten(1);
    std::vector<Tensor> sums{torch::mm(rows.t(), in.flatten(1))};
    if (layer.bias) sums.push_back(rows.sum(0));
    return sums;
  }
  std::vector<Tensor> operator()(const Convolve& layer) const {
    const auto [unused, weights, biases] = torch::convolution_backward(
        adjoint.contiguous(), in.contiguous(), parameters[0], torch::IntArrayRef({adjoint.size(1)}),
        torch::IntArrayRef({signed_size(layer.stride), signed_size(layer.stride)}),
        torch::IntArrayRef({signed_size(layer.padding_height), signed_size(layer.padding_width)}),
        torch::IntArrayRef({1, 1}), /*transposed=*/false, torch::IntArrayRef({0, 0}), /*groups=*/1,
        {false, true, layer.bias});
    return layer.bias ? std::vector<Tensor>{weights, biases} : std::vector<Tensor>{weights};
  }
  std::vector<Tensor> operator()(const BatchNorm& layer) const {
    const Tensor normal = normalise(stored_statistics(buffers, in), layer.epsilon, in);
    return {(adjoint * normal).sum({0, 2, 3}), adjoint.sum({0, 2, 3})};
  }
  template <class Other>
  std::vector<Tensor> operator()(const Other&) const {
    fail(Fault::kInternal, "this layer's rows cannot be told apart");
  }

  Tensor in;
  Tensor adjoint;
  Pieces parameters;
  std::span<const double> buffers;
};

/// What one problem's clipping works on.
template <class Real>
struct Clipping {
  const TorchNetwork& network;
  double bound;
  std::span<Real> norms;
  std::span<Real> out;
  ClippingReport& report;
  std::size_t rows;

  /// The factor for a gradient of this norm. Norm and scaled gradient are rounded in the precision of the
  /// evaluation, so the sphere aimed at lies a little inside.
  double factor(double norm) const {
    if (norm > bound) ++report.clipped;
    const double safe = bound * (1 - 16 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
    return norm <= safe ? 1 : safe / norm;
  }
  void set_norm(std::size_t row, double norm) const {
    if (!norms.empty()) norms[row] = static_cast<Real>(norm);
  }
};

/// Euclidean norm that neither overflows nor underflows before the result does; NaN or infinite if a value
/// is.
double norm_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return 0;
  double sum = 0;
  for (const double value : values) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

/// Adds one row's clipped gradient.
template <class Real>
void add_row(const Clipping<Real>& clipping, std::size_t row, const std::vector<Tensor>& pieces,
             std::span<double> flat) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t size = values_in(clipping.network.pieces()[i]);
    copy_to<double>(pieces[i], flat.subspan(offset, size));
    offset += size;
  }
  const double norm = norm_of(flat);
  clipping.set_norm(row, norm);
  if (!std::isfinite(norm)) {
    ++clipping.report.non_finite;
    return;
  }
  const double factor = clipping.factor(norm);
  for (std::size_t i = 0; i < flat.size(); ++i) clipping.out[i] += static_cast<Real>(factor * flat[i]);
}

/// A record on its own, with the dropout mask it has in its batch.
template <class Real>
void add_record(const Clipping<Real>& clipping, const TorchProblem& all, const Tensor& targets,
                std::size_t row, std::span<double> flat) {
  TorchProblem one = all;
  one.first_row = row;
  one.trace = nullptr;
  one.inputs = all.inputs.slice(0, signed_size(row), signed_size(row + 1));
  const Tensor target = targets.slice(0, signed_size(row), signed_size(row + 1));
  const Tensor loss = row_losses(clipping.network.loss(), clipping.network.forward(one), target).sum();
  add_row(clipping, row, torch::autograd::grad({loss}, one.parameters, {}, {}, false, /*allow_unused=*/true),
          flat);
}

template <class Real>
void clip_records(const Clipping<Real>& clipping, const TorchProblem& problem, const Tensor& targets,
                  const std::vector<std::size_t>& rows) {
  std::vector<double> flat(clipping.network.parameter_count());
  for (const std::size_t row : rows) add_record<Real>(clipping, problem, targets, row, flat);
}

/// A node's (or graph's) own loss still depends on its neighbours: one forward pass, one backward pass per
/// row.
template <class Real>
void clip_nodes(const Clipping<Real>& clipping, const TorchProblem& problem, const Tensor& targets,
                const std::vector<std::size_t>& rows) {
  std::vector<double> flat(clipping.network.parameter_count());
  const Tensor losses = row_losses(clipping.network.loss(), clipping.network.forward(problem), targets);
  for (const std::size_t row : rows) {
    add_row<Real>(
        clipping, row,
        torch::autograd::grad({losses[signed_size(row)]}, problem.parameters, {}, /*retain_graph=*/true,
                              /*create_graph=*/false, /*allow_unused=*/true),
        flat);
  }
}

/// Adds the weighted gradients of some rows, layer by layer, from the traces of one backward pass.
template <class Real>
void add_weighted(const Clipping<Real>& clipping, std::span<const LayerTrace> traces,
                  std::span<const Tensor> adjoints, const std::vector<std::int64_t>& rows,
                  const std::vector<double>& factors) {
  const Tensor chosen = torch::tensor(rows, torch::kInt64);
  const Tensor weights = torch::tensor(factors, torch::kFloat64).to(kDtype<Real>).view({-1, 1, 1, 1});
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const LayerTrace& trace = traces[i];
    const Tensor in = trace.in.detach().index_select(0, chosen);
    const Tensor adjoint = adjoints[i].index_select(0, chosen) * weights;
    std::span<Real> out = clipping.out.subspan(trace.place->parameter_offset, trace.place->parameter_count);
    std::vector<Real> sum(out.size());
    std::size_t offset = 0;
    for (const Tensor& piece : std::visit(SummedGradients{in, adjoint, trace.parameters, trace.buffers},
                                          static_cast<const Layer::variant&>(*trace.place->layer))) {
      const auto size = static_cast<std::size_t>(piece.numel());
      copy_to<Real>(piece, std::span(sum).subspan(offset, size));
      offset += size;
    }
    std::transform(out.begin(), out.end(), sum.begin(), out.begin(), std::plus<>());
  }
}

/// Squared norms of all rows' gradients.
Tensor squared_norms(std::span<const LayerTrace> traces, std::span<const Tensor> adjoints, std::size_t rows) {
  Tensor total = torch::zeros({signed_size(rows)}, torch::kFloat64);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const LayerTrace& trace = traces[i];
    total += std::visit(
        SquaredNorms{trace.in.detach().to(torch::kFloat64), adjoints[i].to(torch::kFloat64), trace.buffers},
        static_cast<const Layer::variant&>(*trace.place->layer));
  }
  return total;
}

template <class Real>
void clip_traced(const Clipping<Real>& clipping, TorchProblem& problem, const Tensor& targets,
                 const std::vector<std::size_t>& rows) {
  std::vector<LayerTrace> traces;
  problem.trace = &traces;
  const Tensor losses = row_losses(clipping.network.loss(), clipping.network.forward(problem), targets);
  std::vector<Tensor> outs;
  for (const LayerTrace& trace : traces) outs.push_back(trace.out);
  const std::vector<Tensor> adjoints = torch::autograd::grad({losses.sum()}, outs);
  const Tensor squares = squared_norms(traces, adjoints, clipping.rows);

  std::vector<std::int64_t> kept;
  std::vector<double> factors;
  std::vector<std::size_t> doubtful;
  for (const std::size_t row : rows) {
    const double norm = std::sqrt(squares[signed_size(row)].item<double>());
    // Squares overflow, and vanish, before the gradient itself does: such rows are looked at one by one.
    if (!std::isfinite(norm) || norm < kSquaresVanish) {
      doubtful.push_back(row);
      continue;
    }
    clipping.set_norm(row, norm);
    kept.push_back(signed_size(row));
    factors.push_back(clipping.factor(norm));
  }
  if (!kept.empty()) add_weighted<Real>(clipping, traces, adjoints, kept, factors);
  clip_records(clipping, problem, targets, doubtful);
}

template <class Real>
std::vector<std::size_t> rows_with_weight(std::span<const Real> weights, std::size_t count) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < count; ++row) {
    if (weights.empty() || weights[row] != 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

template <class Real>
void clip_rows(const TorchNetwork& network, const Problems<Real>& problems, std::size_t index, double bound,
               std::span<Real> norms, std::span<Real> out, ClippingReport& report) {
  std::fill(norms.begin(), norms.end(), Real{0});
  std::fill(out.begin(), out.end(), Real{0});
  const auto rows =
      rows_with_weight(problems.row_weights, target_rows(network, problems.rows, problems.graph));
  if (rows.empty()) return;
  const Clipping<Real> clipping{network, bound, norms, out, report, problems.rows};
  TorchProblem problem = to_problem(network, problems, index, Follow::kParameters);
  const Tensor targets = to_targets(network, problems, index);
  if (network.needs_graph()) return clip_nodes(clipping, problem, targets, rows);
  if (network.traceable()) return clip_traced(clipping, problem, targets, rows);
  clip_records(clipping, problem, targets, rows);
}

template void clip_rows(const TorchNetwork&, const Problems<float>&, std::size_t, double, std::span<float>,
                        std::span<float>, ClippingReport&);
template void clip_rows(const TorchNetwork&, const Problems<double>&, std::size_t, double, std::span<double>,
                        std::span<double>, ClippingReport&);

}  // namespace earshot
