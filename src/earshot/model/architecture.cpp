#include "earshot/model/architecture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// No network anybody audits comes near these; a hostile description does.
constexpr std::size_t kLargestSize = std::size_t{1} << 30;  // numbers in an activation, parameters in all
constexpr std::size_t kLargestExtent = std::size_t{1} << 24;
constexpr std::size_t kMostLayers = 10000;
constexpr std::size_t kDeepestNesting = 16;

/// The product, or more than kLargestSize if it is larger than that.
std::size_t times(std::size_t a, std::size_t b) {
  if (a != 0 && b > kLargestSize / a) return kLargestSize + 1;
  return a * b;
}
std::size_t times(std::size_t a, std::size_t b, std::size_t c) {
  return times(times(a, b), c);
}

std::string text(const Shape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

/// What a layer does to shapes and how many numbers it has; messages are completed with the layer's name.
struct Sizes {
  Shape out;
  std::size_t parameters = 0;
  std::size_t buffers = 0;
  std::size_t fan_in = 0;
};

[[noreturn]] void refuse(const std::string& why) {
  fail(Fault::kConfig, why);
}

std::size_t extent(std::size_t value, std::string_view what) {
  if (value == 0) refuse(fmt::format("{} must be at least 1", what));
  if (value > kLargestExtent) refuse(fmt::format("{} is above {}", what, kLargestExtent));
  return value;
}

std::size_t convolved(std::size_t size, std::size_t kernel, std::size_t stride, std::size_t padding,
                      const Shape& in) {
  if (padding >= kernel) refuse(fmt::format("padding {} must be less than the kernel's {}", padding, kernel));
  if (size + 2 * padding < kernel) {
    refuse(fmt::format("the kernel ({}) is larger than its padded input ({})", kernel, text(in)));
  }
  return (size + 2 * padding - kernel) / stride + 1;
}

std::size_t pooled(std::size_t size, const Pool& pool, const Shape& in) {
  if (size < pool.kernel) {
    refuse(fmt::format("the window ({}) is larger than its input ({})", pool.kernel, text(in)));
  }
  const std::size_t rest = size - pool.kernel;
  if (!pool.ceil) return rest / pool.stride + 1;
  const std::size_t windows = (rest + pool.stride - 1) / pool.stride + 1;
  return (windows - 1) * pool.stride < size ? windows : windows - 1;
}

Sizes sizes(const Dense& layer, const Shape& in) {
  const std::size_t outputs = extent(layer.outputs, "outputs");
  return {{outputs}, times(outputs, in.size()) + (layer.bias ? outputs : 0), 0, in.size()};
}
Sizes sizes(const Activate&, const Shape& in) {
  return {in, 0, 0, 0};
}
Sizes sizes(const Convolve& layer, const Shape& in) {
  extent(layer.channels, "channels");
  extent(layer.kernel_height, "kernel_height");
  extent(layer.kernel_width, "kernel_width");
  extent(layer.stride, "stride");
  const Shape out{layer.channels,
                  convolved(in.height, layer.kernel_height, layer.stride, layer.padding_height, in),
                  convolved(in.width, layer.kernel_width, layer.stride, layer.padding_width, in)};
  const std::size_t fan_in = times(in.channels, layer.kernel_height, layer.kernel_width);
  return {out, times(layer.channels, fan_in) + (layer.bias ? layer.channels : 0), 0, fan_in};
}
Sizes sizes(const Pool& layer, const Shape& in) {
  if (layer.kernel == 0) return {{in.channels}, 0, 0, 0};
  extent(layer.kernel, "kernel");
  extent(layer.stride, "stride");
  return {{in.channels, pooled(in.height, layer, in), pooled(in.width, layer, in)}, 0, 0, 0};
}
Sizes sizes(const BatchNorm& layer, const Shape& in) {
  if (!(layer.epsilon > 0 && layer.epsilon < 1)) refuse("epsilon must be between 0 and 1");
  return {in, 2 * in.channels, 2 * in.channels, 0};
}
Sizes sizes(const Dropout& layer, const Shape& in) {
  if (!(layer.rate >= 0 && layer.rate < 1)) refuse("rate must be at least 0 and below 1");
  return {in, 0, 0, 0};
}
Sizes sizes(const GraphConvolve& layer, const Shape& in) {
  const std::size_t outputs = extent(layer.outputs, "outputs");
  return {{outputs}, times(outputs, in.size()) + (layer.bias ? outputs : 0), 0, in.size()};
}
Sizes sizes(const GraphAttend& layer, const Shape& in) {
  extent(layer.heads, "heads");
  extent(layer.width, "width");
  const std::size_t wide = times(layer.heads, layer.width);
  const std::size_t outputs = layer.heads_join == Join::kConcatenate ? wide : layer.width;
  std::size_t parameters = times(wide, in.size()) + 2 * wide;
  if (layer.skip && outputs != in.size()) parameters += times(outputs, in.size());
  if (layer.bias) parameters += outputs;
  return {{outputs}, parameters, 0, in.size()};
}
Sizes sizes(const ReadOut&, const Shape& in) {
  return {in, 0, 0, 0};
}

bool is_graph_layer(const Layer& layer) {
  return std::holds_alternative<GraphConvolve>(layer) || std::holds_alternative<GraphAttend>(layer) ||
         std::holds_alternative<ReadOut>(layer);
}

class Placer {
 public:
  Shape sequence(const std::vector<Layer>& layers, Shape shape, const std::string& prefix,
                 std::size_t depth) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string name = fmt::format("{}{}.{}", prefix, i, layer_kind(layers[i]));
      if (const auto* parallel = std::get_if<Parallel>(&layers[i])) {
        shape = block(*parallel, shape, fmt::format("{}{}.", prefix, i), name, depth + 1);
      } else {
        shape = leaf(layers[i], shape, name, depth);
      }
    }
    return shape;
  }

  std::vector<PlacedLayer> placed;

 private:
  Shape leaf(const Layer& layer, const Shape& in, const std::string& name, std::size_t depth) {
    if (placed.size() == kMostLayers)
      refuse(fmt::format("a network may have {} layers at most", kMostLayers));
    return with_context("layer " + name, [&] {
      check_rows(layer, depth);
      const Sizes s = std::visit(
          [&](const auto& kind) -> Sizes {
            if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, Parallel>) {
              fail(Fault::kInternal, "a parallel block is no leaf");
            } else {
              return sizes(kind, in);
            }
          },
          static_cast<const Layer::variant&>(layer));
      if (times(s.out.channels, s.out.height, s.out.width) > kLargestSize ||
          parameters_ + s.parameters > kLargestSize) {
        refuse(fmt::format("more than {} numbers", kLargestSize));
      }
      placed.push_back({&layer, name, in, s.out, parameters_, s.parameters, buffers_, s.buffers, s.fan_in});
      parameters_ += s.parameters;
      buffers_ += s.buffers;
      return s.out;
    });
  }

  /// After a read-out there are graphs, not nodes.
  void check_rows(const Layer& layer, std::size_t depth) {
    if (!is_graph_layer(layer)) return;
    if (read_out_) refuse("follows a read-out, after which there are no nodes any more");
    if (!std::holds_alternative<ReadOut>(layer)) return;
    if (depth > 0) refuse("a read-out cannot stand inside a parallel block");
    read_out_ = true;
  }

  Shape block(const Parallel& parallel, const Shape& in, const std::string& prefix, const std::string& name,
              std::size_t depth) {
    if (depth > kDeepestNesting) {
      refuse(fmt::format("layer {}: blocks are nested more than {} deep", name, kDeepestNesting));
    }
    if (parallel.branches.empty()) refuse(fmt::format("layer {}: has no branches", name));
    std::optional<Shape> joined;
    for (std::size_t b = 0; b < parallel.branches.size(); ++b) {
      const Shape out = sequence(parallel.branches[b], in, fmt::format("{}{}.", prefix, b), depth);
      joined = joined ? join(parallel.join, *joined, out, name) : out;
    }
    return *joined;
  }

  static Shape join(Join how, const Shape& a, const Shape& b, const std::string& name) {
    if (how == Join::kAdd && a != b) {
      refuse(fmt::format("layer {}: branches of shapes {} and {} cannot be added", name, text(a), text(b)));
    }
    if (how == Join::kAdd) return a;
    if (a.height != b.height || a.width != b.width) {
      refuse(fmt::format("layer {}: branches of shapes {} and {} cannot be joined along channels", name,
                         text(a), text(b)));
    }
    const Shape out{a.channels + b.channels, a.height, a.width};
    if (times(out.channels, out.height, out.width) > kLargestSize) {
      refuse(fmt::format("layer {}: more than {} numbers", name, kLargestSize));
    }
    return out;
  }

  std::size_t parameters_ = 0;
  std::size_t buffers_ = 0;
  bool read_out_ = false;
};

struct Placement {
  std::vector<PlacedLayer> layers;
  Shape out;
};

Placement placement(const Architecture& architecture) {
  const Shape& in = architecture.input;
  if (in.channels == 0 || in.height == 0 || in.width == 0) refuse("a network's input needs a size above 0");
  if (times(in.channels, in.height, in.width) > kLargestSize) {
    refuse(fmt::format("a network's input of {} is too large", text(in)));
  }
  if (architecture.layers.empty()) refuse("a network needs at least one layer");
  Placer placer;
  const Shape out = placer.sequence(architecture.layers, in, "", 0);
  if (architecture.loss == LossKind::kSoftmaxCrossEntropy && out.size() < 2) {
    refuse("softmax cross-entropy needs at least two outputs");
  }
  return {std::move(placer.placed), out};
}

void uniform(Stream& stream, double bound, std::span<double> out) {
  for (double& value : out) value = bound * (2 * stream.uniform() - 1);
}

/// One tensor of a layer after the other, in the order of the layer's parameters.
class Initialiser {
 public:
  Initialiser(Initialisation rule, Stream& stream, std::span<double> out)
      : rule_(rule), stream_(stream), out_(out) {}

  void weights(std::size_t count, std::size_t fan_in, std::size_t fan_out) {
    uniform(stream_, bound(fan_in, fan_out), take(count));
  }
  void biases(std::size_t count, std::size_t fan_in) {
    const std::span<double> part = take(count);
    if (rule_ == Initialisation::kXavier) {
      std::ranges::fill(part, 0.0);
    } else {
      uniform(stream_, bound(fan_in, 0), part);
    }
  }
  void constant(std::size_t count, double value) { std::ranges::fill(take(count), value); }

 private:
  double bound(std::size_t fan_in, std::size_t fan_out) const {
    switch (rule_) {
      case Initialisation::kFanIn:
        return 1 / std::sqrt(static_cast<double>(fan_in));
      case Initialisation::kHalf:
        return 0.5;
      case Initialisation::kXavier:
        return std::sqrt(6 / static_cast<double>(fan_in + fan_out));
    }
    fail(Fault::kInternal, "unknown initialisation");
  }
  std::span<double> take(std::size_t count) {
    const std::span<double> part = out_.first(count);
    out_ = out_.subspan(count);
    return part;
  }

  Initialisation rule_;
  Stream& stream_;
  std::span<double> out_;
};

void initialise(const Dense& layer, const PlacedLayer& place, Initialiser& to) {
  to.weights(layer.outputs * place.fan_in, place.fan_in, layer.outputs);
  if (layer.bias) to.biases(layer.outputs, place.fan_in);
}
void initialise(const Convolve& layer, const PlacedLayer& place, Initialiser& to) {
  const std::size_t fan_out = layer.channels * layer.kernel_height * layer.kernel_width;
  to.weights(layer.channels * place.fan_in, place.fan_in, fan_out);
  if (layer.bias) to.biases(layer.channels, place.fan_in);
}
void initialise(const BatchNorm&, const PlacedLayer& place, Initialiser& to) {
  to.constant(place.in.channels, 1);
  to.constant(place.in.channels, 0);
}
void initialise(const GraphConvolve& layer, const PlacedLayer& place, Initialiser& to) {
  to.weights(layer.outputs * place.fan_in, place.fan_in, layer.outputs);
  if (layer.bias) to.biases(layer.outputs, place.fan_in);
}
void initialise(const GraphAttend& layer, const PlacedLayer& place, Initialiser& to) {
  const std::size_t wide = layer.heads * layer.width;
  const std::size_t outputs = place.out.size();
  to.weights(wide * place.fan_in, place.fan_in, wide);
  to.weights(2 * wide, wide, layer.width);  // attention vectors, as a [1][heads][width] tensor
  if (layer.skip && outputs != place.fan_in) to.weights(outputs * place.fan_in, place.fan_in, outputs);
  if (layer.bias) to.biases(outputs, place.fan_in);
}
template <class WithoutParameters>
void initialise(const WithoutParameters&, const PlacedLayer&, Initialiser&) {}

template <class Predicate>
bool any_leaf(const Architecture& architecture, Predicate predicate) {
  return std::ranges::any_of(place(architecture), [&](const PlacedLayer& p) { return predicate(*p.layer); });
}

}  // namespace

std::string_view layer_kind(const Layer& layer) {
  return kLayerKinds[layer.index()];
}

std::vector<PlacedLayer> place(const Architecture& architecture) {
  return placement(architecture).layers;
}

Shape output_shape(const Architecture& architecture) {
  return placement(architecture).out;
}

std::size_t parameter_count(const Architecture& architecture) {
  std::size_t count = 0;
  for (const PlacedLayer& layer : place(architecture)) count += layer.parameter_count;
  return count;
}

std::size_t buffer_count(const Architecture& architecture) {
  std::size_t count = 0;
  for (const PlacedLayer& layer : place(architecture)) count += layer.buffer_count;
  return count;
}

bool is_graph_network(const Architecture& architecture) {
  return any_leaf(architecture, is_graph_layer);
}

bool has_read_out(const Architecture& architecture) {
  return any_leaf(architecture, [](const Layer& layer) { return std::holds_alternative<ReadOut>(layer); });
}

void initialise(const Architecture& architecture, Stream& stream, std::span<double> parameters) {
  for (const PlacedLayer& placed : place(architecture)) {
    Initialiser to(architecture.initialisation, stream,
                   parameters.subspan(placed.parameter_offset, placed.parameter_count));
    std::visit([&](const auto& kind) { initialise(kind, placed, to); },
               static_cast<const Layer::variant&>(*placed.layer));
  }
}

void initialise_buffers(const Architecture& architecture, std::span<double> buffers) {
  for (const PlacedLayer& placed : place(architecture)) {
    const std::span<double> own = buffers.subspan(placed.buffer_offset, placed.buffer_count);
    std::ranges::fill(own.first(own.size() / 2), 0.0);
    std::ranges::fill(own.subspan(own.size() / 2), 1.0);
  }
}

}  // namespace earshot
