#include "earshot/training/examples.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// A dense matrix of this many numbers is 4 GiB.
constexpr std::size_t kMostNumbers = std::size_t{1} << 29;

template <class Labels>
Targets class_targets(std::size_t classes, const Labels& labels) {
  Targets targets{classes, {}};
  targets.values.assign(std::begin(labels), std::end(labels));
  return targets;
}

class RecordExamples : public Examples {
 public:
  RecordExamples(Shape shape, std::vector<double> inputs, Targets targets)
      : Examples(std::move(targets)), shape_(shape), inputs_(std::move(inputs)) {
    if (inputs_.size() != size() * shape_.size()) {
      fail(Fault::kInternal,
           fmt::format("{} numbers for {} examples of {}", inputs_.size(), size(), shape_.size()));
    }
  }
  Shape input() const override { return shape_; }

  Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs, std::uint64_t,
                          ExampleMemory& memory) const override {
    const std::size_t width = shape_.size();
    memory.inputs.resize(chosen.size() * width);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::copy_n(inputs_.begin() + static_cast<std::ptrdiff_t>(chosen[i] * width), width,
                  memory.inputs.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    Problems<double> problem;
    problem.rows = chosen.size();
    problem.inputs = memory.inputs;
    problem.targets = target_rows(chosen, outputs, memory);
    return problem;
  }

 private:
  Shape shape_;
  std::vector<double> inputs_;
};

class ImageExamples : public Examples {
 public:
  ImageExamples(ImageDataset images, const ImageOptions& options)
      : Examples(class_targets(images.classes, images.labels)),
        images_(std::move(images)),
        options_(options) {
    if (!options_.normalise || images_.normalisation.mean.empty()) {
      images_.normalisation.mean.assign(images_.shape.channels, 0);
      images_.normalisation.deviation.assign(images_.shape.channels, 1);
    }
    table_.resize(256 * images_.shape.channels);
    for (std::size_t c = 0; c < images_.shape.channels; ++c) {
      for (std::size_t byte = 0; byte < 256; ++byte) table_[256 * c + byte] = value(c, byte);
    }
  }
  Shape input() const override { return images_.shape; }
  const Normalisation* pixels() const override { return &images_.normalisation; }

  Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs, std::uint64_t pass,
                          ExampleMemory& memory) const override {
    const std::size_t width = images_.shape.size();
    memory.inputs.resize(chosen.size() * width);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      write(chosen[i], flipped(chosen[i], pass), std::span(memory.inputs).subspan(i * width, width));
    }
    Problems<double> problem;
    problem.rows = chosen.size();
    problem.inputs = memory.inputs;
    problem.targets = target_rows(chosen, outputs, memory);
    return problem;
  }

 private:
  double value(std::size_t channel, std::size_t byte) const {
    const double unit = static_cast<double>(byte) / 255;
    return (unit - images_.normalisation.mean.at(channel)) / images_.normalisation.deviation.at(channel);
  }
  bool flipped(std::size_t image, std::uint64_t pass) const {
    if (!options_.flip) return false;
    return Stream({options_.flip_seed, Purpose::kTraining, 1, image, pass}).below(2) == 1;
  }
  void write(std::size_t image, bool flip, std::span<double> out) const {
    const Shape& shape = images_.shape;
    const auto bytes = images_.image(image);
    for (std::size_t row = 0; row < shape.channels * shape.height; ++row) {
      const double* values = &table_[256 * (row / shape.height)];
      const std::uint8_t* from = &bytes[row * shape.width];
      double* to = &out[row * shape.width];
      for (std::size_t x = 0; x < shape.width; ++x) to[x] = values[from[flip ? shape.width - 1 - x : x]];
    }
  }

  ImageDataset images_;
  ImageOptions options_;
  std::vector<double> table_;  // of every byte, per channel
};

class NodeExamples : public Examples {
 public:
  NodeExamples(const NodeDataset& dataset, bool normalise_rows)
      : Examples(class_targets(dataset.classes.size(), dataset.labels)),
        width_(dataset.features.columns),
        pattern_(pattern_of(dataset.nodes, dataset.edges)) {
    if (dataset.nodes * width_ > kMostNumbers) {
      fail(Fault::kConfig,
           fmt::format("{} has {} x {} features, more than fit into memory as a matrix; choose fewer "
                       "nodes",
                       dataset.name, dataset.nodes, width_));
    }
    inputs_.resize(dataset.nodes * width_);
    for (std::size_t i = 0; i < dataset.nodes; ++i) {
      const std::span<double> row = std::span(inputs_).subspan(i * width_, width_);
      dataset.features.expand(i, row);
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      if (!normalise_rows || sum == 0) continue;
      for (double& value : row) value /= sum;
    }
    everyone_.resize(dataset.nodes);
    std::iota(everyone_.begin(), everyone_.end(), 0);
  }
  Shape input() const override { return {width_}; }
  bool connected() const override { return true; }

  Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs, std::uint64_t,
                          ExampleMemory& memory) const override {
    memory.row_weights.assign(size(), 0);
    for (const std::size_t node : chosen) memory.row_weights[node] = 1;
    Problems<double> problem;
    problem.rows = size();
    problem.inputs = inputs_;
    problem.targets = target_rows(everyone_, outputs, memory);
    problem.row_weights = memory.row_weights;
    problem.graph = &pattern_;
    return problem;
  }

 private:
  std::size_t width_;
  GraphPattern pattern_;
  std::vector<double> inputs_;
  std::vector<std::size_t> everyone_;
};

class GraphExamples : public Examples {
 public:
  explicit GraphExamples(GraphsDataset dataset)
      : Examples(targets_of(dataset)), dataset_(std::move(dataset)) {
    for (const LabelledGraph& graph : dataset_.graphs)
      patterns_.push_back(pattern_of(graph.nodes, graph.edges));
  }
  Shape input() const override { return {dataset_.feature_names.size()}; }

  Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs, std::uint64_t,
                          ExampleMemory& memory) const override {
    memory.inputs.clear();
    memory.graph.nodes = 0;
    memory.graph.row_starts.assign(1, 0);
    memory.graph.columns.clear();
    memory.graph.graph_starts.assign(1, 0);
    for (const std::size_t graph : chosen) append(graph, memory);
    Problems<double> problem;
    problem.rows = memory.graph.nodes;
    problem.inputs = memory.inputs;
    problem.targets = target_rows(chosen, outputs, memory);
    problem.graph = &memory.graph;
    return problem;
  }

 private:
  static Targets targets_of(const GraphsDataset& dataset) {
    Targets targets{dataset.classes.size(), {}};
    for (const LabelledGraph& graph : dataset.graphs) targets.values.push_back(graph.label);
    return targets;
  }
  void append(std::size_t graph, ExampleMemory& memory) const {
    GraphPattern& together = memory.graph;
    const GraphPattern& pattern = patterns_[graph];
    const std::vector<double>& features = dataset_.graphs[graph].features;
    memory.inputs.insert(memory.inputs.end(), features.begin(), features.end());
    const std::size_t edges = together.edges();
    for (std::size_t i = 1; i <= pattern.nodes; ++i)
      together.row_starts.push_back(edges + pattern.row_starts[i]);
    for (const std::uint32_t column : pattern.columns) {
      together.columns.push_back(static_cast<std::uint32_t>(together.nodes) + column);
    }
    together.nodes += pattern.nodes;
    together.graph_starts.push_back(together.nodes);
  }

  GraphsDataset dataset_;
  std::vector<GraphPattern> patterns_;
};

}  // namespace

void Targets::write(std::size_t example, std::span<double> row) const {
  const double value = values[example];
  if (classes == 0 || row.size() == 1) {
    if (classes > 2 || row.size() != 1) {
      fail(Fault::kConfig,
           fmt::format("the data have {} and the model has {} outputs",
                       classes == 0 ? "one number per example" : fmt::format("{} classes", classes),
                       row.size()));
    }
    row[0] = classes == 0 ? value : std::max(value, 0.0);
    return;
  }
  if (row.size() < classes) {
    fail(Fault::kConfig,
         fmt::format("the data have {} classes and the model has {} outputs", classes, row.size()));
  }
  std::ranges::fill(row, 0.0);
  if (value >= 0) row[static_cast<std::size_t>(value)] = 1;
}

std::span<const double> Examples::target_rows(std::span<const std::size_t> chosen, std::size_t outputs,
                                              ExampleMemory& memory) const {
  memory.targets.resize(chosen.size() * outputs);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    targets_.write(chosen[i], std::span(memory.targets).subspan(i * outputs, outputs));
  }
  return memory.targets;
}

std::unique_ptr<Examples> record_examples(Shape shape, std::vector<double> inputs, Targets targets) {
  return std::make_unique<RecordExamples>(shape, std::move(inputs), std::move(targets));
}

std::unique_ptr<Examples> image_examples(ImageDataset images, const ImageOptions& options) {
  return std::make_unique<ImageExamples>(std::move(images), options);
}

std::unique_ptr<Examples> node_examples(const NodeDataset& dataset, bool normalise_rows) {
  return std::make_unique<NodeExamples>(dataset, normalise_rows);
}

std::unique_ptr<Examples> graph_examples(GraphsDataset dataset) {
  return std::make_unique<GraphExamples>(std::move(dataset));
}

GraphPattern pattern_of(std::size_t nodes, std::span<const NodePair> edges) {
  GraphPattern pattern{
      nodes, std::vector<std::size_t>(nodes + 1), std::vector<std::uint32_t>(2 * edges.size()), {0, nodes}};
  for (const auto& [a, b] : edges) {
    ++pattern.row_starts[a + 1];
    ++pattern.row_starts[b + 1];
  }
  std::partial_sum(pattern.row_starts.begin(), pattern.row_starts.end(), pattern.row_starts.begin());
  std::vector<std::size_t> next(pattern.row_starts.begin(), pattern.row_starts.end() - 1);
  for (const auto& [a, b] : edges) {
    pattern.columns[next[a]++] = b;
    pattern.columns[next[b]++] = a;
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    std::sort(pattern.columns.begin() + static_cast<std::ptrdiff_t>(pattern.row_starts[i]),
              pattern.columns.begin() + static_cast<std::ptrdiff_t>(pattern.row_starts[i + 1]));
  }
  return pattern;
}

}  // namespace earshot
