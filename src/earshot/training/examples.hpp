// What a model learns from, whatever it was: rows of a table, pictures, nodes of a graph, graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/core/shape.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"
#include "earshot/data/images/image_dataset.hpp"
#include "earshot/model/model.hpp"

namespace earshot {

/// One number or class per example.
struct Targets {
  std::size_t classes = 0;     // 0: numbers
  std::vector<double> values;  // a class as its index; negative: no label

  std::size_t size() const { return values.size(); }
  /// What a model should have: one output per class, or one for a number.
  std::size_t outputs() const { return classes == 0 ? 1 : classes; }
  /// The row a model is compared with: one-hot, the class itself for one output of two classes, or the
  /// number.
  void write(std::size_t example, std::span<double> row) const;
};

/// Where gathered problems live. The next gathering into the same memory overwrites them; nothing is
/// allocated once it is large enough.
struct ExampleMemory {
  std::vector<double> inputs;
  std::vector<double> targets;
  std::vector<double> row_weights;
  GraphPattern graph;
};

/// Examples, and the problems made of some of them: for any number of threads, each with memory of its own.
class Examples {
 public:
  virtual ~Examples() = default;
  const Targets& targets() const { return targets_; }
  std::size_t size() const { return targets_.size(); }
  /// Of one record, or of one node.
  virtual Shape input() const = 0;
  /// Whether an example's loss depends on the inputs of other examples: nodes of one graph.
  virtual bool connected() const { return false; }
  /// Per channel, what makes pixels from 0 to 1 of an input: x * deviation + mean. Null for what is no
  /// picture.
  virtual const Normalisation* pixels() const { return nullptr; }
  /// A problem whose target rows of weight not 0 are the chosen examples, in increasing order if they are
  /// connected and in the order given if not, with target rows of `outputs` numbers; no parameters. `pass`
  /// numbers the passes over the data, for those that look different each time.
  virtual Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs,
                                  std::uint64_t pass, ExampleMemory& memory) const = 0;

 protected:
  explicit Examples(Targets targets) : targets_(std::move(targets)) {}
  std::span<const double> target_rows(std::span<const std::size_t> chosen, std::size_t outputs,
                                      ExampleMemory& memory) const;

 private:
  Targets targets_;
};

/// Rows of numbers; `inputs` is examples x shape.size().
std::unique_ptr<Examples> record_examples(Shape shape, std::vector<double> inputs, Targets targets);

struct ImageOptions {
  bool normalise = true;  // by the dataset's mean and deviation; else from 0 to 1
  bool flip = false;      // each picture left to right with probability 1/2, drawn anew in every pass
  std::uint64_t flip_seed = 1;
};
std::unique_ptr<Examples> image_examples(ImageDataset images, const ImageOptions& options);

/// The nodes of one graph; every problem is the whole graph. With `normalise_rows` each node's features are
/// divided by their sum (Kipf & Welling 2017).
std::unique_ptr<Examples> node_examples(const NodeDataset& dataset, bool normalise_rows);

std::unique_ptr<Examples> graph_examples(GraphsDataset dataset);

/// Both directions of each edge, in rows.
GraphPattern pattern_of(std::size_t nodes, std::span<const NodePair> edges);

}  // namespace earshot
