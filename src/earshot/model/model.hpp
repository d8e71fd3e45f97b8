// The seam between learning and attacking: a model is a gradient and a pullback over one flat parameter
// vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// Parameters, gradients and messages are doubles: an auditor's instrument must not lose digits an adversary
/// could use (reconstruction over a line of 30 nodes amplifies rounding by 1e11).
using Parameters = std::span<const double>;

/// Which entries of an adjacency matrix may differ from zero: compressed rows, no diagonal (layers add
/// self-loops themselves). Several graphs side by side are one pattern; `graph_starts` has the first node of
/// each, and the node count last.
struct GraphPattern {
  std::size_t nodes = 0;
  std::vector<std::size_t> row_starts;    // nodes + 1
  std::vector<std::uint32_t> columns;     // edges
  std::vector<std::size_t> graph_starts;  // graphs + 1

  std::size_t edges() const { return columns.size(); }
  std::size_t graphs() const { return graph_starts.size() - 1; }
};
/// Every ordered pair of different nodes: where an unknown adjacency is optimised.
GraphPattern complete_pattern(std::size_t nodes);

/// `count` independent problems of one shape, laid out one after the other: restarts of an attack, victims,
/// or just one batch. Targets are rows of output_size numbers (a hard label is a one-hot row; soft labels are
/// allowed because attacks optimise them): one per record, per node, or per graph if the network reads out.
template <class Real>
struct Problems {
  std::size_t count = 1;
  std::size_t rows = 0;              // records of each problem; nodes for graph networks
  std::span<const Real> parameters;  // count x parameters, or one set shared by all
  std::span<const Real> inputs;      // count x rows x input_size
  std::span<const Real> targets;     // count x target rows x output_size
  std::span<const Real>
      row_weights;  // target rows, shared by all; empty: all 1. 0 leaves a row out of the loss
  const GraphPattern* graph = nullptr;     // graph networks only; shared by all
  std::span<const Real> adjacency;         // count x edges, or one set shared by all; empty: all 1
  std::optional<std::uint64_t> dropout{};  // seed of the masks; none: dropout is off
};

/// Where pullbacks write: same shapes as the problems. An empty span is not computed.
template <class Real>
struct ProblemGradient {
  std::span<Real> inputs;
  std::span<Real> targets;
  std::span<Real> adjacency;
};

/// What clipping did to the examples of a batch.
struct ClippingReport {
  std::size_t clipped = 0;     // norm above the bound
  std::size_t non_finite = 0;  // gradient with a NaN or infinity: contributes nothing
};

/// Memory for problems of one shape; nothing is allocated after the first call. One thread at a time.
///
/// Losses are weighted means (or sums) over the target rows: L = sum_i w_i L_i / sum_i w_i.
template <class Real>
class Evaluation {
 public:
  virtual ~Evaluation() = default;

  /// Gradient of each problem's loss: `out` is count x parameters; `losses` has count numbers.
  virtual void gradients(const Problems<Real>& problems, std::span<Real> losses, std::span<Real> out) = 0;

  /// d<r_k, gradient_k> / d(inputs, targets, adjacency) of every problem k of the last `gradients` call,
  /// whose memory must be unchanged. `directions` is count x parameters. What every gradient-matching attack
  /// descends.
  virtual void pullbacks(std::span<const Real> directions, ProblemGradient<Real> out) = 0;

  /// The sum over a problem's target rows of the gradients of their own losses (weights and reduction aside),
  /// each scaled down to L2 norm `bound` if longer: never longer than `bound`, rounding included. A row of
  /// weight 0 is left out; a gradient that is not finite contributes nothing. `norms` (may be empty) has
  /// count x target rows; `out` count x parameters. No rows: zero.
  virtual ClippingReport clipped_sums(const Problems<Real>& problems, double bound, std::span<Real> norms,
                                      std::span<Real> out) = 0;

  /// Network outputs before the loss: count x target rows x output_size. `targets` may be empty. Batch norm
  /// uses its buffers.
  virtual void outputs(const Problems<Real>& problems, std::span<Real> out) = 0;
};

/// One batch of records in double, for callers that have just one.
struct Batch {
  std::size_t size = 0;
  std::span<const double> inputs;
  std::span<const double> targets;
};
struct BatchGradient {
  std::span<double> inputs;
  std::span<double> targets;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::size_t parameter_count() const = 0;
  virtual std::size_t input_size() const = 0;
  /// Numbers in an output row; the number of classes of a classifier.
  virtual std::size_t output_size() const = 0;
  virtual LossKind loss() const = 0;
  virtual void initialise(Stream& stream, std::span<double> parameters) const = 0;
  /// A document for people and checkpoints: engine, architecture, layers, sizes.
  virtual Json describe() const = 0;
  /// A sentence for reports where pullbacks are not exact second derivatives; empty where they are.
  virtual std::string pullback_note() const { return {}; }

  /// Running statistics of batch norm; empty for most models.
  virtual std::span<const double> buffers() const = 0;
  virtual void set_buffers(std::span<const double> buffers) = 0;
  /// Moves the running statistics to (1 - momentum) old + momentum batch (unbiased variance), as training
  /// does after each step.
  virtual void observe(const Problems<double>& problems, double momentum) = 0;

  virtual std::unique_ptr<Evaluation<double>> evaluation() const = 0;
  virtual std::unique_ptr<Evaluation<float>> fast_evaluation() const = 0;

  /// Writes the gradient of the loss over the batch w.r.t. the parameters; returns the loss.
  double gradient(Parameters parameters, const Batch& batch, std::span<double> out) const;
  /// Writes d<r, gradient(parameters, batch)> / d(inputs, targets).
  void pullback(Parameters parameters, const Batch& batch, std::span<const double> r,
                BatchGradient out) const;
  /// Outputs as a reader wants them, size x output_size: class probabilities under cross-entropy, one
  /// probability per output under binary cross-entropy, the outputs themselves under squared error.
  void predict(Parameters parameters, std::size_t size, std::span<const double> inputs,
               std::span<double> out) const;

 private:
  template <class Use>
  auto with_evaluation(Use use) const;

  mutable std::mutex idle_lock_;
  mutable std::vector<std::unique_ptr<Evaluation<double>>> idle_;  // kept for the next convenience call
};

/// Name, sizes, loss, layers and the architecture itself: what every engine's describe() has.
Json describe(const Architecture& architecture);

/// Turns network outputs into predictions, in place, row by row.
void to_predictions(LossKind loss, std::size_t output_size, std::span<double> outputs);

}  // namespace earshot
