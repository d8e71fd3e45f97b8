// A model at work in one of its two precisions, behind doubles.
#pragma once

#include <memory>
#include <span>

#include "earshot/model/model.hpp"

namespace earshot {

enum class Precision { kSingle, kDouble };

/// Problems, parameters and results are doubles; inside, the arithmetic is of the chosen precision.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Returns the loss.
  virtual double gradient(const Problems<double>& problem, std::span<double> out) = 0;
  virtual ClippingReport clipped_sum(const Problems<double>& problem, double bound,
                                     std::span<double> out) = 0;
  /// Several problems of one shape at once: `out` is count x parameters.
  virtual void gradients(const Problems<double>& problems, std::span<double> out) = 0;
  virtual void outputs(const Problems<double>& problem, std::span<double> out) = 0;
};

std::unique_ptr<Worker> make_worker(const Model& model, Precision precision);

}  // namespace earshot
