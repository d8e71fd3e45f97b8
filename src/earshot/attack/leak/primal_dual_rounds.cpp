#include "earshot/attack/leak/primal_dual_rounds.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "earshot/attack/inversion/dense_part.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Enough to tell a direction; the rest of a wide layer only costs time.
constexpr Eigen::Index kMostUnits = 8;

/// Weights and bias of the first layer as rows (r_w, r_b), one per unit; empty when there is no such layer.
MatrixXd rows_of(const Architecture& architecture, const VectorXd& flat) {
  const auto part = first_dense(architecture, {flat.data(), static_cast<std::size_t>(flat.size())});
  if (!part || part->bias.empty()) return {};
  MatrixXd rows(part->matrix().rows(), part->matrix().cols() + 1);
  rows << part->matrix(), part->bias_vector();
  return rows;
}

/// The units with the largest biases in `rows`.
std::vector<Eigen::Index> strongest_units(const MatrixXd& rows) {
  std::vector<Eigen::Index> units(static_cast<std::size_t>(rows.rows()));
  std::iota(units.begin(), units.end(), Eigen::Index{0});
  const VectorXd size = rows.col(rows.cols() - 1).cwiseAbs();
  std::ranges::stable_sort(units, [&](Eigen::Index a, Eigen::Index b) { return size[a] > size[b]; });
  units.resize(static_cast<std::size_t>(std::min(rows.rows(), kMostUnits)));
  return units;
}

/// Rows of all rounds, known - s bend; every round weighs the same.
struct StackedRows {
  MatrixXd known, bend;

  StackedRows(const Architecture& architecture, std::span<const SteppedDifference> differences) {
    std::vector<Eigen::Index> units;
    for (const SteppedDifference& one : differences) {
      const MatrixXd a = rows_of(architecture, one.known), c = rows_of(architecture, one.bend);
      if (a.size() == 0) return;
      if (units.empty()) units = strongest_units(a);
      const double size = std::sqrt(a.squaredNorm() + c.squaredNorm());
      if (!(size > 0) || !std::isfinite(size)) continue;
      append(known, a(units, Eigen::all) / size);
      append(bend, c(units, Eigen::all) / size);
    }
  }

 private:
  static void append(MatrixXd& all, const MatrixXd& more) {
    const Eigen::Index before = all.rows();
    all.conservativeResize(before + more.rows(), more.cols());
    all.bottomRows(more.rows()) = more;
  }
};

/// How far the rows of known - s bend are from one direction, from their Gram matrices: 0 to 1.
class OneDirection {
 public:
  explicit OneDirection(const StackedRows& rows)
      : known_(rows.known * rows.known.transpose()),
        cross_(rows.known * rows.bend.transpose()),
        bend_(rows.bend * rows.bend.transpose()) {}

  double defect(double s) const {
    const MatrixXd gram = known_ - s * (cross_ + cross_.transpose()) + s * s * bend_;
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
    const double all = values.sum();
    return all > 0 ? 1 - values[values.size() - 1] / all : 1;
  }

 private:
  MatrixXd known_, cross_, bend_;
};

/// Least squares for s and the direction in turn; each is a line once the other is known.
double polish(const StackedRows& rows, double s) {
  constexpr int kMost = 200;
  for (int i = 0; i < kMost; ++i) {
    const MatrixXd stacked = rows.known - s * rows.bend;
    const VectorXd direction = Eigen::JacobiSVD<MatrixXd>(stacked, Eigen::ComputeThinV).matrixV().col(0);
    const MatrixXd known = rows.known - rows.known * direction * direction.transpose();
    const MatrixXd bend = rows.bend - rows.bend * direction * direction.transpose();
    const double next = known.cwiseProduct(bend).sum() / bend.squaredNorm();
    if (!std::isfinite(next)) return s;
    const bool settled = std::abs(next - s) <= 1e-15 * std::abs(s);
    s = next;
    if (settled) break;
  }
  return s;
}

/// On a grid of s from 1e-4 to 1e6, then by golden section between the neighbours of the best.
double search(const OneDirection& rows) {
  constexpr int kPerDecade = 24;
  constexpr double kFirst = -4, kLast = 6;
  const auto defect = [&](double log) { return rows.defect(std::pow(10, log)); };
  double best = kFirst, least = defect(kFirst);
  for (int k = 1; k <= kPerDecade * static_cast<int>(kLast - kFirst); ++k) {
    const double at = kFirst + static_cast<double>(k) / kPerDecade;
    const double value = defect(at);
    if (value < least) least = value, best = at;
  }
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = best - 1.0 / kPerDecade, high = best + 1.0 / kPerDecade;
  for (int k = 0; k < 60; ++k) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (defect(left) < defect(right))
      high = right;
    else
      low = left;
  }
  return std::pow(10, (low + high) / 2);
}

}  // namespace

VectorXd aligned_sum(std::span<const VectorXd> differences) {
  const auto count = static_cast<Eigen::Index>(differences.size());
  MatrixXd gram(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    for (Eigen::Index b = 0; b <= a; ++b) {
      gram(a, b) = differences[static_cast<std::size_t>(a)].dot(differences[static_cast<std::size_t>(b)]);
      gram(b, a) = gram(a, b);
    }
  }
  // v = sum_t u_t r_t / sqrt(lambda) for the leading eigenvector u, and <r_t, v> = sqrt(lambda) u_t.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gram);
  const VectorXd weights =
      solver.eigenvectors().col(count - 1) * std::sqrt(std::max(0.0, solver.eigenvalues()[count - 1]));
  VectorXd sum = VectorXd::Zero(differences.front().size());
  for (Eigen::Index a = 0; a < count; ++a) sum += weights[a] * differences[static_cast<std::size_t>(a)];
  return sum;
}

std::optional<double> fit_step(const Architecture& architecture, LocalRule rule,
                               std::span<const SteppedDifference> differences) {
  if (rule != LocalRule::kOneStep && rule != LocalRule::kParabola)
    fail(Fault::kConfig, "only one gradient step and the parabola have a step size that can be fitted");
  const StackedRows rows(architecture, differences);
  if (rows.known.rows() < 2 || rows.bend.squaredNorm() == 0) return {};
  const double s = polish(rows, search(OneDirection(rows)));
  if (!std::isfinite(s) || s <= 0) return {};
  return rule == LocalRule::kOneStep ? 1 / s : s;
}

}  // namespace earshot
