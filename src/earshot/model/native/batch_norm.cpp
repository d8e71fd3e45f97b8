// Batch normalisation (Ioffe & Szegedy 2015) and its derivatives to second order.
//
// Per problem and channel, with E the mean over the cells of all rows and planes:
//   mu = E[x], s = (E[(x - mu)^2] + epsilon)^-1/2, z = (x - mu) s, y = gamma z + beta.
// Derivatives along a direction are marked ', adjoints are d = dF/dy. With P(v) = v - E[v] - z E[z v]:
//   z' = s P(x'),  s' = -s^2 E[z x'],  y' = gamma' z + gamma z' + beta',
//   dF/dx = gamma s P(d),
//   (dF/dx)' = (gamma' s + gamma s') P(d) + gamma s (d' - E[d'] - z' E[z d] - z E[z' d + z d']).
// Fixed statistics do not move: the same formulas with all those E[.] zero.
#include <algorithm>
#include <cmath>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {
namespace {

/// Means over the cells of one channel of one problem. Summed as doubles in both precisions.
struct Moments {
  double mean = 0;                                    // mu
  double inverse = 0;                                 // s
  double in_tangent = 0, z_in_tangent = 0;            // E[x'], E[z x']
  double adjoint = 0, z_adjoint = 0;                  // E[d], E[z d]
  double adjoint_tangent = 0, z_adjoint_tangent = 0;  // E[d'], E[z' d + z d']
};

/// One channel of one row.
struct Plane {
  std::size_t problem = 0;
  std::size_t row = 0;  // among those of all problems
  std::size_t channel = 0;
  std::size_t first = 0;  // cell
  std::size_t last = 0;
};

/// z and z' at a cell, from a channel's moments in the layer's precision.
template <class Real>
struct Standardise {
  explicit Standardise(const Moments& moments)
      : mean(static_cast<Real>(moments.mean)),
        inverse(static_cast<Real>(moments.inverse)),
        in_tangent(static_cast<Real>(moments.in_tangent)),
        z_in_tangent(static_cast<Real>(moments.z_in_tangent)) {}
  Real z(Real x) const { return (x - mean) * inverse; }
  Real tangent(Real z, Real x_tangent) const { return inverse * (x_tangent - in_tangent - z * z_in_tangent); }
  Real mean, inverse, in_tangent, z_in_tangent;
};

template <class Real>
class Normalisation final : public NativeLayer<Real> {
 public:
  Normalisation(const BatchNorm& layer, const PlacedLayer& place, const double* buffers)
      : layer_(layer), channels_(place.in.channels), plane_(place.in.plane()), buffers_(buffers) {}

  bool mixes_rows() const override { return !layer_.frozen; }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    if (moments_.size() < call.count * channels_) moments_.resize(call.count * channels_);
    if (of_batch(call)) {
      set_batch_statistics(call, state.in);
    } else {
      set_fixed_statistics(call);
    }
    each_plane(call, [&](const Plane& plane) {
      const Standardise<Real> at(moments(plane));
      const Real gamma = state.parameters.of(plane.problem)[plane.channel];
      const Real beta = state.parameters.of(plane.problem)[channels_ + plane.channel];
      for (std::size_t i = plane.first; i < plane.last; ++i) out[i] = gamma * at.z(state.in[i]) + beta;
    });
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    set_adjoint_moments(call, state);
    each_plane(call, [&](const Plane& plane) {
      const Standardise<Real> at(moments(plane));
      const Real scale = state.parameters.of(plane.problem)[plane.channel] * at.inverse;
      const Real adjoint = static_cast<Real>(moments(plane).adjoint);
      const Real z_adjoint = static_cast<Real>(moments(plane).z_adjoint);
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        in_adjoint[i] = scale * (state.out_adjoint[i] - adjoint - at.z(state.in[i]) * z_adjoint);
      }
    });
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    for (std::size_t k = 0; k < call.count; ++k) std::fill_n(gradient.of(k), 2 * channels_, Real(0));
    each_plane(call, [&](const Plane& plane) {
      const Slopes slopes = slopes_of(plane, state);
      gradient.of(plane.problem)[plane.channel] += static_cast<Real>(slopes.gamma);
      gradient.of(plane.problem)[channels_ + plane.channel] += static_cast<Real>(slopes.beta);
    });
  }

  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    each_plane(call, [&](const Plane& plane) {
      const Slopes slopes = slopes_of(plane, state);
      squared_norms[plane.row] += slopes.gamma * slopes.gamma + slopes.beta * slopes.beta;
    });
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    set_input_moments(call, state);
    each_plane(call, [&](const Plane& plane) {
      const Standardise<Real> at(moments(plane));
      const Real gamma = state.parameters.of(plane.problem)[plane.channel];
      const Real* direction = state.direction.of(plane.problem);
      const Real gamma_tangent = direction[plane.channel],
                 beta_tangent = direction[channels_ + plane.channel];
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        const Real z = at.z(state.in[i]);
        const Real z_tangent = state.in_tangent == nullptr ? Real{0} : at.tangent(z, state.in_tangent[i]);
        out_tangent[i] = gamma_tangent * z + gamma * z_tangent + beta_tangent;
      }
    });
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    set_adjoint_moments(call, state);
    set_adjoint_tangent_moments(call, state);
    each_plane(call, [&](const Plane& plane) {
      const Moments& m = moments(plane);
      const Standardise<Real> at(m);
      const Real gamma = state.parameters.of(plane.problem)[plane.channel];
      const Real gamma_tangent = state.direction.of(plane.problem)[plane.channel];
      const Real scale = gamma * at.inverse;
      const Real scale_tangent =
          gamma_tangent * at.inverse - gamma * at.inverse * at.inverse * at.z_in_tangent;
      const Real adjoint = static_cast<Real>(m.adjoint), z_adjoint = static_cast<Real>(m.z_adjoint),
                 adjoint_tangent = static_cast<Real>(m.adjoint_tangent),
                 z_adjoint_tangent = static_cast<Real>(m.z_adjoint_tangent);
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        const Real z = at.z(state.in[i]);
        const Real z_tangent = state.in_tangent == nullptr ? Real{0} : at.tangent(z, state.in_tangent[i]);
        const Real projected = state.out_adjoint[i] - adjoint - z * z_adjoint;
        in_adjoint_tangent[i] =
            scale_tangent * projected + scale * (state.out_adjoint_tangent[i] - adjoint_tangent -
                                                 z_tangent * z_adjoint - z * z_adjoint_tangent);
      }
    });
  }

  void observe(const Call<Real>& call, const LayerState<Real>& state, double momentum,
               double* buffers) const override {
    if (layer_.frozen) return;
    Call<Real> all = call;
    all.count = 1;
    all.rows = call.all_rows();
    require_cells(all);
    const double cells = static_cast<double>(all.rows * plane_);
    std::vector<double> mean(channels_, 0.0), variance(channels_, 0.0);
    each_plane(all, [&](const Plane& plane) {
      for (std::size_t i = plane.first; i < plane.last; ++i) mean[plane.channel] += state.in[i] / cells;
    });
    each_plane(all, [&](const Plane& plane) {
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        const double deviation = state.in[i] - mean[plane.channel];
        variance[plane.channel] += deviation * deviation / (cells - 1);
      }
    });
    for (std::size_t c = 0; c < channels_; ++c) {
      buffers[c] += momentum * (mean[c] - buffers[c]);
      buffers[channels_ + c] += momentum * (variance[c] - buffers[channels_ + c]);
    }
  }

 private:
  /// The gradient w.r.t. gamma and beta through one plane.
  struct Slopes {
    double gamma = 0;
    double beta = 0;
  };
  Slopes slopes_of(const Plane& plane, const LayerState<Real>& state) const {
    const Standardise<Real> at(moments(plane));
    Slopes slopes;
    for (std::size_t i = plane.first; i < plane.last; ++i) {
      slopes.gamma += static_cast<double>(state.out_adjoint[i]) * at.z(state.in[i]);
      slopes.beta += state.out_adjoint[i];
    }
    return slopes;
  }

  bool of_batch(const Call<Real>& call) const { return !layer_.frozen && !call.predicting; }

  Moments& moments(const Plane& plane) { return moments_[plane.problem * channels_ + plane.channel]; }
  const Moments& moments(const Plane& plane) const {
    return moments_[plane.problem * channels_ + plane.channel];
  }

  template <class Body>
  void each_plane(const Call<Real>& call, Body body) const {
    Plane plane;
    for (; plane.row < call.all_rows(); ++plane.row) {
      plane.problem = plane.row / call.rows;
      for (plane.channel = 0; plane.channel < channels_; ++plane.channel) {
        plane.first = (plane.row * channels_ + plane.channel) * plane_;
        plane.last = plane.first + plane_;
        body(plane);
      }
    }
  }
  template <class Body>
  void each_moments(const Call<Real>& call, Body body) {
    for (std::size_t j = 0; j < call.count * channels_; ++j) body(moments_[j]);
  }

  void require_cells(const Call<Real>& call) const {
    if (call.rows * plane_ != 1) return;
    fail(Fault::kConfig,
         "batch norm cannot take statistics of one record with one cell per channel: use larger batches or "
         "frozen statistics");
  }

  void set_fixed_statistics(const Call<Real>& call) {
    for (std::size_t j = 0; j < call.count * channels_; ++j) {
      const std::size_t c = j % channels_;
      moments_[j] = Moments{};
      moments_[j].mean = buffers_[c];
      moments_[j].inverse = 1 / std::sqrt(buffers_[channels_ + c] + layer_.epsilon);
    }
  }

  void set_batch_statistics(const Call<Real>& call, const Real* in) {
    require_cells(call);
    const double cells = static_cast<double>(call.rows * plane_);
    each_moments(call, [](Moments& m) { m = Moments{}; });
    each_plane(call, [&](const Plane& plane) {
      double sum = 0;
      for (std::size_t i = plane.first; i < plane.last; ++i) sum += in[i];
      moments(plane).mean += sum / cells;
    });
    each_plane(call, [&](const Plane& plane) {
      Moments& m = moments(plane);
      double sum = 0;
      for (std::size_t i = plane.first; i < plane.last; ++i) sum += (in[i] - m.mean) * (in[i] - m.mean);
      m.inverse += sum / cells;  // still the variance
    });
    each_moments(call, [&](Moments& m) { m.inverse = 1 / std::sqrt(m.inverse + layer_.epsilon); });
  }

  void set_input_moments(const Call<Real>& call, const LayerState<Real>& state) {
    each_moments(call, [](Moments& m) { m.in_tangent = m.z_in_tangent = 0; });
    if (!of_batch(call) || state.in_tangent == nullptr) return;
    const double cells = static_cast<double>(call.rows * plane_);
    each_plane(call, [&](const Plane& plane) {
      const Standardise<Real> at(moments(plane));
      double sum = 0, z_sum = 0;
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        sum += state.in_tangent[i];
        z_sum += static_cast<double>(at.z(state.in[i])) * state.in_tangent[i];
      }
      moments(plane).in_tangent += sum / cells;
      moments(plane).z_in_tangent += z_sum / cells;
    });
  }

  void set_adjoint_moments(const Call<Real>& call, const LayerState<Real>& state) {
    each_moments(call, [](Moments& m) { m.adjoint = m.z_adjoint = 0; });
    if (!of_batch(call)) return;
    const double cells = static_cast<double>(call.rows * plane_);
    each_plane(call, [&](const Plane& plane) {
      const Slopes slopes = slopes_of(plane, state);
      moments(plane).adjoint += slopes.beta / cells;
      moments(plane).z_adjoint += slopes.gamma / cells;
    });
  }

  void set_adjoint_tangent_moments(const Call<Real>& call, const LayerState<Real>& state) {
    each_moments(call, [](Moments& m) { m.adjoint_tangent = m.z_adjoint_tangent = 0; });
    if (!of_batch(call)) return;
    const double cells = static_cast<double>(call.rows * plane_);
    each_plane(call, [&](const Plane& plane) {
      const Standardise<Real> at(moments(plane));
      double sum = 0, z_sum = 0;
      for (std::size_t i = plane.first; i < plane.last; ++i) {
        const Real z = at.z(state.in[i]);
        const Real z_tangent = state.in_tangent == nullptr ? Real{0} : at.tangent(z, state.in_tangent[i]);
        sum += state.out_adjoint_tangent[i];
        z_sum += static_cast<double>(z_tangent) * state.out_adjoint[i] +
                 static_cast<double>(z) * state.out_adjoint_tangent[i];
      }
      moments(plane).adjoint_tangent += sum / cells;
      moments(plane).z_adjoint_tangent += z_sum / cells;
    });
  }

  BatchNorm layer_;
  std::size_t channels_;
  std::size_t plane_;
  const double* buffers_;
  std::vector<Moments> moments_;  // problem by problem; statistics of the last forward call
};

}  // namespace

template <class Real>
LayerPointer<Real> make_batch_norm(const BatchNorm& layer, const PlacedLayer& place, const double* buffers) {
  return std::make_unique<Normalisation<Real>>(layer, place, buffers);
}

template LayerPointer<double> make_batch_norm(const BatchNorm& layer, const PlacedLayer& place,
                                              const double* buffers);
template LayerPointer<float> make_batch_norm(const BatchNorm& layer, const PlacedLayer& place,
                                             const double* buffers);

}  // namespace earshot
