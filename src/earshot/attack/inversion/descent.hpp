// Descending many problems together: an optimiser says where it wants to know value and gradient next, so one
// batched evaluation serves the restarts of an attack, each of which is at a different point of its search.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace earshot {

class Descent {
 public:
  virtual ~Descent() = default;
  /// Where value and gradient are wanted next.
  virtual std::span<const double> wanted() const = 0;
  /// Answers `wanted()`. A value or gradient that is not finite counts as infinitely bad.
  virtual void tell(double value, std::span<const double> gradient) = 0;
  virtual bool finished() const = 0;

  /// The best point told of so far; empty before the first finite value.
  std::span<const double> best() const { return best_; }
  double best_value() const { return best_value_; }
  std::size_t iterations() const { return iterations_; }
  std::size_t evaluations() const { return evaluations_; }
  /// Left behind in a race: takes no more evaluations.
  void drop() { dropped_ = true; }
  bool dropped() const { return dropped_; }

 protected:
  /// Counts the evaluation and remembers the point if it is the best so far.
  void note(std::span<const double> point, double value);

  std::size_t iterations_ = 0;

 private:
  std::vector<double> best_;
  double best_value_ = 0;
  std::size_t evaluations_ = 0;
  bool dropped_ = false;
};

/// Bounds of the first variables; the others are free.
struct Box {
  std::size_t variables = 0;
  double low = 0;
  double high = 1;
};

enum class StepRule { kAdam, kGradient };

/// Adam (Kingma & Ba 2015) or plain gradient descent.
struct FirstOrderOptions {
  StepRule rule = StepRule::kAdam;
  std::size_t iterations = 2000;
  double rate = 0.1;
  bool signs = false;  // steps use the sign of the gradient only (Geiping et al. 2020)
  bool decay = true;   // the rate falls to a tenth after 3/8, 5/8 and 7/8 of the iterations
  double target = -std::numeric_limits<double>::infinity();  // ends where the value is not above it
  std::optional<Box> box{};
};

/// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal & Wright 2006, algorithms
/// 7.4, 3.5 and 3.6).
struct LbfgsOptions {
  std::size_t iterations = 300;
  std::size_t history = 20;
  double target = 0;         // ends where the value is not above it
  double flat_gradient = 0;  // ends where no derivative is larger
};

using DescentOptions = std::variant<FirstOrderOptions, LbfgsOptions>;

std::unique_ptr<Descent> make_descent(const DescentOptions& options, std::span<const double> start);

/// Writes values and gradients at the points of the problems `which`, all laid out one after the other.
using BatchEvaluation = std::function<void(std::span<const std::size_t> which, std::span<const double> points,
                                           std::span<double> values, std::span<double> gradients)>;

/// Restarts that race (successive halving; Jamieson & Talwalkar 2016): after 1/16, 1/8, 1/4 and 1/2 of the
/// steps only the better half goes on, and all end as soon as one is at the target. Searches that would take
/// all their steps then cost 1/16 + 4/32 = 3/16 of what they cost without, whatever their number.
struct Race {
  std::size_t steps = 0;  // a search makes at most
  double target = 0;
  std::size_t kept = 4;  // never fewer go on
};

/// How far searches that descend together have come.
struct SearchStep {
  std::size_t batches = 0;    // evaluated so far
  std::size_t searching = 0;  // in the last one
  double best_value = 0;      // of any; infinite before the first finite one
};
using OnSearchStep = std::function<void(const SearchStep&)>;

/// Until all are finished or dropped; those that are take no more evaluations. `on_step` is called after each
/// batch.
void descend_together(std::span<const std::unique_ptr<Descent>> descents, const BatchEvaluation& evaluate,
                      const std::optional<Race>& race = {}, const OnSearchStep& on_step = {});

}  // namespace earshot
