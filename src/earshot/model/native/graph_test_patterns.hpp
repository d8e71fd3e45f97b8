// For tests: adjacency patterns, and problems on them in another order of the nodes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "earshot/model/native/layer_check.hpp"

namespace earshot {

/// Where `adjacency` differs from zero. One graph unless `graph_starts` says otherwise.
inline GraphPattern pattern_of(const Eigen::MatrixXd& adjacency, std::vector<std::size_t> graph_starts = {}) {
  GraphPattern pattern;
  pattern.nodes = static_cast<std::size_t>(adjacency.rows());
  pattern.row_starts = {0};
  for (Eigen::Index i = 0; i < adjacency.rows(); ++i) {
    for (Eigen::Index j = 0; j < adjacency.cols(); ++j)
      if (adjacency(i, j) != 0) pattern.columns.push_back(static_cast<std::uint32_t>(j));
    pattern.row_starts.push_back(pattern.columns.size());
  }
  pattern.graph_starts = graph_starts.empty() ? std::vector<std::size_t>{0, pattern.nodes} : graph_starts;
  return pattern;
}

inline Eigen::MatrixXd complete_graph(Eigen::Index nodes) {
  return Eigen::MatrixXd::Ones(nodes, nodes) - Eigen::MatrixXd::Identity(nodes, nodes);
}

/// 0/1 without a diagonal; node 1 is isolated.
inline Eigen::MatrixXd random_graph(Eigen::Index nodes, double density, bool directed, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  Eigen::MatrixXd adjacency = Eigen::MatrixXd::Zero(nodes, nodes);
  for (Eigen::Index i = 0; i < nodes; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      adjacency(i, j) = stream.uniform() < density;
      adjacency(j, i) = directed ? stream.uniform() < density : adjacency(i, j);
    }
  adjacency.row(1).setZero();
  adjacency.col(1).setZero();
  return adjacency;
}

/// Values of `dense` on the edges of a pattern.
inline std::vector<double> on_edges(const GraphPattern& pattern, const Eigen::MatrixXd& dense) {
  std::vector<double> values;
  for (std::size_t i = 0; i < pattern.nodes; ++i)
    for (std::size_t edge = pattern.row_starts[i]; edge < pattern.row_starts[i + 1]; ++edge)
      values.push_back(dense(static_cast<Eigen::Index>(i), pattern.columns[edge]));
  return values;
}

/// Soft adjacency values in (0.05, 1), every fourth one 0 where `zeros`.
inline std::vector<double> soft_values(std::size_t size, bool zeros, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest, 1});
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] =
        zeros && i % 4 == 0 ? 0.0 : static_cast<double>(static_cast<float>(0.05 + 0.95 * stream.uniform()));
  return values;
}

/// A with one problem's edge values.
inline Eigen::MatrixXd dense_adjacency(const GraphPattern& pattern, const std::vector<double>& values) {
  const auto nodes = static_cast<Eigen::Index>(pattern.nodes);
  Eigen::MatrixXd adjacency = Eigen::MatrixXd::Zero(nodes, nodes);
  for (std::size_t i = 0; i < pattern.nodes; ++i)
    for (std::size_t edge = pattern.row_starts[i]; edge < pattern.row_starts[i + 1]; ++edge)
      adjacency(static_cast<Eigen::Index>(i), pattern.columns[edge]) = values.empty() ? 1 : values[edge];
  return adjacency;
}

inline Eigen::MatrixXd as_matrix(const double* numbers, std::size_t rows, std::size_t columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = numbers[i * columns + j];
  return matrix;
}

inline std::vector<double> as_rows(const Eigen::MatrixXd& matrix) {
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) rows.push_back(matrix(i, j));
  return rows;
}

/// Rows of width `width` in the order `from`.
inline std::vector<double> reordered(const std::vector<double>& rows, std::size_t width,
                                     const std::vector<std::size_t>& from) {
  std::vector<double> result;
  for (const std::size_t i : from)
    result.insert(result.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * width),
                  rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  return result;
}

inline Eigen::MatrixXd reordered(const Eigen::MatrixXd& adjacency, const std::vector<std::size_t>& from) {
  return adjacency(from, from);
}

/// A soft adjacency of zeros and ones on the complete pattern is the graph of its ones: every result agrees,
/// the derivative w.r.t. the adjacency on the graph's edges.
template <class Layer>
void expect_zeros_are_no_edges(Layer& layer, const PlacedLayer& place, const Eigen::MatrixXd& adjacency) {
  const GraphPattern sparse = pattern_of(adjacency), complete = pattern_of(complete_graph(adjacency.rows()));
  LayerCase c{.place = place, .rows = sparse.nodes, .graph = &sparse};
  c.adjacency = on_edges(sparse, adjacency);
  LayerPoint point = layer_check::random_point(c, sparse.nodes);
  const LayerResult expected = layer_check::run(layer, c, point);
  c.graph = &complete;
  point.adjacency = on_edges(complete, adjacency);
  const LayerResult actual = layer_check::run(layer, c, point);
  constexpr double kRounding = 1e-12;
  layer_check::expect_near(actual.out, expected.out, kRounding, "out");
  layer_check::expect_near(actual.in_adjoint, expected.in_adjoint, kRounding, "in_adjoint");
  layer_check::expect_near(actual.gradient, expected.gradient, kRounding, "gradient");
  layer_check::expect_near(actual.out_tangent, expected.out_tangent, kRounding, "out_tangent");
  layer_check::expect_near(actual.in_adjoint_tangent, expected.in_adjoint_tangent, kRounding,
                           "in_adjoint_tangent");
  layer_check::expect_near(on_edges(sparse, dense_adjacency(complete, actual.adjacency_tangent)),
                           expected.adjacency_tangent, kRounding, "adjacency_tangent");
}

/// Numbering the nodes in another way numbers the results in that way, and changes no parameter gradient.
template <class Layer>
void expect_equivariance(Layer& layer, const PlacedLayer& place, const Eigen::MatrixXd& adjacency) {
  const GraphPattern pattern = pattern_of(adjacency);
  LayerCase c{.place = place, .rows = pattern.nodes, .graph = &pattern};
  LayerPoint point = layer_check::random_point(c, pattern.nodes);
  const LayerResult expected = layer_check::run(layer, c, point);
  Stream stream({5, Purpose::kTest});
  const std::vector<std::size_t> order = stream.permutation(pattern.nodes);
  const GraphPattern other = pattern_of(reordered(adjacency, order));
  c.graph = &other;
  const std::size_t in = place.in.size(), out = place.out.size();
  for (auto* rows : {&point.in, &point.in_tangent}) *rows = reordered(*rows, in, order);
  for (auto* rows : {&point.out_adjoint, &point.out_adjoint_tangent}) *rows = reordered(*rows, out, order);
  const LayerResult actual = layer_check::run(layer, c, point);
  constexpr double kRounding = 1e-12;
  layer_check::expect_near(actual.out, reordered(expected.out, out, order), kRounding, "out");
  layer_check::expect_near(actual.in_adjoint, reordered(expected.in_adjoint, in, order), kRounding,
                           "in_adjoint");
  layer_check::expect_near(actual.gradient, expected.gradient, kRounding, "gradient");
  layer_check::expect_near(actual.in_adjoint_tangent, reordered(expected.in_adjoint_tangent, in, order),
                           kRounding, "in_adjoint_tangent");
}

}  // namespace earshot
