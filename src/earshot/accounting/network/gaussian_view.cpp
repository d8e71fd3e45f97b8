#include "earshot/accounting/network/gaussian_view.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// A remainder of this size relative to the contribution is rounding, not a component outside the range of C.
constexpr double kCovered = 1e-9;

void require_view(const GaussianView& view) {
  if (view.signal.rows() != view.noise.rows())
    fail(Fault::kConfig,
         fmt::format("a view needs signal and noise for the same messages, not {} and {} rows",
                     view.signal.rows(), view.noise.rows()));
  if (!view.signal.allFinite() || !view.noise.allFinite())
    fail(Fault::kNumeric, "a view holds a coefficient that is not finite");
  const auto largest = static_cast<std::size_t>(std::min(view.noise.rows(), view.noise.cols()));
  if (view.noise_rank && *view.noise_rank > largest)
    fail(Fault::kConfig, "the noise cannot have a larger rank than its matrix has rows or columns");
}

}  // namespace

GaussianGram gaussian_gram(const GaussianView& view) {
  require_view(view);
  const Eigen::Index columns = view.signal.cols();
  GaussianGram result{Eigen::MatrixXd::Zero(columns, columns), std::vector<bool>(view.signal.cols())};
  if (view.signal.rows() == 0) return result;
  // C^T P = Q R: the first `rank` permuted messages carry all the noise there is. Their noise in the basis Q
  // is R11^T, so y = R11^-T B1 has H = y^T y, and every other message must repeat y.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(view.noise.transpose());
  const Eigen::Index rank =
      view.noise_rank ? static_cast<Eigen::Index>(*view.noise_rank) : Eigen::Index{qr.rank()};
  const Eigen::MatrixXd messages = qr.colsPermutation().transpose() * view.signal;
  const Eigen::MatrixXd upper = qr.matrixR().topRows(rank);
  const Eigen::MatrixXd whitened =
      upper.leftCols(rank).triangularView<Eigen::Upper>().transpose().solve(messages.topRows(rank));
  const Eigen::Index others = messages.rows() - rank;
  const Eigen::MatrixXd remainder =
      messages.bottomRows(others) - upper.rightCols(others).transpose() * whitened;
  result.gram = whitened.transpose() * whitened;
  for (Eigen::Index column = 0; column < columns; ++column) {
    result.uncovered[static_cast<std::size_t>(column)] =
        remainder.col(column).norm() > kCovered * view.signal.col(column).norm();
  }
  return result;
}

namespace {

double quadratic(const Eigen::MatrixXd& h, const Eigen::VectorXd& signs) {
  return signs.dot(h * signs);
}

/// Changes that are plus or minus the sensitivity along one common direction: flips signs one by one while
/// that raises the loss by more than rounding, which would let two signs chase each other for ever.
double best_signs(const Eigen::MatrixXd& h, Eigen::VectorXd signs) {
  constexpr double kRounding = 1e-10;
  const Eigen::VectorXd least = kRounding * h.cwiseAbs().rowwise().sum();
  for (bool improved = true; improved;) {
    improved = false;
    for (Eigen::Index i = 0; i < signs.size(); ++i) {
      const double others = h.row(i).dot(signs) - h(i, i) * signs[i];
      if (signs[i] * others >= -least[i]) continue;
      signs[i] = -signs[i];
      improved = true;
    }
  }
  return quadratic(h, signs);
}

}  // namespace

SquaredLoss squared_loss(const GaussianGram& gram, std::span<const std::size_t> columns) {
  if (columns.empty()) return {};
  std::vector<Eigen::Index> chosen;
  for (const std::size_t column : columns) {
    if (column >= gram.uncovered.size())
      fail(Fault::kConfig,
           fmt::format("contribution {} does not exist: the view has {}", column, gram.uncovered.size()));
    if (gram.uncovered[column]) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return {kInfinity, kInfinity};
    }
    chosen.push_back(static_cast<Eigen::Index>(column));
  }
  const Eigen::MatrixXd h = gram.gram(chosen, chosen);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(h, Eigen::EigenvaluesOnly);
  const double bound =
      std::min(h.cwiseAbs().sum(), static_cast<double>(h.rows()) * spectrum.eigenvalues().maxCoeff());
  double attained = best_signs(h, Eigen::VectorXd::Ones(h.rows()));
  for (Eigen::Index i = 0; i < h.rows(); ++i) {
    attained =
        std::max(attained, best_signs(h, h.col(i).unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; })));
  }
  return {std::min(attained, bound), bound};
}

}  // namespace earshot
