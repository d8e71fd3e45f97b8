// Graph attention (Velickovic et al. 2018) with a soft adjacency.
//
// Per head, with h~ = W h, u_ij = a_source . h~_i + a_target . h~_j, e = leaky(u), j over N(i) and i itself:
//   w_ij = exp(e_ij) / sum_k A_ik exp(e_ik),  alpha_ij = A_ij w_ij,  o_i = sum_j alpha_ij h~_j.
// Backward, from d_i = dF/do_i, with c_ij = <d_i, h~_j> and its mean under attention m_i = sum_j alpha_ij
// c_ij:
//   dF/dA_ij = w_ij (c_ij - m_i),  p_ij = dF/du_ij = leaky'(u_ij) A_ij dF/dA_ij,
//   sigma_i = sum_j p_ij,  tau_j = sum_i p_ij,
//   dF/dh~_j = sum_i alpha_ij d_i + sigma_j a_source + tau_j a_target,
//   dF/da_source = sum_i sigma_i h~_i,  dF/da_target = sum_j tau_j h~_j.
// Tangents (primes) follow by the product rule, A being fixed and leaky piecewise linear:
//   u'_ij = (a_source . h~_i)' + (a_target . h~_j)',  e' = leaky'(u) u',  w'_ij = w_ij (e'_ij - sum_k
//   alpha_ik e'_ik), o'_i = sum_j alpha'_ij h~_j + alpha_ij h~'_j, c'_ij = <d'_i, h~_j> + <d_i, h~'_j>,  m'_i
//   = sum_j alpha'_ij c_ij + alpha_ij c'_ij, (dF/dA_ij)' = w'_ij (c_ij - m_i) + w_ij (c'_ij - m'_i),  and p',
//   sigma', tau', (dF/dh~)' likewise.
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/model/native/graph_rows.hpp"
#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/projection.hpp"

namespace earshot {
namespace {

constexpr double kLeakySlope = 0.2;

/// Where the parameters lie.
struct AttentionLayout {
  AttentionLayout(const GraphAttend& layer, const PlacedLayer& place)
      : heads(layer.heads), width(layer.width), inputs(place.in.size()), outputs(place.out.size()) {}

  std::size_t all_heads() const { return heads * width; }
  std::size_t source() const { return all_heads() * inputs; }
  std::size_t target() const { return source() + all_heads(); }
  std::size_t skip() const { return target() + all_heads(); }

  std::size_t heads;
  std::size_t width;
  std::size_t inputs;
  std::size_t outputs;
};

/// Everything one head of one problem keeps about the entries and nodes of A + I.
template <class Real>
struct HeadState {
  Real* weight;          // w
  Real* slope;           // leaky'(u)
  Real* weight_tangent;  // w'
  Real* excess;          // c - m
  Real* source;          // sigma
  Real* target;          // tau
};

template <class Real>
class GraphAttention final : public NativeLayer<Real> {
 public:
  GraphAttention(const GraphAttend& layer, const PlacedLayer& place)
      : at_(layer, place),
        mean_(layer.heads_join == Join::kAdd),
        skip_(layer.skip),
        project_skip_(layer.skip && at_.inputs != at_.outputs),
        bias_(layer.bias),
        bias_offset_(at_.skip() + (project_skip_ ? at_.outputs * at_.inputs : 0)),
        map_{at_.inputs, at_.all_heads()},
        skip_map_{at_.inputs, at_.outputs} {}

  bool mixes_rows() const override { return true; }
  bool always_goes_back() const override { return true; }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    allocate(call);
    for (std::size_t k = 0; k < sets_; ++k) fill_adjacency(call, k, adjacency_.data() + k * entries_);
    map_.forward(call, state.in, state.parameters, Write::kOver, hidden_.data());
    for_each_head(call, [&](std::size_t k, std::size_t head) { attend(call, state.parameters, k, head); });
    write_bias(call, bias_of(state.parameters), at_.outputs, out);
    add_skip(call, state.in, state.parameters, out);
    add_joined(call, out);
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    split(call, state.out_adjoint, adjoint_);
    for_each_head(call,
                  [&](std::size_t k, std::size_t head) { attend_back(call, state.parameters, k, head); });
    if (in_adjoint == nullptr) return;
    map_.backward(call, hidden_adjoint_.data(), state.parameters, Write::kOver, in_adjoint);
    add_skip_back(call, state.out_adjoint, state.parameters, in_adjoint);
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    map_.gradient(call, hidden_adjoint_.data(), state.in, gradient);
    for_each_head(call, [&](std::size_t k, std::size_t head) {
      const HeadState<Real> kept = kept_by(k, head);
      RowView<Real> source(gradient.of(k) + at_.source() + head * at_.width, at_.width);
      RowView<Real> target(gradient.of(k) + at_.target() + head * at_.width, at_.width);
      source.setZero();
      target.setZero();
      for (std::size_t i = 0; i < call.rows; ++i) {
        source += kept.source[i] * row(hidden_, call, k, i, head);
        target += kept.target[i] * row(hidden_, call, k, i, head);
      }
    });
    if (project_skip_) skip_map_.gradient(call, state.out_adjoint, state.in, part(gradient, at_.skip()));
    if (bias_) bias_gradient(call, state.out_adjoint, at_.outputs, part(gradient, bias_offset_));
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    map_.forward(call, state.in, state.direction, Write::kOver, hidden_tangent_.data());
    if (state.in_tangent != nullptr)
      map_.forward(call, state.in_tangent, state.parameters, Write::kAdd, hidden_tangent_.data());
    for_each_head(call, [&](std::size_t k, std::size_t head) {
      attend_tangent(call, state.parameters.of(k), state.direction.of(k), k, head);
    });
    write_bias(call, bias_of(state.direction), at_.outputs, out_tangent);
    if (project_skip_)
      skip_map_.forward(call, state.in, part(state.direction, at_.skip()), Write::kAdd, out_tangent);
    if (state.in_tangent != nullptr) add_skip(call, state.in_tangent, state.parameters, out_tangent);
    add_joined(call, out_tangent);
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    split(call, state.out_adjoint_tangent, adjoint_tangent_);
    for_each_head(call, [&](std::size_t k, std::size_t head) {
      attend_back_tangent(call, state.parameters.of(k), state.direction.of(k), k, head);
    });
    if (in_adjoint_tangent == nullptr) return;
    map_.backward(call, hidden_adjoint_tangent_.data(), state.parameters, Write::kOver, in_adjoint_tangent);
    map_.backward(call, hidden_adjoint_.data(), state.direction, Write::kAdd, in_adjoint_tangent);
    add_skip_back(call, state.out_adjoint_tangent, state.parameters, in_adjoint_tangent);
    if (project_skip_)
      skip_map_.backward(call, state.out_adjoint, part(state.direction, at_.skip()), Write::kAdd,
                         in_adjoint_tangent);
  }

 private:
  void allocate(const Call<Real>& call) {
    entries_ = entry_count(*call.graph);
    sets_ = adjacency_sets(call);
    adjacency_.resize(sets_ * entries_);
    for (auto* per_entry : {&weight_, &slope_, &weight_tangent_, &excess_})
      per_entry->resize(call.count * at_.heads * entries_);
    for (auto* per_node : {&source_, &target_}) per_node->resize(call.count * at_.heads * call.rows);
    for (auto* per_row : {&source_tangent_, &target_tangent_}) per_row->resize(call.rows);
    change_.resize(entries_);
    for (auto* hidden : {&hidden_, &joined_, &adjoint_, &hidden_adjoint_, &hidden_tangent_, &adjoint_tangent_,
                         &hidden_adjoint_tangent_})
      hidden->resize(call.all_rows() * at_.all_heads());
  }

  template <class Body>
  void for_each_head(const Call<Real>& call, Body body) const {
    for (std::size_t k = 0; k < call.count; ++k)
      for (std::size_t head = 0; head < at_.heads; ++head) body(k, head);
  }

  HeadState<Real> kept_by(std::size_t k, std::size_t head) {
    const std::size_t place = k * at_.heads + head;
    const std::size_t nodes = source_tangent_.size();
    return {weight_.data() + place * entries_,
            slope_.data() + place * entries_,
            weight_tangent_.data() + place * entries_,
            excess_.data() + place * entries_,
            source_.data() + place * nodes,
            target_.data() + place * nodes};
  }
  const Real* adjacency_of(std::size_t k) const {
    return adjacency_.data() + (sets_ == 1 ? 0 : k * entries_);
  }

  /// One head's part of row i of problem k.
  RowView<Real> row(std::vector<Real>& rows, const Call<Real>& call, std::size_t k, std::size_t i,
                    std::size_t head) const {
    return {rows.data() + (k * call.rows + i) * at_.all_heads() + head * at_.width,
            static_cast<Eigen::Index>(at_.width)};
  }
  ConstRowView<Real> vector_at(const Real* parameters, std::size_t offset, std::size_t head) const {
    return {parameters + offset + head * at_.width, static_cast<Eigen::Index>(at_.width)};
  }
  ParameterBlock<const Real> bias_of(ParameterBlock<const Real> parameters) const {
    return bias_ ? part(parameters, bias_offset_) : ParameterBlock<const Real>{};
  }

  /// w, leaky'(u) and o of one head.
  void attend(const Call<Real>& call, ParameterBlock<const Real> parameters, std::size_t k,
              std::size_t head) {
    const HeadState<Real> kept = kept_by(k, head);
    const Real* adjacency = adjacency_of(k);
    const auto a_source = vector_at(parameters.of(k), at_.source(), head);
    const auto a_target = vector_at(parameters.of(k), at_.target(), head);
    for (std::size_t i = 0; i < call.rows; ++i) {
      kept.source[i] = a_source.dot(row(hidden_, call, k, i, head));
      kept.target[i] = a_target.dot(row(hidden_, call, k, i, head));
    }
    for (std::size_t i = 0; i < call.rows; ++i) {
      soften(*call.graph, adjacency, kept, i);
      RowView<Real> out = row(joined_, call, k, i, head);
      out.setZero();
      for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
        if (adjacency[entry] != 0)
          out += adjacency[entry] * kept.weight[entry] * row(hidden_, call, k, j, head);
      });
    }
  }

  /// w of row i. The largest exponent that counts is taken out, so that no sum overflows; an entry with
  /// A_ij = 0 has no attention, whatever its exponent.
  void soften(const GraphPattern& graph, const Real* adjacency, const HeadState<Real>& kept, std::size_t i) {
    Real largest = -std::numeric_limits<Real>::infinity();
    for_each_entry(graph, i, [&](std::size_t entry, std::size_t j) {
      const Real u = kept.source[i] + kept.target[j];
      kept.slope[entry] = u > 0 ? Real(1) : Real(kLeakySlope);
      kept.weight[entry] = kept.slope[entry] * u;
      if (adjacency[entry] != 0) largest = std::max(largest, kept.weight[entry]);
    });
    Real sum = 0;
    for_each_entry(graph, i, [&](std::size_t entry, std::size_t) {
      kept.weight[entry] = std::exp(kept.weight[entry] - largest);
      if (adjacency[entry] != 0) sum += adjacency[entry] * kept.weight[entry];
    });
    if (!(sum > 0))
      fail(Fault::kNumeric,
           "graph attention: the attention of a node sums to zero or less (or is not a number), so it cannot "
           "be normalised; keep adjacency values between 0 and 1 and features finite");
    for_each_entry(graph, i, [&](std::size_t entry, std::size_t) { kept.weight[entry] /= sum; });
  }

  /// c - m, sigma, tau and dF/dh~ of one head.
  void attend_back(const Call<Real>& call, ParameterBlock<const Real> parameters, std::size_t k,
                   std::size_t head) {
    const HeadState<Real> kept = kept_by(k, head);
    const Real* adjacency = adjacency_of(k);
    const auto a_source = vector_at(parameters.of(k), at_.source(), head);
    const auto a_target = vector_at(parameters.of(k), at_.target(), head);
    for (std::size_t i = 0; i < call.rows; ++i) {
      row(hidden_adjoint_, call, k, i, head).setZero();
      kept.source[i] = kept.target[i] = 0;
    }
    for (std::size_t i = 0; i < call.rows; ++i) {
      const RowView<Real> d = row(adjoint_, call, k, i, head);
      Real mean = 0;
      for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
        kept.excess[entry] = d.dot(row(hidden_, call, k, j, head));
        if (adjacency[entry] == 0) return;
        const Real alpha = adjacency[entry] * kept.weight[entry];
        mean += alpha * kept.excess[entry];
        row(hidden_adjoint_, call, k, j, head) += alpha * d;
      });
      for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
        kept.excess[entry] -= mean;
        if (adjacency[entry] == 0) return;
        const Real p = kept.slope[entry] * adjacency[entry] * kept.weight[entry] * kept.excess[entry];
        kept.source[i] += p;
        kept.target[j] += p;
      });
    }
    for (std::size_t i = 0; i < call.rows; ++i)
      row(hidden_adjoint_, call, k, i, head) += kept.source[i] * a_source + kept.target[i] * a_target;
  }

  /// w' and o' of one head; h~' is already there.
  void attend_tangent(const Call<Real>& call, const Real* parameters, const Real* direction, std::size_t k,
                      std::size_t head) {
    const HeadState<Real> kept = kept_by(k, head);
    const Real* adjacency = adjacency_of(k);
    for (std::size_t i = 0; i < call.rows; ++i) {
      const RowView<Real> h = row(hidden_, call, k, i, head),
                          h_tangent = row(hidden_tangent_, call, k, i, head);
      source_tangent_[i] = vector_at(direction, at_.source(), head).dot(h) +
                           vector_at(parameters, at_.source(), head).dot(h_tangent);
      target_tangent_[i] = vector_at(direction, at_.target(), head).dot(h) +
                           vector_at(parameters, at_.target(), head).dot(h_tangent);
    }
    for (std::size_t i = 0; i < call.rows; ++i) {
      Real mean = 0;
      for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
        kept.weight_tangent[entry] = kept.slope[entry] * (source_tangent_[i] + target_tangent_[j]);
        if (adjacency[entry] != 0) mean += adjacency[entry] * kept.weight[entry] * kept.weight_tangent[entry];
      });
      RowView<Real> out = row(joined_, call, k, i, head);
      out.setZero();
      for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
        kept.weight_tangent[entry] = kept.weight[entry] * (kept.weight_tangent[entry] - mean);
        if (adjacency[entry] == 0) return;
        out += adjacency[entry] * kept.weight_tangent[entry] * row(hidden_, call, k, j, head) +
               adjacency[entry] * kept.weight[entry] * row(hidden_tangent_, call, k, j, head);
      });
    }
  }

  /// (dF/dh~)' of one head, and (dF/dA)' where it is wanted.
  void attend_back_tangent(const Call<Real>& call, const Real* parameters, const Real* direction,
                           std::size_t k, std::size_t head) {
    const HeadState<Real> kept = kept_by(k, head);
    std::fill(source_tangent_.begin(), source_tangent_.end(), Real(0));
    std::fill(target_tangent_.begin(), target_tangent_.end(), Real(0));
    for (std::size_t i = 0; i < call.rows; ++i) row(hidden_adjoint_tangent_, call, k, i, head).setZero();
    for (std::size_t i = 0; i < call.rows; ++i) spread_tangent(call, kept, k, head, i);
    if (call.adjacency_tangent.data != nullptr) add_adjacency_tangent(call, k);
    for (std::size_t i = 0; i < call.rows; ++i)
      row(hidden_adjoint_tangent_, call, k, i, head) +=
          source_tangent_[i] * vector_at(parameters, at_.source(), head) +
          kept.source[i] * vector_at(direction, at_.source(), head) +
          target_tangent_[i] * vector_at(parameters, at_.target(), head) +
          kept.target[i] * vector_at(direction, at_.target(), head);
  }

  /// Row i of the tangents: (dF/dA_ij)' into change_, sigma' and tau', and what o_i sends back to h~_j.
  void spread_tangent(const Call<Real>& call, const HeadState<Real>& kept, std::size_t k, std::size_t head,
                      std::size_t i) {
    const Real* adjacency = adjacency_of(k);
    const RowView<Real> d = row(adjoint_, call, k, i, head),
                        d_tangent = row(adjoint_tangent_, call, k, i, head);
    Real mean = 0;  // m' : alpha' may be taken against c - m, because it sums to zero
    for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
      change_[entry] =
          d_tangent.dot(row(hidden_, call, k, j, head)) + d.dot(row(hidden_tangent_, call, k, j, head));
      if (adjacency[entry] == 0) return;
      const Real alpha = adjacency[entry] * kept.weight[entry];
      const Real alpha_tangent = adjacency[entry] * kept.weight_tangent[entry];
      mean += alpha_tangent * kept.excess[entry] + alpha * change_[entry];
      row(hidden_adjoint_tangent_, call, k, j, head) += alpha_tangent * d + alpha * d_tangent;
    });
    for_each_entry(*call.graph, i, [&](std::size_t entry, std::size_t j) {
      change_[entry] =
          kept.weight_tangent[entry] * kept.excess[entry] + kept.weight[entry] * (change_[entry] - mean);
      if (adjacency[entry] == 0) return;
      const Real p = kept.slope[entry] * adjacency[entry] * change_[entry];
      source_tangent_[i] += p;
      target_tangent_[j] += p;
    });
  }

  void add_adjacency_tangent(const Call<Real>& call, std::size_t k) const {
    const GraphPattern& graph = *call.graph;
    Real* out = call.adjacency_tangent.of(k);
    for (std::size_t i = 0; i < graph.nodes; ++i)
      for (std::size_t edge = graph.row_starts[i]; edge < graph.row_starts[i + 1]; ++edge)
        out[edge] += change_[edge + i];
  }

  /// out += the heads side by side, or their mean.
  void add_joined(const Call<Real>& call, Real* out) const {
    const std::size_t rows = call.all_rows();
    if (!mean_) {
      RowView<Real>(out, rows * at_.outputs) += ConstRowView<Real>(joined_.data(), rows * at_.outputs);
      return;
    }
    for (std::size_t i = 0; i < rows; ++i)
      RowView<Real>(out + i * at_.width, at_.width) +=
          ConstMatrixView<Real>(joined_.data() + i * at_.all_heads(), at_.heads, at_.width).colwise().mean();
  }

  /// The adjoint of add_joined.
  void split(const Call<Real>& call, const Real* out_adjoint, std::vector<Real>& adjoint) const {
    const std::size_t rows = call.all_rows();
    if (!mean_) {
      std::copy_n(out_adjoint, rows * at_.outputs, adjoint.data());
      return;
    }
    for (std::size_t i = 0; i < rows; ++i)
      MatrixView<Real>(adjoint.data() + i * at_.all_heads(), at_.heads, at_.width).rowwise() =
          ConstRowView<Real>(out_adjoint + i * at_.width, at_.width) / static_cast<Real>(at_.heads);
  }

  void add_skip(const Call<Real>& call, const Real* in, ParameterBlock<const Real> parameters,
                Real* out) const {
    if (project_skip_)
      skip_map_.forward(call, in, part(parameters, at_.skip()), Write::kAdd, out);
    else if (skip_)
      RowView<Real>(out, call.all_rows() * at_.outputs) +=
          ConstRowView<Real>(in, call.all_rows() * at_.outputs);
  }

  void add_skip_back(const Call<Real>& call, const Real* out_adjoint, ParameterBlock<const Real> parameters,
                     Real* in_adjoint) const {
    if (project_skip_)
      skip_map_.backward(call, out_adjoint, part(parameters, at_.skip()), Write::kAdd, in_adjoint);
    else if (skip_)
      RowView<Real>(in_adjoint, call.all_rows() * at_.inputs) +=
          ConstRowView<Real>(out_adjoint, call.all_rows() * at_.inputs);
  }

  AttentionLayout at_;
  bool mean_;
  bool skip_;
  bool project_skip_;
  bool bias_;
  std::size_t bias_offset_;
  Projection map_;
  Projection skip_map_;

  std::size_t entries_ = 0;
  std::size_t sets_ = 1;
  std::vector<Real> adjacency_;                                 // A + I, by entry
  std::vector<Real> weight_, slope_, weight_tangent_, excess_;  // by problem, head, entry
  std::vector<Real> source_, target_;  // by problem, head, node: a . h~ going forward, sigma and tau after
  std::vector<Real> source_tangent_, target_tangent_, change_;  // of the head at work
  std::vector<Real> hidden_, hidden_tangent_;                   // h~
  std::vector<Real> joined_;                                    // o, then o'
  std::vector<Real> adjoint_, adjoint_tangent_;                 // d
  std::vector<Real> hidden_adjoint_, hidden_adjoint_tangent_;   // dF/dh~
};

}  // namespace

template <class Real>
LayerPointer<Real> make_graph_attention(const GraphAttend& layer, const PlacedLayer& place) {
  return std::make_unique<GraphAttention<Real>>(layer, place);
}
template LayerPointer<float> make_graph_attention<float>(const GraphAttend&, const PlacedLayer&);
template LayerPointer<double> make_graph_attention<double>(const GraphAttend&, const PlacedLayer&);

}  // namespace earshot
