#include "earshot/protocol/primal_dual_theory.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

constexpr std::size_t kDense = 128;   // parameters
constexpr int kPowerIterations = 30;  // beta to a few per cent, enough for a warning

bool is_bipartite(const Graph& graph) {
  std::vector<int> side(graph.node_count(), 0);
  std::vector<NodeId> reached;
  for (NodeId start = 0; start < graph.node_count(); ++start) {
    if (side[start] != 0) continue;
    side[start] = 1;
    reached.assign(1, start);
    while (!reached.empty()) {
      const NodeId node = reached.back();
      reached.pop_back();
      for (const NodeId neighbour : graph.neighbours(node)) {
        if (side[neighbour] == side[node]) return false;
        if (side[neighbour] == 0) {
          side[neighbour] = -side[node];
          reached.push_back(neighbour);
        }
      }
    }
  }
  return true;
}

/// The second derivative times a vector, by central differences.
class Hessian {
 public:
  Hessian(LearningTask& task, std::span<const std::size_t> records, std::span<const double> state,
          double scale)
      : task_(task),
        records_(records),
        centre_(state),
        scale_(scale),
        point_(state.begin(), state.end()),
        ahead_(task.parameter_count()),
        behind_(task.parameter_count()) {}

  Eigen::VectorXd times(const Eigen::VectorXd& direction) {
    const double step = kStep / direction.norm();
    at(direction, step, ahead_);
    at(direction, -step, behind_);
    Eigen::VectorXd out(direction.size());
    for (Eigen::Index k = 0; k < out.size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      out[k] = scale_ * (ahead_[i] - behind_[i]) / (2 * step);
    }
    return out;
  }

 private:
  static constexpr double kStep = 1e-4;  // squared error and cancelled digits are both near 1e-9

  void at(const Eigen::VectorXd& direction, double step, std::span<double> out) {
    for (Eigen::Index k = 0; k < direction.size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      point_[i] = centre_[i] + step * direction[k];
    }
    task_.gradient(point_, {records_}, out);
  }

  LearningTask& task_;
  std::span<const std::size_t> records_;
  std::span<const double> centre_;
  double scale_;
  std::vector<double> point_, ahead_, behind_;
};

Curvature dense_curvature(Hessian& hessian, Eigen::Index size) {
  Eigen::MatrixXd matrix(size, size);
  for (Eigen::Index k = 0; k < size; ++k) matrix.col(k) = hessian.times(Eigen::VectorXd::Unit(size, k));
  const Eigen::MatrixXd symmetric = (matrix + matrix.transpose()) / 2;
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  const double beta = std::max(values[size - 1], 0.0);
  return {values[0] > 1e-6 * beta ? values[0] : 0, beta};
}

Curvature iterated_curvature(Hessian& hessian, Eigen::Index size) {
  Stream stream({0, Purpose::kDual});
  Eigen::VectorXd direction(size);
  stream.fill_normal({direction.data(), static_cast<std::size_t>(size)}, 1);
  double beta = 0;
  for (int i = 0; i < kPowerIterations && direction.norm() > 0; ++i) {
    direction.normalize();
    direction = hessian.times(direction);
    beta = direction.norm();
  }
  return {{}, beta};
}

}  // namespace

std::size_t hidden_dimension(const Graph& graph) {
  return 2 * graph.edge_count() + 1 + (is_bipartite(graph) ? 1 : 0) - 2 * graph.node_count();
}

Curvature loss_curvature(LearningTask& task, std::span<const std::size_t> records,
                         std::span<const double> state, double scale) {
  Hessian hessian(task, records, state, scale);
  const auto size = static_cast<Eigen::Index>(task.parameter_count());
  return task.parameter_count() <= kDense ? dense_curvature(hessian, size)
                                          : iterated_curvature(hessian, size);
}

}  // namespace earshot
