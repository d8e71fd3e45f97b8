#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/estimation/transport_problem.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

constexpr std::size_t kBlock = 64;  // columns a task owns: whole cache lines of every row

/// Places without mass have no logarithm and take no part.
TransportProblem with_mass(std::span<const double> from, std::span<const double> to,
                           const Distances& distances) {
  TransportProblem problem{{}, {}, {}, {}, distances};
  for (std::size_t x = 0; x < from.size(); ++x) {
    if (from[x] > 0) {
      problem.sources.push_back(x);
      problem.from.push_back(from[x]);
    }
  }
  for (std::size_t y = 0; y < to.size(); ++y) {
    if (to[y] > 0) {
      problem.sinks.push_back(y);
      problem.to.push_back(to[y]);
    }
  }
  return problem;
}

/// The plan is P_ij = from_i to_j exp((f_i + g_j - d_ij) / w).
class Sinkhorn {
 public:
  explicit Sinkhorn(const TransportProblem& problem)
      : problem_(problem), f_(problem.from.size()), g_(problem.to.size()) {}

  /// Alternates at weight w until the marginals fit; returns the iterations it took.
  std::size_t fit(double w, double tolerance, std::size_t most) {
    w_ = w;
    std::size_t taken = 0;
    do {
      fit_sinks();
      fit_sources();
      ++taken;
    } while (taken < most && marginal_error() > tolerance);
    return taken;
  }

  /// Total variation between the sinks' masses and what the plan brings there; sources fit exactly after
  /// fit_sources.
  double marginal_error() const {
    const std::vector<double> arriving = arrivals();
    double sum = 0;
    for (std::size_t j = 0; j < g_.size(); ++j) sum += std::abs(arriving[j] - problem_.to[j]);
    return sum / 2;
  }

  /// What the plan costs once it is made to fit: overfull sinks are scaled down and what is left is spread in
  /// proportion.
  double feasible_cost() const {
    std::vector<double> scale = arrivals();
    for (std::size_t j = 0; j < g_.size(); ++j) scale[j] = std::min(1.0, problem_.to[j] / scale[j]);
    std::vector<double> missing_at_sink = problem_.to;
    std::vector<double> missing_at_source = problem_.from;
    double cost = 0;
    double missing = 0;
    for (std::size_t i = 0; i < f_.size(); ++i) {
      for (std::size_t j = 0; j < g_.size(); ++j) {
        const double mass = plan(i, j) * scale[j];
        cost += mass * problem_.distance(i, j);
        missing_at_source[i] -= mass;
        missing_at_sink[j] -= mass;
      }
      missing += missing_at_source[i];
    }
    if (!(missing > 0)) return cost;
    for (std::size_t i = 0; i < f_.size(); ++i) {
      for (std::size_t j = 0; j < g_.size(); ++j)
        cost += std::max(missing_at_source[i], 0.0) * std::max(missing_at_sink[j], 0.0) / missing *
                problem_.distance(i, j);
    }
    return cost;
  }

  std::span<const double> sink_prices() const { return g_; }

 private:
  double plan(std::size_t i, std::size_t j) const {
    return problem_.from[i] * problem_.to[j] * std::exp((f_[i] + g_[j] - problem_.distance(i, j)) / w_);
  }

  void fit_sources() {
    parallel_for(f_.size(), [this](std::size_t i) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < g_.size(); ++j) most = std::max(most, g_[j] - problem_.distance(i, j));
      double sum = 0;
      for (std::size_t j = 0; j < g_.size(); ++j)
        sum += problem_.to[j] * std::exp((g_[j] - problem_.distance(i, j) - most) / w_);
      f_[i] = -most - w_ * std::log(sum);
    });
  }

  void fit_sinks() {
    each_sink_block([this](std::size_t first, std::size_t last) {
      double most[kBlock];
      double sum[kBlock] = {};
      std::fill(most, most + kBlock, -std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < f_.size(); ++i) {
        for (std::size_t j = first; j < last; ++j)
          most[j - first] = std::max(most[j - first], f_[i] - problem_.distance(i, j));
      }
      for (std::size_t i = 0; i < f_.size(); ++i) {
        for (std::size_t j = first; j < last; ++j)
          sum[j - first] +=
              problem_.from[i] * std::exp((f_[i] - problem_.distance(i, j) - most[j - first]) / w_);
      }
      for (std::size_t j = first; j < last; ++j) g_[j] = -most[j - first] - w_ * std::log(sum[j - first]);
    });
  }

  std::vector<double> arrivals() const {
    std::vector<double> sum(g_.size());
    each_sink_block([&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < f_.size(); ++i) {
        for (std::size_t j = first; j < last; ++j) sum[j] += plan(i, j);
      }
    });
    return sum;
  }

  template <class Body>
  void each_sink_block(const Body& body) const {
    parallel_for((g_.size() + kBlock - 1) / kBlock,
                 [&](std::size_t block) { body(block * kBlock, std::min((block + 1) * kBlock, g_.size())); });
  }

  const TransportProblem& problem_;
  std::vector<double> f_;
  std::vector<double> g_;
  double w_ = 1;
};

}  // namespace

SinkhornCost sinkhorn_distance(std::span<const double> from, std::span<const double> to,
                               const Distances& distances, const SinkhornOptions& options) {
  check_transport(from, to, distances);
  if (!(options.regularisation > 0) || !std::isfinite(options.regularisation))
    fail(Fault::kConfig, "Sinkhorn's regularisation must be a finite number above 0");
  if (options.iterations == 0 || !(options.tolerance > 0))
    fail(Fault::kConfig, "Sinkhorn needs at least one iteration and a tolerance above 0");
  const TransportProblem problem = with_mass(from, to, distances);
  Sinkhorn sinkhorn(problem);
  SinkhornCost cost;
  // A falling weight starts every stage near its solution (Schmitzer 2019); early stages need not be exact.
  for (double w = std::max(std::ranges::max(distances.value) / 4, options.regularisation);
       w > options.regularisation; w /= 4)
    cost.iterations += sinkhorn.fit(w, 1e-3, std::max<std::size_t>(options.iterations / 20, 1));
  cost.iterations += sinkhorn.fit(options.regularisation, options.tolerance, options.iterations);
  cost.marginal_error = sinkhorn.marginal_error();
  cost.distance = sinkhorn.feasible_cost();
  cost.lower_bound = transport_lower_bound(problem, sinkhorn.sink_prices());
  return cost;
}

}  // namespace earshot
