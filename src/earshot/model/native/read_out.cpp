// One row per graph: mean, sum or maximum over the graph's nodes. A graph without nodes reads out as zero.
#include <cmath>

#include "earshot/model/native/layers.hpp"
#include "earshot/model/native/projection.hpp"

namespace earshot {
namespace {

/// Mean and sum are linear with fixed weights, so values and tangents, adjoints and their tangents go through
/// the same two maps. The maximum is linear as well once the winners are known (the first node of a tie).
template <class Real>
class NativeReadOut final : public NativeLayer<Real> {
 public:
  NativeReadOut(const ReadOut& layer, const PlacedLayer& place)
      : kind_(layer.kind), width_(place.in.size()) {}

  bool mixes_rows() const override { return true; }
  std::size_t rows_out(const Call<Real>& call) const override { return call.graph->graphs(); }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    if (kind_ == ReadOutKind::kMax) find_winners(call, state.in);
    gather(call, state.in, out);
  }
  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    scatter(call, state.out_adjoint, in_adjoint);
  }
  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (state.in_tangent != nullptr)
      gather(call, state.in_tangent, out_tangent);
    else
      std::fill_n(out_tangent, call.count * rows_out(call) * width_, Real(0));
  }
  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    scatter(call, state.out_adjoint_tangent, in_adjoint_tangent);
  }

 private:
  /// visit(first node, nodes, read-out row), rows counted over all problems.
  template <class Visit>
  void for_each_graph(const Call<Real>& call, Visit visit) const {
    const auto& starts = call.graph->graph_starts;
    std::size_t row = 0;
    for (std::size_t k = 0; k < call.count; ++k)
      for (std::size_t g = 0; g + 1 < starts.size(); ++g)
        visit(k * call.rows + starts[g], starts[g + 1] - starts[g], row++);
  }

  Real weight(std::size_t nodes) const {
    return kind_ == ReadOutKind::kMean && nodes > 0 ? Real(1) / static_cast<Real>(nodes) : Real(1);
  }

  void find_winners(const Call<Real>& call, const Real* in) {
    winners_.resize(call.count * rows_out(call) * width_);
    for_each_graph(call, [&](std::size_t first, std::size_t nodes, std::size_t row) {
      for (std::size_t f = 0; f < width_; ++f) {
        std::size_t best = first;
        for (std::size_t i = first; i < first + nodes; ++i)
          if (in[i * width_ + f] > in[best * width_ + f]) best = i;
        winners_[row * width_ + f] = best;
      }
    });
  }

  void gather(const Call<Real>& call, const Real* in, Real* out) const {
    std::fill_n(out, call.count * rows_out(call) * width_, Real(0));
    for_each_graph(call, [&](std::size_t first, std::size_t nodes, std::size_t row) {
      if (nodes == 0) return;
      if (kind_ == ReadOutKind::kMax) {
        for (std::size_t f = row * width_; f < (row + 1) * width_; ++f)
          out[f] = in[winners_[f] * width_ + f - row * width_];
        return;
      }
      RowView<Real>(out + row * width_, width_) =
          weight(nodes) * ConstMatrixView<Real>(in + first * width_, nodes, width_).colwise().sum();
    });
  }

  void scatter(const Call<Real>& call, const Real* out, Real* in) const {
    std::fill_n(in, call.all_rows() * width_, Real(0));
    for_each_graph(call, [&](std::size_t first, std::size_t nodes, std::size_t row) {
      if (nodes == 0) return;
      if (kind_ == ReadOutKind::kMax) {
        for (std::size_t f = row * width_; f < (row + 1) * width_; ++f)
          in[winners_[f] * width_ + f - row * width_] = out[f];
        return;
      }
      MatrixView<Real>(in + first * width_, nodes, width_).rowwise() =
          weight(nodes) * ConstRowView<Real>(out + row * width_, width_);
    });
  }

  ReadOutKind kind_;
  std::size_t width_;
  std::vector<std::size_t> winners_;  // node of the maximum, per read-out row and feature
};

}  // namespace

template <class Real>
LayerPointer<Real> make_read_out(const ReadOut& layer, const PlacedLayer& place) {
  return std::make_unique<NativeReadOut<Real>>(layer, place);
}
template LayerPointer<float> make_read_out<float>(const ReadOut&, const PlacedLayer&);
template LayerPointer<double> make_read_out<double>(const ReadOut&, const PlacedLayer&);

}  // namespace earshot
