// What all nodes have in common: one model, one set of examples, and memory for as many nodes as compute at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "earshot/mechanism/clipping.hpp"
#include "earshot/training/examples.hpp"
#include "earshot/training/scores.hpp"
#include "earshot/training/worker.hpp"

namespace earshot {

/// A state is what nodes exchange: the parameters, then the running statistics of batch norm, if any. Safe to
/// use from several threads; models with running statistics compute one node at a time.
class LearningTask {
 public:
  LearningTask(Model& model, const Examples& examples, Precision precision);

  const Model& model() const { return model_; }
  const Examples& examples() const { return examples_; }
  std::size_t parameter_count() const { return model_.parameter_count(); }
  std::size_t state_size() const { return parameter_count() + model_.buffers().size(); }
  /// Fresh parameters from the stream, and the model's present statistics.
  std::vector<double> initial_state(Stream& stream) const;

  /// Which records, and how they look in this step.
  struct Look {
    std::span<const std::size_t> records;
    std::uint64_t pass = 0;                  // number of the pass over the data
    std::optional<std::uint64_t> dropout{};  // seed; none: off
  };
  /// Gradient of the mean loss over the records, of which there must be some; returns the loss. With
  /// `statistics_momentum` the running statistics at the end of the state move towards the batch's.
  double gradient(std::span<double> state, const Look& look, std::span<double> out,
                  std::optional<double> statistics_momentum = {});
  /// Sum over the records of their gradients, each scaled down to `bound` in the norm if longer; `together`
  /// are looked at at a time.
  ClippingReport clipped_sum(std::span<const double> state, const Look& look, Norm norm, double bound,
                             std::size_t together, std::span<double> out);
  Scores scores(std::span<const double> state, std::span<const std::size_t> records);

 private:
  /// Memory for one node at work.
  struct Bench {
    ExampleMemory memory;
    std::unique_ptr<Worker> worker;
    std::vector<double> part;
    std::vector<double> examples;  // their gradients, where they are clipped one by one
  };
  class Lease;

  Problems<double> problem(Bench& bench, std::span<const double> state, const Look& look) const;
  ClippingReport clipped_part(Bench& bench, const Problems<double>& problem, Norm norm, double bound) const;

  Model& model_;
  const Examples& examples_;
  Precision precision_;
  std::mutex statistics_lock_;  // of the model's running statistics
  std::mutex bench_lock_;
  std::vector<std::unique_ptr<Bench>> idle_;
};

}  // namespace earshot
