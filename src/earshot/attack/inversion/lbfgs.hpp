// Limited-memory BFGS as a search that is told values and gradients, one point at a time: libraries that call
// the objective themselves (libLBFGS, LBFGS++) cannot have many searches answered by one batched evaluation.
#pragma once

#include <memory>
#include <vector>

#include "earshot/attack/inversion/descent.hpp"

namespace earshot {

/// The inverse Hessian of the last steps applied to a gradient (Nocedal & Wright 2006, algorithm 7.4).
class InverseHessian {
 public:
  InverseHessian(std::size_t size, std::size_t history);
  void forget() { stored_ = 0; }
  bool empty() const { return stored_ == 0; }
  /// A step s and the change y of the gradient; left out unless s.y > 0 beyond rounding.
  void add(std::span<const double> step, std::span<const double> change);
  /// out = -H gradient.
  void descent_direction(std::span<const double> gradient, std::span<double> out);

 private:
  /// Not cleared: of a search that ends early most of it is never touched, and takes no memory.
  using Rows = std::unique_ptr<double[]>;

  std::span<double> steps(std::size_t age) { return row(steps_, age); }
  std::span<double> changes(std::size_t age) { return row(changes_, age); }
  std::size_t slot(std::size_t age) const { return (newest_ + history_ - age) % history_; }
  std::span<double> row(const Rows& rows, std::size_t age) { return {&rows[slot(age) * size_], size_}; }

  std::size_t size_;
  std::size_t history_;
  std::size_t stored_ = 0;
  std::size_t newest_ = 0;
  Rows steps_;
  Rows changes_;
  std::vector<double> inverse_products_;  // 1 / s.y by slot
  std::vector<double> alphas_;
};

/// Looks along a line for a step that meets the strong Wolfe conditions (Nocedal & Wright 2006, algorithms
/// 3.5 and 3.6), one trial at a time.
class WolfeSearch {
 public:
  enum class Verdict { kTryNext, kAccept, kGiveUp };

  void start(double value, double slope, double first_step);
  double trial() const { return trial_.step; }
  /// Value and slope at the trial.
  Verdict tell(double value, double slope);
  /// Steps that were told of and may still be accepted when the search gives up: the best lower end.
  bool has_lower_end() const { return lower_.step > 0; }
  bool trial_is_lower_end() const { return trial_is_lower_end_; }

 private:
  struct Point {
    double step = 0;
    double value = 0;
    double slope = 0;
  };
  Verdict bracket();
  Verdict zoom();
  Verdict look_between();
  bool falls_enough(const Point& p) const;
  bool flat_enough(const Point& p) const;

  Point origin_;
  Point previous_;
  Point trial_;
  Point lower_;  // the best end of the bracket
  Point upper_;
  bool bracketed_ = false;
  bool trial_is_lower_end_ = false;
  std::size_t trials_ = 0;
};

class Lbfgs : public Descent {
 public:
  Lbfgs(const LbfgsOptions& options, std::span<const double> start);
  std::span<const double> wanted() const override { return trial_; }
  void tell(double value, std::span<const double> gradient) override;
  bool finished() const override { return finished_; }

 private:
  void arrive(double value, std::span<const double> gradient);
  void accept(std::span<const double> point, double value, std::span<const double> gradient);
  void set_off();
  void give_up();

  LbfgsOptions options_;
  std::vector<double> point_;
  std::vector<double> gradient_;
  std::vector<double> direction_;
  std::vector<double> trial_;
  std::vector<double> lower_point_;  // of the line search
  std::vector<double> lower_gradient_;
  std::vector<double> step_;
  double value_ = 0;
  double lower_value_ = 0;
  bool started_ = false;
  bool finished_ = false;
  InverseHessian hessian_;
  WolfeSearch search_;
};

}  // namespace earshot
