// What an attacker holds of a victim's gradients, and how a guess of the records would have made it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "earshot/model/model.hpp"

namespace earshot {

/// The gradient at one parameter point, times a factor.
struct GradientTerm {
  double factor = 1;
  std::vector<double> parameters;
};

/// Steps a victim made on its own records before it sent the change of its parameters: `epochs` times over
/// the records in order, in batches of `batch` (the last may be smaller).
struct LocalTraining {
  std::size_t epochs = 1;
  std::size_t batch = 1;
  double rate = 0.1;
};

/// Numbers a victim's records went into, and the public facts needed to predict them from a guess:
/// - sum_k factor_k grad L(parameters_k): a gradient (one term of factor 1), a difference of two gradients as
///   primal-dual protocols reveal it (factors 1 and -1), or any other sum over the same records;
/// - with `local_training` the change of the parameters, start minus end, of local steps from the one term's
///   parameters.
struct Observation {
  std::vector<GradientTerm> terms;
  std::vector<double> values;
  std::size_t records = 1;  // in the batch
  std::optional<LocalTraining> local_training{};
};

/// One gradient at known parameters.
Observation observe_gradient(Parameters parameters, std::span<const double> gradient, std::size_t records);
/// grad L(first) - grad L(second).
Observation observe_difference(Parameters first, Parameters second, std::span<const double> difference,
                               std::size_t records);
/// The change start - end of a client's parameters, unrolled through its steps.
Observation observe_update(Parameters start, std::span<const double> change, std::size_t records,
                           const LocalTraining& training);
/// The same, taken for the gradient of all records, change / (rate x steps): no derivative through the steps.
Observation observe_update_as_gradient(Parameters start, std::span<const double> change, std::size_t records,
                                       const LocalTraining& training);

/// Guesses of several restarts: count x records x input_size and count x records x output_size.
template <class Real>
struct Guesses {
  std::size_t count = 1;
  std::size_t records = 1;
  std::span<const Real> inputs;
  std::span<const Real> targets;
};

/// Predicts the numbers of an observation from guesses, and pulls directions on them back to the guesses.
/// Memory is kept from call to call; one thread at a time.
template <class Real>
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// count x numbers of the observation.
  virtual void predict(const Guesses<Real>& guesses, std::span<Real> out) = 0;
  /// d<direction_k, prediction_k> / d(inputs, targets) of the guesses of the last predict().
  virtual void pull(std::span<const Real> directions, ProblemGradient<Real> out) = 0;
  /// The engine's shortcut to |prediction_k - observed|^2 and its derivatives, if it has one for this
  /// observation.
  virtual bool match(const Guesses<Real>& /*guesses*/, std::span<const Real> /*observed*/,
                     std::span<double> /*distances*/, ProblemGradient<Real> /*out*/) {
    return false;
  }
  /// The same for 1 - cos of the angle between prediction_k and what was observed.
  virtual bool match_cosine(const Guesses<Real>& /*guesses*/, std::span<const Real> /*observed*/,
                            std::span<double> /*distances*/, ProblemGradient<Real> /*out*/) {
    return false;
  }
};

/// `model` must outlive the predictor. Local training is unrolled in double only.
template <class Real>
std::unique_ptr<Predictor<Real>> make_predictor(const Model& model, const Observation& observation);

}  // namespace earshot
