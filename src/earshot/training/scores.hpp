// How good a model is on examples, beside what somebody says who has learnt nothing but the average.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/core/json.hpp"
#include "earshot/training/examples.hpp"
#include "earshot/training/worker.hpp"

namespace earshot {

struct Scores {
  std::size_t examples = 0;
  double loss = 0;  // mean over the examples
  bool classes = true;
  double accuracy =
      0;  // share of examples of the right class; for numbers the root of the mean squared error
  double baseline = 0;  // the same score of the most frequent training class, or of the training mean
};
Json to_json(const Scores& scores);

/// Loss of one example: (sum q) logsumexp(z) - <q, z>, or the mean of the binary losses or squares.
double example_loss(LossKind loss, std::span<const double> outputs, std::span<const double> targets);

/// The score of always saying the most frequent class of `train` (its mean for numbers) on `chosen`.
double baseline(const Targets& targets, std::span<const std::size_t> train,
                std::span<const std::size_t> chosen);

/// `baseline` is left at 0.
Scores evaluate(const Model& model, Worker& worker, Parameters parameters, const Examples& examples,
                std::span<const std::size_t> chosen);

}  // namespace earshot
