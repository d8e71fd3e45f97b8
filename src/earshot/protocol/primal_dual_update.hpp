// What a node of ADMM or PDMM does with its own records: it solves its subproblem, exactly or nearly.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "earshot/protocol/primal_dual_solver.hpp"
#include "earshot/training/learner.hpp"

namespace earshot {

enum class PrimalUpdate {
  kExact,     // to a tolerance
  kGradient,  // k_max steps of gradient descent from the last w
  kQuadratic  // f_i replaced by a parabola of curvature mu at the last w (O'Connor et al. 2018)
};

struct PrimalUpdateOptions {
  PrimalUpdate kind = PrimalUpdate::kGradient;
  std::size_t k_max = 1;
  double alpha = 0.1;
  double mu = 1;
  double tolerance = 1e-10;  // kExact: of the gradient's length, relative to 1 + |linear|
};

/// min_w scale f(w) + <linear, w> + curvature/2 |w|^2, f being the mean loss of the learner's records.
struct Subproblem {
  Learner* learner = nullptr;  // none: a node without records, f = 0
  double scale = 1;
  double curvature = 0;  // rho d_i
};

/// Safe to use from several threads; memory for as many nodes as compute at once.
class PrimalUpdater {
 public:
  PrimalUpdater(const PrimalUpdateOptions& options, std::size_t parameters);

  const PrimalUpdateOptions& options() const { return options_; }
  /// `write_linear` fills in the linear term. Moves the parameters at the front of `state`. A node whose
  /// budget is used up goes on as if it had no records: it then only passes on what it hears.
  void update(const Subproblem& problem, const std::function<void(std::span<double>)>& write_linear,
              std::span<double> state);

 private:
  /// Memory for one node at work.
  struct Bench {
    Bench(std::size_t parameters, bool solver);
    std::vector<double> linear, gradient, before;
    std::unique_ptr<GradientSolver> solver;
    std::vector<double> state;  // the solver's trial point, with running statistics
  };
  std::unique_ptr<Bench> take_bench();

  void solve(const Subproblem& problem, Bench& bench, std::span<double> state) const;
  void descend(const Subproblem& problem, Bench& bench, std::span<double> state) const;
  void take_parabola(const Subproblem& problem, Bench& bench, std::span<double> state) const;
  void move(const Subproblem& problem, Bench& bench, std::span<double> state) const;

  PrimalUpdateOptions options_;
  std::size_t parameters_;
  std::mutex lock_;
  std::vector<std::unique_ptr<Bench>> idle_;
};

}  // namespace earshot
