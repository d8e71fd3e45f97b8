#include <algorithm>
#include <memory>
#include <vector>

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/projection.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {
namespace {

/// Of a matrix, what stays in the first-level cache while it is used several times.
constexpr std::size_t kPanelBytes = std::size_t{16} << 10U;

/// Eight sums of their own: a single one would wait for itself.
template <class Real>
double dot(const Real* a, const Real* b, std::size_t count) {
  constexpr std::size_t kSums = 8;
  Real sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += a[i + s] * b[i + s];
  double sum = 0;
  for (; i < count; ++i) sum += static_cast<double>(a[i] * b[i]);
  for (const Real part : sums) sum += static_cast<double>(part);
  return sum;
}

/// y = W x + b. With R and rho the parts of the direction: y' = W x' + R x + rho and d'(x) = W^T d' + R^T d.
template <class Real>
class DenseLayer final : public NativeLayer<Real> {
 public:
  DenseLayer(const Dense& layer, const PlacedLayer& place)
      : map_{place.in.size(), layer.outputs}, bias_(layer.bias) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    matched_ = false;
    write_bias(call, bias_of(state.parameters), map_.outputs, out);
    map_.forward(call, state.in, state.parameters, Write::kAdd, out);
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    map_.backward(call, state.out_adjoint, state.parameters, Write::kOver, in_adjoint);
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    map_.gradient(call, state.out_adjoint, state.in, gradient);
    if (bias_) bias_gradient(call, state.out_adjoint, map_.outputs, part(gradient, bias_offset()));
  }

  /// A row's gradient is the outer product d x^T, and d for the bias: |d|^2 (|x|^2 + 1).
  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    for (std::size_t i = 0; i < call.all_rows(); ++i) {
      const double inputs = squared_norm(state.in + i * map_.inputs, map_.inputs);
      squared_norms[i] +=
          squared_norm(state.out_adjoint + i * map_.outputs, map_.outputs) * (bias_ ? inputs + 1 : inputs);
    }
  }

  /// All the tangents need of R and rho are R x + rho and R^T d, and R = 2 (D^T X - observed) is made of few
  /// rows: neither a gradient nor a direction per problem goes through memory.
  bool match(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
             double* distances) override {
    matched_ = true;
    room(to_outputs_, call.all_rows() * map_.outputs);
    std::fill_n(room(to_inputs_, call.all_rows() * map_.inputs), call.all_rows() * map_.inputs, Real(0));
    const std::size_t fit = kPanelBytes / (sizeof(Real) * std::max<std::size_t>(map_.inputs, 1));
    const std::size_t height = std::max<std::size_t>(fit / 4 * 4, 4);
    for (std::size_t first = 0; first < map_.outputs; first += height) {
      const std::size_t outputs = std::min(height, map_.outputs - first);
      for (std::size_t k = 0; k < call.count; ++k) {
        distances[k] += call.rows == 1 ? match_row(k, state, observed, first, outputs)
                                       : match_panel(call, k, state, observed, first, outputs);
      }
    }
    if (call.rows == 1) double_sums(call.count);
    if (bias_) match_bias(call, state, observed + bias_offset(), distances);
    return true;
  }

  /// With G observed, <D^T X, G> sums the entries of D and X G^T, and |D^T X|^2 those of X X^T and D D^T: all
  /// products have the few rows of a problem on one side, and those with G are one for all problems. The bias
  /// is the weight of an input that is always 1.
  bool add_products(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                    Products* products) override {
    if (call.rows > kMostGramRows) return false;
    const ParameterBlock<const Real> seen{observed, 0};
    const std::size_t rows = call.rows, size = rows * rows;
    write_bias(call, bias_of(seen), map_.outputs, room(to_outputs_, call.all_rows() * map_.outputs));
    map_.forward(call, state.in, seen, Write::kAdd, to_outputs_.data());
    room(input_gram_, call.count * size);
    room(adjoint_gram_, call.count * size);
    for (std::size_t k = 0; k < call.count; ++k) {
      const Real* x = state.in + k * rows * map_.inputs;
      const Real* d = state.out_adjoint + k * rows * map_.outputs;
      Real* of_inputs = input_gram_.data() + k * size;
      Real* of_adjoints = adjoint_gram_.data() + k * size;
      gemm(false, true, rows, rows, map_.inputs, Real(1), x, map_.inputs, x, map_.inputs, Real(0), of_inputs,
           rows);
      gemm(false, true, rows, rows, map_.outputs, Real(1), d, map_.outputs, d, map_.outputs, Real(0),
           of_adjoints, rows);
      for (std::size_t i = 0; bias_ && i < size; ++i) of_inputs[i] += 1;
      products[k].with_observed += dot(d, to_outputs_.data() + k * rows * map_.outputs, rows * map_.outputs);
      products[k].squared += dot(of_inputs, of_adjoints, size);
    }
    return true;
  }

  /// With R = a D^T X + b G: R x + rho = a (X X^T + 1) D + b (X G^T + g) and R^T d = a D D^T X + b D G.
  void combine(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
               const Combination* combinations) override {
    matched_ = true;
    const std::size_t rows = call.rows, size = rows * rows, outputs = rows * map_.outputs;
    Real* scaled = room(panel_, call.all_rows() * map_.outputs);
    room(to_inputs_, call.all_rows() * map_.inputs);
    for (std::size_t k = 0; k < call.count; ++k) {
      const auto a = static_cast<Real>(combinations[k].gradient);
      const auto b = static_cast<Real>(combinations[k].observed);
      const Real* d = state.out_adjoint + k * outputs;
      Real* of_inputs = input_gram_.data() + k * size;
      Real* of_adjoints = adjoint_gram_.data() + k * size;
      for (std::size_t i = 0; i < size; ++i) of_inputs[i] *= a;
      for (std::size_t i = 0; i < size; ++i) of_adjoints[i] *= a;
      for (std::size_t i = k * outputs; i < (k + 1) * outputs; ++i) to_outputs_[i] *= b;
      for (std::size_t i = 0; i < outputs; ++i) scaled[k * outputs + i] = b * d[i];
      gemm(false, false, rows, map_.outputs, rows, Real(1), of_inputs, rows, d, map_.outputs, Real(1),
           to_outputs_.data() + k * outputs, map_.outputs);
      gemm(false, false, rows, map_.inputs, rows, Real(1), of_adjoints, rows,
           state.in + k * rows * map_.inputs, map_.inputs, Real(0),
           to_inputs_.data() + k * rows * map_.inputs, map_.inputs);
    }
    map_.backward(call, scaled, ParameterBlock<const Real>{observed, 0}, Write::kAdd, to_inputs_.data());
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (matched_) {
      std::copy_n(to_outputs_.data(), call.all_rows() * map_.outputs, out_tangent);
    } else {
      write_bias(call, bias_of(state.direction), map_.outputs, out_tangent);
      map_.forward(call, state.in, state.direction, Write::kAdd, out_tangent);
    }
    if (state.in_tangent != nullptr) {
      map_.forward(call, state.in_tangent, state.parameters, Write::kAdd, out_tangent);
    }
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    if (matched_) {
      std::copy_n(to_inputs_.data(), call.all_rows() * map_.inputs, in_adjoint_tangent);
      map_.backward(call, state.out_adjoint_tangent, state.parameters, Write::kAdd, in_adjoint_tangent);
      return;
    }
    map_.backward(call, state.out_adjoint_tangent, state.parameters, Write::kOver, in_adjoint_tangent);
    map_.backward(call, state.out_adjoint, state.direction, Write::kAdd, in_adjoint_tangent);
  }

 private:
  /// Outputs `first` to `first + outputs` of problem k, which has one row: half of R x and R^T d.
  double match_row(std::size_t k, const LayerState<Real>& state, const Real* observed, std::size_t first,
                   std::size_t outputs) {
    return kernels<Real>().residual({outputs, map_.inputs, observed + first * map_.inputs,
                                     state.out_adjoint + k * map_.outputs + first, state.in + k * map_.inputs,
                                     to_outputs_.data() + k * map_.outputs + first,
                                     to_inputs_.data() + k * map_.inputs});
  }
  void double_sums(std::size_t rows) {
    for (std::size_t i = 0; i < rows * map_.outputs; ++i) to_outputs_[i] *= 2;
    for (std::size_t i = 0; i < rows * map_.inputs; ++i) to_inputs_[i] *= 2;
  }
  /// The same for a problem with several rows, R being written down for these outputs.
  double match_panel(const Call<Real>& call, std::size_t k, const LayerState<Real>& state,
                     const Real* observed, std::size_t first, std::size_t outputs) {
    const Real* d = state.out_adjoint + k * call.rows * map_.outputs + first;
    const Real* x = state.in + k * call.rows * map_.inputs;
    const std::size_t size = outputs * map_.inputs;
    Real* panel = room(panel_, size);
    gemm(true, false, outputs, map_.inputs, call.rows, Real(1), d, map_.outputs, x, map_.inputs, Real(0),
         panel, map_.inputs);
    const double distance = kernels<Real>().difference(size, observed + first * map_.inputs, panel);
    gemm(false, true, call.rows, outputs, map_.inputs, Real(1), x, map_.inputs, panel, map_.inputs, Real(0),
         to_outputs_.data() + k * call.rows * map_.outputs + first, map_.outputs);
    gemm(false, false, call.rows, map_.inputs, outputs, Real(1), d, map_.outputs, panel, map_.inputs, Real(1),
         to_inputs_.data() + k * call.rows * map_.inputs, map_.inputs);
    return distance;
  }
  void match_bias(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                  double* distances) {
    Real* rho = room(panel_, map_.outputs);
    for (std::size_t k = 0; k < call.count; ++k) {
      std::fill_n(rho, map_.outputs, Real(0));
      for (std::size_t i = k * call.rows; i < (k + 1) * call.rows; ++i)
        add_line(state.out_adjoint + i * map_.outputs, map_.outputs, rho);
      distances[k] += kernels<Real>().difference(map_.outputs, observed, rho);
      for (std::size_t i = k * call.rows; i < (k + 1) * call.rows; ++i)
        add_line(rho, map_.outputs, to_outputs_.data() + i * map_.outputs);
    }
  }

  static double squared_norm(const Real* row, std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(row[i]) * row[i];
    return sum;
  }
  std::size_t bias_offset() const { return map_.inputs * map_.outputs; }
  ParameterBlock<const Real> bias_of(ParameterBlock<const Real> parameters) const {
    return bias_ ? part(parameters, bias_offset()) : ParameterBlock<const Real>{};
  }

  Projection map_;
  bool bias_;
  bool matched_ = false;          // since the last forward sweep
  std::vector<Real> to_outputs_;  // R x + rho
  std::vector<Real> to_inputs_;   // R^T d
  std::vector<Real> panel_;
  std::vector<Real> input_gram_, adjoint_gram_;  // of each problem: X X^T (+ 1 with a bias) and D D^T
};

}  // namespace

template <class Real>
LayerPointer<Real> make_dense(const Dense& layer, const PlacedLayer& place) {
  return std::make_unique<DenseLayer<Real>>(layer, place);
}
template LayerPointer<float> make_dense(const Dense&, const PlacedLayer&);
template LayerPointer<double> make_dense(const Dense&, const PlacedLayer&);

}  // namespace earshot
