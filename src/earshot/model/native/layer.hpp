// One layer of the native engine: forward, backward, and the tangents of both.
//
// With the loss F(theta, x), the pullback d<r, dF/dtheta>/dx equals the derivative of dF/dx when theta moves
// in direction r. So beside values h and adjoints d = dF/dh every layer carries their derivatives in that
// direction: h' (tangent) and d' (adjoint tangent). One forward and one backward sweep of those gives the
// pullback: no nested tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "earshot/model/model.hpp"

namespace earshot {

/// One layer's part of the parameter vectors of all problems: problem k's starts at data + k * stride (stride
/// 0: shared).
template <class T>
struct ParameterBlock {
  T* data = nullptr;
  std::size_t stride = 0;
  T* of(std::size_t problem) const { return data + problem * stride; }
};

/// What is common to all layers during one call. Activations are (count * rows) x size, problem by problem.
template <class Real>
struct Call {
  std::size_t count = 1;
  std::size_t rows = 0;     // of each problem, at this layer's input
  bool predicting = false;  // batch norm uses its buffers
  std::optional<std::uint64_t> dropout{};
  const GraphPattern* graph = nullptr;
  ParameterBlock<const Real> adjacency{};    // edges per problem; data null: all 1
  ParameterBlock<Real> adjacency_tangent{};  // in tangent_backward: where graph layers ADD d'(adjacency);
                                             // data null: not wanted

  std::size_t all_rows() const { return count * rows; }
};

/// Pointers a layer reads; those not needed by a procedure may be null.
template <class Real>
struct LayerState {
  const Real* in = nullptr;
  const Real* out = nullptr;
  const Real* out_adjoint = nullptr;
  const Real* in_tangent = nullptr;  // null: zero (the first layer's input does not move)
  const Real* out_tangent = nullptr;
  const Real* out_adjoint_tangent = nullptr;
  ParameterBlock<const Real> parameters{};
  ParameterBlock<const Real> direction{};  // r
};

/// Of a problem's gradient, in all layers so far: <gradient, observed> and |gradient|^2.
struct Products {
  double with_observed = 0;
  double squared = 0;
};
/// The direction `gradient` times a problem's gradient plus `observed` times what was observed.
struct Combination {
  double gradient = 0;
  double observed = 0;
};

/// Made for a place in an architecture; keeps scratch memory between the procedures of one step, which are
/// called in the order below. Procedures overwrite their output unless they say they add.
template <class Real>
class NativeLayer {
 public:
  virtual ~NativeLayer() = default;

  virtual void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) = 0;
  /// d(in) from d(out).
  virtual void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) = 0;
  /// The gradient w.r.t. this layer's parameters from d(out), of each problem; without parameters nothing.
  virtual void parameter_gradient(const Call<Real>&, const LayerState<Real>&, ParameterBlock<Real>) {}
  /// Adds, for every row, the squared L2 norm of that row's own parameter gradient. Only for layers that do
  /// not mix rows.
  virtual void add_squared_norms(const Call<Real>&, const LayerState<Real>&, double* /*squared_norms*/) {}
  /// In place of parameter_gradient: adds |gradient - observed|^2 of each problem to distances[k], and keeps
  /// what the tangents need of the direction 2 (gradient - observed), which is then not given to them. False
  /// if this layer wants the direction itself.
  virtual bool match(const Call<Real>&, const LayerState<Real>&, const Real* /*observed*/,
                     double* /*distances*/) {
    return false;
  }
  /// The same for directions that depend on all layers, in two steps. Adds this layer's products, of each
  /// problem, and keeps what `combine` needs; false if this layer wants the direction itself.
  virtual bool add_products(const Call<Real>&, const LayerState<Real>&, const Real* /*observed*/,
                            Products* /*products*/) {
    return false;
  }
  /// After `add_products`: keeps what the tangents need of each problem's direction.
  virtual void combine(const Call<Real>&, const LayerState<Real>&, const Real* /*observed*/,
                       const Combination* /*combinations*/) {}
  /// h'(out) from h'(in) and the direction.
  virtual void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) = 0;
  /// d'(in) from d'(out), d(out), h'(in) and the direction.
  virtual void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                                Real* in_adjoint_tangent) = 0;

  /// Moves this layer's own running statistics (batch norm: mean, then variance) to (1 - momentum) old +
  /// momentum batch, the batch being all rows of `state.in`; other layers have none.
  virtual void observe(const Call<Real>&, const LayerState<Real>&, double /*momentum*/,
                       double* /*buffers*/) const {}

  /// Rows per problem at the output, given those at the input (a read-out changes them).
  virtual std::size_t rows_out(const Call<Real>& call) const { return call.rows; }
  /// Whether one row's output depends on other rows (graph layers, batch norm on batch statistics).
  virtual bool mixes_rows() const { return false; }
  /// Whether backward and tangent_backward do more than write d(in), and so are called with null when nobody
  /// wants that: graph layers prepare parameter_gradient and add to the adjacency's tangent.
  virtual bool always_goes_back() const { return false; }
};

}  // namespace earshot
