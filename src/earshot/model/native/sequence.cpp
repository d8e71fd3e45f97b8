#include "earshot/model/native/sequence.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/room.hpp"

namespace earshot {

template <class Real>
void scale_rows(std::size_t rows, std::size_t size, const double* factors, Real* numbers) {
  for (std::size_t i = 0; i < rows; ++i, numbers += size) {
    const Real factor = static_cast<Real>(factors[i]);
    if (factor == 0) {
      std::fill_n(numbers, size, Real(0));
    } else {
      for (std::size_t j = 0; j < size; ++j) numbers[j] *= factor;
    }
  }
}
template void scale_rows(std::size_t, std::size_t, const double*, float*);
template void scale_rows(std::size_t, std::size_t, const double*, double*);

namespace {

template <class T>
ParameterBlock<T> from(ParameterBlock<T> block, std::size_t offset) {
  if (block.data != nullptr) block.data += offset;
  return block;
}

template <class Real>
void add(std::size_t count, const Real* numbers, Real* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += numbers[i];
}

template <class Real>
void multiply_gradient(std::size_t count, const Real* observed, const Real* gradient, Products& products) {
  for (std::size_t i = 0; i < count; ++i) {
    products.with_observed += static_cast<double>(gradient[i]) * static_cast<double>(observed[i]);
    products.squared += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  }
}

/// The direction in place of the gradient.
template <class Real>
void combine_gradient(std::size_t count, const Combination& combination, const Real* observed,
                      Real* gradient) {
  const auto a = static_cast<Real>(combination.gradient);
  const auto b = static_cast<Real>(combination.observed);
  for (std::size_t i = 0; i < count; ++i) gradient[i] = a * gradient[i] + b * observed[i];
}

// --- One after another

template <class Real>
class Sequence final : public Composite<Real> {
 public:
  explicit Sequence(std::size_t in_size) : in_size_(in_size) {}

  void append(LayerPointer<Real> layer, const PlacedLayer& place) {
    Step step;
    step.layer = std::move(layer);
    step.out_size = place.out.size();
    step.parameter_offset = place.parameter_offset;
    step.parameter_count = place.parameter_count;
    step.buffer_offset = place.buffer_offset;
    steps_.push_back(std::move(step));
  }
  void append(std::unique_ptr<Composite<Real>> block, std::size_t out_size) {
    Step step;
    step.composite = block.get();
    step.layer = std::move(block);
    step.out_size = out_size;
    steps_.push_back(std::move(step));
  }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    if (steps_.empty()) {
      std::copy_n(state.in, call.all_rows() * in_size_, out);
      return;
    }
    Call<Real> at = call;
    const Real* in = state.in;
    for (Step& step : steps_) {
      step.rows = at.rows;
      const std::size_t rows_out = step.layer->rows_out(at);
      Real* to = &step == &steps_.back() ? out : room(step.out, at.count * rows_out * step.out_size);
      LayerState<Real> inner;
      inner.in = in;
      inner.parameters = from(state.parameters, step.parameter_offset);
      step.layer->forward(at, inner, to);
      at.rows = rows_out;
      in = to;
    }
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    if (steps_.empty()) {
      if (in_adjoint != nullptr) std::copy_n(state.out_adjoint, call.all_rows() * in_size_, in_adjoint);
      return;
    }
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const Call<Real> at = call_of(i, call);
      Real* to = i == 0 ? in_adjoint : room(steps_[i - 1].adjoint, at.all_rows() * in_size_of(i));
      if (to == nullptr && !steps_[i].layer->always_goes_back()) continue;
      steps_[i].layer->backward(at, state_of(i, state), to);
    }
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].layer->parameter_gradient(call_of(i, call), state_of(i, state),
                                          from(gradient, steps_[i].parameter_offset));
    }
  }

  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].layer->add_squared_norms(call_of(i, call), state_of(i, state), squared_norms);
    }
  }

  void match_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                    ParameterBlock<Real> direction, double* distances) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const Call<Real> at = call_of(i, call);
      const LayerState<Real> inner = state_of(i, state);
      if (step.composite != nullptr) {
        step.composite->match_layers(at, inner, observed, direction, distances);
      } else if (step.parameter_count > 0 &&
                 !step.layer->match(at, inner, observed + step.parameter_offset, distances)) {
        const ParameterBlock<Real> part = from(direction, step.parameter_offset);
        step.layer->parameter_gradient(at, inner, part);
        for (std::size_t k = 0; k < call.count; ++k) {
          distances[k] +=
              kernels<Real>().difference(step.parameter_count, observed + step.parameter_offset, part.of(k));
        }
      }
    }
  }

  void multiply_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                       ParameterBlock<Real> direction, Products* products) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      const Call<Real> at = call_of(i, call);
      const LayerState<Real> inner = state_of(i, state);
      if (step.composite != nullptr)
        step.composite->multiply_layers(at, inner, observed, direction, products);
      if (step.parameter_count == 0) continue;
      const Real* seen = observed + step.parameter_offset;
      step.combines = step.layer->add_products(at, inner, seen, products);
      if (step.combines) continue;
      const ParameterBlock<Real> part = from(direction, step.parameter_offset);
      step.layer->parameter_gradient(at, inner, part);
      for (std::size_t k = 0; k < call.count; ++k)
        multiply_gradient(step.parameter_count, seen, part.of(k), products[k]);
    }
  }

  void combine_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                      ParameterBlock<Real> direction, const Combination* combinations) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const Call<Real> at = call_of(i, call);
      const Real* seen = observed + step.parameter_offset;
      if (step.composite != nullptr) {
        step.composite->combine_layers(at, state_of(i, state), observed, direction, combinations);
      } else if (step.parameter_count > 0 && step.combines) {
        step.layer->combine(at, state_of(i, state), seen, combinations);
      } else {
        const ParameterBlock<Real> part = from(direction, step.parameter_offset);
        for (std::size_t k = 0; k < call.count && step.parameter_count > 0; ++k)
          combine_gradient(step.parameter_count, combinations[k], seen, part.of(k));
      }
    }
  }

  void scale_adjoints(const Call<Real>& call, const double* factors) override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      if (step.composite != nullptr) step.composite->scale_adjoints(call, factors);
      if (i + 1 < steps_.size()) scale_rows(call.all_rows(), step.out_size, factors, step.adjoint.data());
    }
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (steps_.empty()) {
      const std::size_t size = call.all_rows() * in_size_;
      if (state.in_tangent == nullptr) {
        std::fill_n(out_tangent, size, Real(0));
      } else {
        std::copy_n(state.in_tangent, size, out_tangent);
      }
      return;
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Call<Real> at = call_of(i, call);
      Step& step = steps_[i];
      Real* to = i + 1 == steps_.size()
                     ? out_tangent
                     : room(step.tangent, at.count * step.layer->rows_out(at) * step.out_size);
      LayerState<Real> inner = state_of(i, state);
      inner.out_tangent = nullptr;
      step.layer->tangent(at, inner, to);
    }
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    if (steps_.empty()) {
      if (in_adjoint_tangent != nullptr) {
        std::copy_n(state.out_adjoint_tangent, call.all_rows() * in_size_, in_adjoint_tangent);
      }
      return;
    }
    const Real* above = state.out_adjoint_tangent;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const Call<Real> at = call_of(i, call);
      Real* to = i == 0 ? in_adjoint_tangent : room(adjoint_tangents_[i % 2], at.all_rows() * in_size_of(i));
      if (to == nullptr && !steps_[i].layer->always_goes_back()) continue;
      LayerState<Real> inner = state_of(i, state);
      inner.out_adjoint_tangent = above;
      steps_[i].layer->tangent_backward(at, inner, to);
      above = to;
    }
  }

  void observe(const Call<Real>& call, const LayerState<Real>& state, double momentum,
               double* buffers) const override {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].layer->observe(call_of(i, call), state_of(i, state), momentum,
                               buffers + steps_[i].buffer_offset);
    }
  }

  std::size_t rows_out(const Call<Real>& call) const override {
    Call<Real> at = call;
    for (const Step& step : steps_) at.rows = step.layer->rows_out(at);
    return at.rows;
  }
  bool mixes_rows() const override {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step& s) { return s.layer->mixes_rows(); });
  }

 private:
  struct Step {
    LayerPointer<Real> layer;
    Composite<Real>* composite = nullptr;  // the same layer, if it is one
    std::size_t out_size = 0;
    std::size_t parameter_offset = 0;
    std::size_t parameter_count = 0;
    std::size_t buffer_offset = 0;
    bool combines = false;                    // keeps its direction itself, since the last multiply_layers
    std::size_t rows = 0;                     // of each problem at its input, in the last forward sweep
    std::vector<Real> out, adjoint, tangent;  // at its output; the last step's belong to the caller
  };

  std::size_t in_size_of(std::size_t i) const { return i == 0 ? in_size_ : steps_[i - 1].out_size; }
  Call<Real> call_of(std::size_t i, Call<Real> call) const {
    call.rows = steps_[i].rows;
    return call;
  }
  LayerState<Real> state_of(std::size_t i, const LayerState<Real>& outer) const {
    LayerState<Real> state = outer;
    if (i > 0) {
      state.in = steps_[i - 1].out.data();
      state.in_tangent = steps_[i - 1].tangent.data();
    }
    if (i + 1 < steps_.size()) {
      state.out = steps_[i].out.data();
      state.out_adjoint = steps_[i].adjoint.data();
      state.out_tangent = steps_[i].tangent.data();
    }
    state.parameters = from(outer.parameters, steps_[i].parameter_offset);
    state.direction = from(outer.direction, steps_[i].parameter_offset);
    return state;
  }

  std::size_t in_size_;
  std::vector<Step> steps_;
  std::vector<Real> adjoint_tangents_[2];
};

// --- Side by side

template <class Real>
class Block final : public Composite<Real> {
 public:
  Block(Join join, std::size_t in_size) : join_(join), in_size_(in_size) {}

  void append(std::unique_ptr<Composite<Real>> layers, std::size_t out_size) {
    Branch branch;
    branch.layers = std::move(layers);
    branch.out_size = out_size;
    branch.column = join_ == Join::kAdd ? 0 : out_size_;
    branches_.push_back(std::move(branch));
    out_size_ = join_ == Join::kAdd ? out_size : out_size_ + out_size;
  }
  std::size_t out_size() const { return out_size_; }

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    const std::size_t rows = call.count * rows_out(call);
    for (Branch& branch : branches_) {
      branch.layers->forward(call, state, room(branch.out, rows * branch.out_size));
      join(rows, branch, branch.out.data(), out);
    }
  }

  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    const std::size_t rows = call.count * rows_out(call);
    for (Branch& branch : branches_) {
      if (join_ == Join::kConcatenate) {
        split(rows, branch, state.out_adjoint, room(branch.adjoint, rows * branch.out_size));
      }
      into_sum(call, branch, in_adjoint,
               [&](Real* to) { branch.layers->backward(call, state_of(branch, state), to); });
    }
  }

  void parameter_gradient(const Call<Real>& call, const LayerState<Real>& state,
                          ParameterBlock<Real> gradient) override {
    for (Branch& branch : branches_) {
      branch.layers->parameter_gradient(call, state_of(branch, state), gradient);
    }
  }

  void add_squared_norms(const Call<Real>& call, const LayerState<Real>& state,
                         double* squared_norms) override {
    for (Branch& branch : branches_) {
      branch.layers->add_squared_norms(call, state_of(branch, state), squared_norms);
    }
  }

  void match_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                    ParameterBlock<Real> direction, double* distances) override {
    for (Branch& branch : branches_) {
      branch.layers->match_layers(call, state_of(branch, state), observed, direction, distances);
    }
  }
  void multiply_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                       ParameterBlock<Real> direction, Products* products) override {
    for (Branch& branch : branches_) {
      branch.layers->multiply_layers(call, state_of(branch, state), observed, direction, products);
    }
  }
  void combine_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                      ParameterBlock<Real> direction, const Combination* combinations) override {
    for (Branch& branch : branches_) {
      branch.layers->combine_layers(call, state_of(branch, state), observed, direction, combinations);
    }
  }

  void scale_adjoints(const Call<Real>& call, const double* factors) override {
    for (Branch& branch : branches_) {
      branch.layers->scale_adjoints(call, factors);
      if (join_ == Join::kConcatenate) {
        scale_rows(call.all_rows(), branch.out_size, factors, branch.adjoint.data());
      }
    }
  }

  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    const std::size_t rows = call.count * rows_out(call);
    for (Branch& branch : branches_) {
      branch.layers->tangent(call, state_of(branch, state), room(branch.tangent, rows * branch.out_size));
      join(rows, branch, branch.tangent.data(), out_tangent);
    }
  }

  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    const std::size_t rows = call.count * rows_out(call);
    for (Branch& branch : branches_) {
      LayerState<Real> inner = state_of(branch, state);
      if (join_ == Join::kConcatenate) {
        Real* part = room(adjoint_tangent_, rows * branch.out_size);
        split(rows, branch, state.out_adjoint_tangent, part);
        inner.out_adjoint_tangent = part;
      }
      into_sum(call, branch, in_adjoint_tangent,
               [&](Real* to) { branch.layers->tangent_backward(call, inner, to); });
    }
  }

  void observe(const Call<Real>& call, const LayerState<Real>& state, double momentum,
               double* buffers) const override {
    for (const Branch& branch : branches_) {
      branch.layers->observe(call, state_of(branch, state), momentum, buffers);
    }
  }

  std::size_t rows_out(const Call<Real>& call) const override {
    return branches_.front().layers->rows_out(call);
  }
  bool mixes_rows() const override {
    return std::any_of(branches_.begin(), branches_.end(),
                       [](const Branch& b) { return b.layers->mixes_rows(); });
  }

 private:
  struct Branch {
    std::unique_ptr<Composite<Real>> layers;
    std::size_t out_size = 0;
    std::size_t column = 0;                   // where its outputs start in a joined row
    std::vector<Real> out, adjoint, tangent;  // adjoint: only when concatenating
  };

  LayerState<Real> state_of(const Branch& branch, const LayerState<Real>& outer) const {
    LayerState<Real> state = outer;
    state.out = branch.out.data();
    state.out_tangent = branch.tangent.data();
    if (join_ == Join::kConcatenate) state.out_adjoint = branch.adjoint.data();
    return state;
  }
  void join(std::size_t rows, const Branch& branch, const Real* part, Real* whole) const {
    if (join_ == Join::kConcatenate) {
      for (std::size_t i = 0; i < rows; ++i) {
        std::copy_n(part + i * branch.out_size, branch.out_size, whole + i * out_size_ + branch.column);
      }
    } else if (&branch == &branches_.front()) {
      std::copy_n(part, rows * out_size_, whole);
    } else {
      add(rows * out_size_, part, whole);
    }
  }
  void split(std::size_t rows, const Branch& branch, const Real* whole, Real* part) const {
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(whole + i * out_size_ + branch.column, branch.out_size, part + i * branch.out_size);
    }
  }
  /// The branches' parts of d(in) add up: the first is written, the others are added.
  template <class Write>
  void into_sum(const Call<Real>& call, const Branch& branch, Real* sum, Write write) {
    if (sum == nullptr || &branch == &branches_.front()) return write(sum);
    const std::size_t size = call.all_rows() * in_size_;
    Real* part = room(in_part_, size);
    write(part);
    add(size, part, sum);
  }

  Join join_;
  std::size_t in_size_;
  std::size_t out_size_ = 0;
  std::vector<Branch> branches_;
  std::vector<Real> in_part_, adjoint_tangent_;
};

// --- From an architecture

/// Walks the layers in the order in which they were placed.
template <class Real>
class Builder {
 public:
  Builder(std::span<const PlacedLayer> places, const double* buffers) : places_(places), buffers_(buffers) {}

  std::unique_ptr<Composite<Real>> sequence(const std::vector<Layer>& layers, std::size_t& size) {
    auto out = std::make_unique<Sequence<Real>>(size);
    for (const Layer& layer : layers) {
      if (const auto* parallel = std::get_if<Parallel>(&layer)) {
        auto block = this->block(*parallel, size);
        size = block->out_size();
        out->append(std::unique_ptr<Composite<Real>>(std::move(block)), size);
      } else {
        if (next_ == places_.size()) fail(Fault::kInternal, "the network has more layers than places");
        const PlacedLayer& place = places_[next_++];
        out->append(std::visit([&](const auto& leaf) { return make(leaf, place); }, layer), place);
        size = place.out.size();
      }
    }
    return out;
  }

 private:
  std::unique_ptr<Block<Real>> block(const Parallel& parallel, std::size_t in_size) {
    auto out = std::make_unique<Block<Real>>(parallel.join, in_size);
    for (const auto& branch : parallel.branches) {
      std::size_t size = in_size;
      auto layers = sequence(branch, size);
      out->append(std::move(layers), size);
    }
    return out;
  }

  LayerPointer<Real> make(const Dense& l, const PlacedLayer& p) { return make_dense<Real>(l, p); }
  LayerPointer<Real> make(const Activate& l, const PlacedLayer& p) { return make_activation<Real>(l, p); }
  LayerPointer<Real> make(const Dropout& l, const PlacedLayer& p) { return make_dropout<Real>(l, p); }
  LayerPointer<Real> make(const Convolve& l, const PlacedLayer& p) { return make_convolution<Real>(l, p); }
  LayerPointer<Real> make(const Pool& l, const PlacedLayer& p) { return make_pool<Real>(l, p); }
  LayerPointer<Real> make(const BatchNorm& l, const PlacedLayer& p) {
    return make_batch_norm<Real>(l, p, buffers_ + p.buffer_offset);
  }
  LayerPointer<Real> make(const GraphConvolve& l, const PlacedLayer& p) {
    return make_graph_convolution<Real>(l, p);
  }
  LayerPointer<Real> make(const GraphAttend& l, const PlacedLayer& p) {
    return make_graph_attention<Real>(l, p);
  }
  LayerPointer<Real> make(const ReadOut& l, const PlacedLayer& p) { return make_read_out<Real>(l, p); }
  LayerPointer<Real> make(const Parallel&, const PlacedLayer&) {
    fail(Fault::kInternal, "a parallel block is not a leaf");
  }

  std::span<const PlacedLayer> places_;
  const double* buffers_;
  std::size_t next_ = 0;
};

}  // namespace

template <class Real>
std::unique_ptr<Composite<Real>> make_network(const Architecture& architecture,
                                              std::span<const PlacedLayer> places, const double* buffers) {
  std::size_t size = architecture.input.size();
  return Builder<Real>(places, buffers).sequence(architecture.layers, size);
}

template std::unique_ptr<Composite<float>> make_network(const Architecture&, std::span<const PlacedLayer>,
                                                        const double*);
template std::unique_ptr<Composite<double>> make_network(const Architecture&, std::span<const PlacedLayer>,
                                                         const double*);

}  // namespace earshot
