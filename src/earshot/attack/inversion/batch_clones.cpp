#include "earshot/attack/inversion/batch_clones.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

void check_labels(const RowMatrixXd& probabilities, std::span<const std::size_t> labels) {
  if (probabilities.rows() != at(labels.size())) {
    fail(Fault::kConfig, fmt::format("{} rows of probabilities need as many labels, not {}",
                                     probabilities.rows(), labels.size()));
  }
  if (!probabilities.allFinite()) fail(Fault::kConfig, "probabilities must be finite");
  for (const std::size_t label : labels) {
    if (at(label) >= probabilities.cols()) {
      fail(Fault::kConfig, fmt::format("label {} is not among {} classes", label, probabilities.cols()));
    }
  }
}

}  // namespace

RowMatrixXd error_matrix(const RowMatrixXd& probabilities, std::span<const std::size_t> labels) {
  check_labels(probabilities, labels);
  RowMatrixXd pi = probabilities;
  for (std::size_t s = 0; s < labels.size(); ++s) pi(at(s), at(labels[s])) -= 1;
  return pi;
}

double diagonal_dominance(const RowMatrixXd& probabilities, std::span<const std::size_t> labels) {
  check_labels(probabilities, labels);
  std::vector<bool> present(static_cast<std::size_t>(probabilities.cols()), false);
  for (const std::size_t label : labels) {
    if (present[label]) fail(Fault::kConfig, "diagonal dominance needs a class of its own for every record");
    present[label] = true;
  }
  // 1 - p_s - sum of the others' p is the mass on absent classes; summed there it loses no digits.
  double least = 1;
  for (Eigen::Index s = 0; s < probabilities.rows(); ++s) {
    double absent = 0;
    for (Eigen::Index c = 0; c < probabilities.cols(); ++c) {
      if (!present[static_cast<std::size_t>(c)]) absent += probabilities(s, c);
    }
    least = std::min(least, absent);
  }
  return least;
}

BatchDeviations batch_deviations(const RowMatrixXd& probabilities, std::span<const std::size_t> labels) {
  check_labels(probabilities, labels);
  if (labels.empty() || probabilities.cols() < 2) {
    fail(Fault::kConfig, "the deviations of a batch need at least one record and two classes");
  }
  BatchDeviations found;
  double least = 1;
  double most = 0;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const double own = probabilities(at(s), at(labels[s]));
    const double share = (1 - own) / static_cast<double>(probabilities.cols() - 1);
    for (Eigen::Index c = 0; c < probabilities.cols(); ++c) {
      if (c == at(labels[s])) continue;
      found.uneven = std::max(found.uneven, std::abs(probabilities(at(s), c) - share));
    }
    least = std::min(least, own);
    most = std::max(most, own);
  }
  found.unlike = most - least;
  return found;
}

RowMatrixXd right_inverse(const RowMatrixXd& pi) {
  // By QR of pi^T rather than through pi pi^T, whose condition number is the square.
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(pi);
  if (!pi.allFinite() || solver.rank() < pi.rows()) {
    fail(Fault::kNumeric, "the rows are dependent or not finite: there is no right inverse");
  }
  return solver.pseudoInverse();
}

RowMatrixXd clone_map(const RowMatrixXd& pi, const RowMatrixXd& clone_pi) {
  if (pi.rows() != clone_pi.rows() || pi.cols() != clone_pi.cols()) {
    fail(Fault::kConfig, "batch clones have the same number of records and classes");
  }
  return pi * right_inverse(clone_pi);
}

Eigen::VectorXd clone_distances(const RowMatrixXd& records, const RowMatrixXd& map) {
  if (map.rows() != records.cols() || map.cols() != records.cols()) {
    fail(Fault::kConfig, fmt::format("{} records need a square map of that size", records.cols()));
  }
  return (records - records * map).colwise().norm();
}

}  // namespace earshot
