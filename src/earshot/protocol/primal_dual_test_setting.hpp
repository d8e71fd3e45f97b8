// Graphs, regressions and the stacked matrices of ADMM and PDMM, for their tests.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <vector>

#include "earshot/graph/topologies.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot::testing {

inline Graph ring(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
  edges.emplace_back(0, static_cast<NodeId>(nodes - 1));
  return {nodes, edges};
}
inline Graph path(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
  return {nodes, edges};
}
inline Graph star(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 1; i < nodes; ++i) edges.emplace_back(0, i);
  return {nodes, edges};
}
inline Graph complete(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < nodes; ++i) {
    for (NodeId j = i + 1; j < nodes; ++j) edges.emplace_back(i, j);
  }
  return {nodes, edges};
}
inline Graph geometric(std::size_t nodes, double radius) {
  for (const GraphComponent& one : graph_components()) {
    if (one.schema.name != "random_geometric") continue;
    Stream stream({7, Purpose::kTest});
    return one.make(Settings({{"nodes", nodes}, {"radius", radius}, {"connected", true}}), stream, {});
  }
  fail(Fault::kInternal, "no random geometric graph");
}

/// One output with a sigmoid: unlike softmax regression it has one optimum only.
inline Architecture logistic() {
  return {"", {2}, {Dense{1}}, LossKind::kBinaryCrossEntropy};
}
inline Architecture least_squares() {
  return {"", {2}, {Dense{1}}, LossKind::kMeanSquared};
}

/// Every record as a row, followed by 1.
inline Eigen::MatrixXd inputs_with_one(const SmallTask& small) {
  std::vector<std::size_t> all(small.examples->size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  ExampleMemory memory;
  const Problems<double> problem = small.examples->gather(all, 1, 0, memory);
  Eigen::MatrixXd rows(all.size(), 3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.row(static_cast<Eigen::Index>(i)) << problem.inputs[2 * i], problem.inputs[2 * i + 1], 1;
  }
  return rows;
}

/// Newton's method on sum_i weight_i (softplus(w x_i) - y_i w x_i) + <linear, w> + curvature/2 |w|^2.
inline Eigen::Vector3d newton(const SmallTask& small, const Eigen::VectorXd& weights,
                              const Eigen::Vector3d& linear = Eigen::Vector3d::Zero(), double curvature = 0) {
  const Eigen::MatrixXd x = inputs_with_one(small);
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  for (int i = 0; i < 60; ++i) {
    Eigen::Vector3d gradient = linear + curvature * w;
    Eigen::Matrix3d hessian = curvature * Eigen::Matrix3d::Identity();
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const Eigen::Vector3d row = x.row(r).transpose();
      const double y = 1 / (1 + std::exp(-row.dot(w)));
      const double label = small.examples->targets().values[static_cast<std::size_t>(r)];
      gradient += weights[r] * (y - label) * row;
      hessian += weights[r] * y * (1 - y) * row * row.transpose();
    }
    const Eigen::Vector3d step = hessian.ldlt().solve(gradient);
    w -= step / std::max(1.0, step.norm());
  }
  return w;
}
inline Eigen::Vector3d centralised_optimum(const SmallTask& small) {
  return newton(small, Eigen::VectorXd::Ones(static_cast<Eigen::Index>(small.examples->size())));
}

/// C and P of the stacked form, for `size` numbers per node: row blocks are z_{i|j} of all edges, then
/// z_{j|i}.
struct StackedEdges {
  StackedEdges(const Graph& graph, Eigen::Index size) {
    const auto edges = graph.edges();
    const auto count = static_cast<Eigen::Index>(edges.size());
    const auto one = Eigen::MatrixXd::Identity(size, size);
    c = Eigen::MatrixXd::Zero(2 * count * size, static_cast<Eigen::Index>(graph.node_count()) * size);
    p = Eigen::MatrixXd::Zero(2 * count * size, 2 * count * size);
    for (Eigen::Index e = 0; e < count; ++e) {
      const auto [i, j] = edges[static_cast<std::size_t>(e)];
      c.block(e * size, i * size, size, size) = one;
      c.block((e + count) * size, j * size, size, size) = -one;
      p.block(e * size, (e + count) * size, size, size) = one;
      p.block((e + count) * size, e * size, size, size) = one;
    }
  }
  Eigen::MatrixXd c, p;
};

}  // namespace earshot::testing
