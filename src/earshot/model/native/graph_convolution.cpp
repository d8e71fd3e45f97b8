// Kipf & Welling 2017: H W^T averaged over neighbourhoods with the weights N = D^-1/2 (A + I) D^-1/2.
//
// Both orders of the two linear maps give the same result; the narrower of input and output is the one that
// is averaged. Call X what is averaged (H W^T or H) and V the adjoint of N X (d(out) or d(out) W). With
// s = D^-1/2 and B_ij = dF/dN_ij = <V_i, X_j>, an entry of the adjacency acts through N_ij and through the
// degree of its row, which scales row i and column i of N:
//   dF/dA_ij = s_i s_j B_ij - (sum_k B_ik N_ik + sum_k B_ki N_ki) / (2 D_i).
// The adjacency does not move with the parameters, so its tangent is the same with
// B'_ij = <V'_i, X_j> + <V_i, X'_j>.
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/model/native/graph_rows.hpp"
#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/projection.hpp"

namespace earshot {
namespace {

/// The sparse half of the layer: products with N and its transpose, and the derivative with respect to A.
template <class Real>
class Aggregation {
 public:
  void normalise(const Call<Real>& call) {
    const GraphPattern& graph = *call.graph;
    entries_ = entry_count(graph);
    nodes_ = graph.nodes;
    sets_ = adjacency_sets(call);
    weights_.resize(sets_ * entries_);
    scales_.resize(sets_ * nodes_);
    for (std::size_t k = 0; k < sets_; ++k) normalise(call, k);
  }

  /// out += N x.
  void add(const Call<Real>& call, const Real* x, std::size_t width, Real* out) const {
    for_each_weight(call, [&](std::size_t row, std::size_t column, Real weight) {
      RowView<Real>(out + row * width, width) += weight * ConstRowView<Real>(x + column * width, width);
    });
  }

  /// out = N^T y.
  void transposed(const Call<Real>& call, const Real* y, std::size_t width, Real* out) const {
    std::fill_n(out, call.all_rows() * width, Real(0));
    for_each_weight(call, [&](std::size_t row, std::size_t column, Real weight) {
      RowView<Real>(out + column * width, width) += weight * ConstRowView<Real>(y + row * width, width);
    });
  }

  /// Adds the tangent of dF/dA; `v` is the adjoint of N x, the others are tangents. `x_tangent` may be null.
  void add_adjacency_tangent(const Call<Real>& call, const Real* v, const Real* v_tangent, const Real* x,
                             const Real* x_tangent, std::size_t width) {
    products_.resize(entries_);
    flows_.resize(nodes_);
    for (std::size_t k = 0; k < call.count; ++k) {
      const std::size_t start = k * nodes_ * width;
      fill_products(*call.graph, weights_of(k), v + start, v_tangent + start, x + start,
                    x_tangent == nullptr ? nullptr : x_tangent + start, width);
      add_products(*call.graph, scales_of(k), call.adjacency_tangent.of(k));
    }
  }

 private:
  const Real* weights_of(std::size_t k) const { return weights_.data() + (sets_ == 1 ? 0 : k * entries_); }
  const Real* scales_of(std::size_t k) const { return scales_.data() + (sets_ == 1 ? 0 : k * nodes_); }

  void normalise(const Call<Real>& call, std::size_t k) {
    const GraphPattern& graph = *call.graph;
    Real* weights = weights_.data() + k * entries_;
    Real* scales = scales_.data() + k * nodes_;
    fill_adjacency(call, k, weights);
    for (std::size_t i = 0; i < nodes_; ++i) {
      Real degree = 0;
      for_each_entry(graph, i, [&](std::size_t entry, std::size_t) { degree += weights[entry]; });
      if (!(degree > 0))
        fail(Fault::kNumeric,
             "graph convolution: a row of the soft adjacency sums to -1 or less (or is not a number), so it "
             "has no inverse square root; keep adjacency values between 0 and 1");
      scales[i] = 1 / std::sqrt(degree);
    }
    for (std::size_t i = 0; i < nodes_; ++i)
      for_each_entry(graph, i,
                     [&](std::size_t entry, std::size_t j) { weights[entry] *= scales[i] * scales[j]; });
  }

  template <class Visit>
  void for_each_weight(const Call<Real>& call, Visit visit) const {
    for (std::size_t k = 0; k < call.count; ++k) {
      const Real* weights = weights_of(k);
      const std::size_t first = k * nodes_;
      for (std::size_t i = 0; i < nodes_; ++i)
        for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
          visit(first + i, first + j, weights[entry]);
        });
    }
  }

  /// B' of every entry, and per node the sum of B' N over its row and its column.
  void fill_products(const GraphPattern& graph, const Real* weights, const Real* v, const Real* v_tangent,
                     const Real* x, const Real* x_tangent, std::size_t width) {
    const auto dot = [width](const Real* a, std::size_t i, const Real* b, std::size_t j) {
      return ConstRowView<Real>(a + i * width, width).dot(ConstRowView<Real>(b + j * width, width));
    };
    std::fill(flows_.begin(), flows_.end(), Real(0));
    for (std::size_t i = 0; i < nodes_; ++i)
      for_each_entry(graph, i, [&](std::size_t entry, std::size_t j) {
        Real product = dot(v_tangent, i, x, j);
        if (x_tangent != nullptr) product += dot(v, i, x_tangent, j);
        products_[entry] = product;
        flows_[i] += product * weights[entry];
        flows_[j] += product * weights[entry];
      });
  }

  void add_products(const GraphPattern& graph, const Real* scales, Real* out) const {
    for (std::size_t i = 0; i < nodes_; ++i) {
      const Real through_degree = -flows_[i] * scales[i] * scales[i] / 2;
      for (std::size_t edge = graph.row_starts[i]; edge < graph.row_starts[i + 1]; ++edge)
        out[edge] += scales[i] * scales[graph.columns[edge]] * products_[edge + i] + through_degree;
    }
  }

  std::size_t entries_ = 0;
  std::size_t nodes_ = 0;
  std::size_t sets_ = 1;
  std::vector<Real> weights_;  // N, by entry
  std::vector<Real> scales_;   // D^-1/2
  std::vector<Real> products_;
  std::vector<Real> flows_;
};

template <class Real>
class GraphConvolution final : public NativeLayer<Real> {
 public:
  GraphConvolution(const GraphConvolve& layer, const PlacedLayer& place)
      : map_{place.in.size(), layer.outputs},
        bias_(layer.bias),
        project_first_(map_.outputs < map_.inputs),
        width_(std::min(map_.inputs, map_.outputs)) {}

  bool mixes_rows() const override { return true; }
  bool always_goes_back() const override { return true; }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    aggregation_.normalise(call);
    averaged_.resize(call.all_rows() * width_);
    if (project_first_) {
      map_.forward(call, state.in, state.parameters, Write::kOver, averaged_.data());
      write_bias(call, bias_of(state.parameters), map_.outputs, out);
      aggregation_.add(call, averaged_.data(), width_, out);
    } else {
      std::fill(averaged_.begin(), averaged_.end(), Real(0));
      aggregation_.add(call, state.in, width_, averaged_.data());
      write_bias(call, bias_of(state.parameters), map_.outputs, out);
      map_.forward(call, averaged_.data(), state.parameters, Write::kAdd, out);
    }
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    adjoint_.resize(call.all_rows() * width_);
    if (project_first_) {
      aggregation_.transposed(call, state.out_adjoint, width_, adjoint_.data());
      if (in_adjoint != nullptr)
        map_.backward(call, adjoint_.data(), state.parameters, Write::kOver, in_adjoint);
    } else {
      map_.backward(call, state.out_adjoint, state.parameters, Write::kOver, adjoint_.data());
      if (in_adjoint != nullptr) aggregation_.transposed(call, adjoint_.data(), width_, in_adjoint);
    }
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    if (project_first_)
      map_.gradient(call, adjoint_.data(), state.in, gradient);
    else
      map_.gradient(call, state.out_adjoint, averaged_.data(), gradient);
    if (bias_)
      bias_gradient(call, state.out_adjoint, map_.outputs, part(gradient, map_.inputs * map_.outputs));
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    averaged_tangent_.resize(call.all_rows() * width_);
    write_bias(call, bias_of(state.direction), map_.outputs, out_tangent);
    if (project_first_) {
      map_.forward(call, state.in, state.direction, Write::kOver, averaged_tangent_.data());
      if (state.in_tangent != nullptr)
        map_.forward(call, state.in_tangent, state.parameters, Write::kAdd, averaged_tangent_.data());
      aggregation_.add(call, averaged_tangent_.data(), width_, out_tangent);
    } else {
      map_.forward(call, averaged_.data(), state.direction, Write::kAdd, out_tangent);
      if (state.in_tangent == nullptr) return;
      std::fill(averaged_tangent_.begin(), averaged_tangent_.end(), Real(0));
      aggregation_.add(call, state.in_tangent, width_, averaged_tangent_.data());
      map_.forward(call, averaged_tangent_.data(), state.parameters, Write::kAdd, out_tangent);
    }
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    adjoint_tangent_.resize(call.all_rows() * width_);
    if (project_first_) {
      if (in_adjoint_tangent != nullptr) {
        aggregation_.transposed(call, state.out_adjoint_tangent, width_, adjoint_tangent_.data());
        map_.backward(call, adjoint_tangent_.data(), state.parameters, Write::kOver, in_adjoint_tangent);
        map_.backward(call, adjoint_.data(), state.direction, Write::kAdd, in_adjoint_tangent);
      }
      add_adjacency_tangent(call, state.out_adjoint, state.out_adjoint_tangent, averaged_.data(),
                            averaged_tangent_.data());
    } else {
      map_.backward(call, state.out_adjoint_tangent, state.parameters, Write::kOver, adjoint_tangent_.data());
      map_.backward(call, state.out_adjoint, state.direction, Write::kAdd, adjoint_tangent_.data());
      if (in_adjoint_tangent != nullptr)
        aggregation_.transposed(call, adjoint_tangent_.data(), width_, in_adjoint_tangent);
      add_adjacency_tangent(call, adjoint_.data(), adjoint_tangent_.data(), state.in, state.in_tangent);
    }
  }

 private:
  ParameterBlock<const Real> bias_of(ParameterBlock<const Real> parameters) const {
    return bias_ ? part(parameters, map_.inputs * map_.outputs) : ParameterBlock<const Real>{};
  }

  void add_adjacency_tangent(const Call<Real>& call, const Real* v, const Real* v_tangent, const Real* x,
                             const Real* x_tangent) {
    if (call.adjacency_tangent.data != nullptr)
      aggregation_.add_adjacency_tangent(call, v, v_tangent, x, x_tangent, width_);
  }

  Projection map_;
  bool bias_;
  bool project_first_;
  std::size_t width_;  // of the rows that are averaged
  Aggregation<Real> aggregation_;
  std::vector<Real> averaged_;  // X = H W^T when projecting first, N H otherwise
  std::vector<Real> averaged_tangent_;
  std::vector<Real> adjoint_;  // N^T d(out) when projecting first, V = d(out) W otherwise
  std::vector<Real> adjoint_tangent_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_graph_convolution(const GraphConvolve& layer, const PlacedLayer& place) {
  return std::make_unique<GraphConvolution<Real>>(layer, place);
}
template LayerPointer<float> make_graph_convolution<float>(const GraphConvolve&, const PlacedLayer&);
template LayerPointer<double> make_graph_convolution<double>(const GraphConvolve&, const PlacedLayer&);

}  // namespace earshot
