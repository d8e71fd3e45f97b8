#include "earshot/graph/eigensolve.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include <Spectra/GenEigsSolver.h>
#include <Spectra/MatOp/SparseGenMatProd.h>
#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/MatOp/SparseSymShiftSolve.h>
#include <Spectra/SymEigsShiftSolver.h>
#include <Spectra/SymEigsSolver.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Spectra::CompInfo;
using Spectra::SortRule;

constexpr Eigen::Index kBasis = 60;      // Krylov vectors kept between restarts
constexpr Eigen::Index kRestarts = 100;  // beyond this a badly connected graph is better inverted
constexpr double kTolerance = 1e-11;
constexpr double kShift = 1e-6;  // distance of the inverted shift from the spectrum, relative

double second_largest(std::vector<double> moduli) {
  std::nth_element(moduli.begin(), moduli.begin() + 1, moduli.end(), std::greater<>());
  return moduli[1];
}

template <class Values>
std::vector<double> moduli_of(const Values& values) {
  std::vector<double> moduli;
  for (Eigen::Index i = 0; i < values.size(); ++i) moduli.push_back(std::abs(values[i]));
  return moduli;
}

[[noreturn]] void not_converged() {
  fail(Fault::kNumeric,
       "the eigenvalues of this matrix did not converge; the graph is too large or too badly connected");
}

/// Largest eigenvalues of a symmetric matrix from a shift above them (or smallest, from a shift below).
/// Paths and their like have eigenvalues so crowded at the ends that only inversion tells them apart; they
/// are also the graphs whose factors stay sparse.
template <class Use>
auto with_inverse(const SparseMatrix& matrix, double shift, Eigen::Index count, Use use) {
  Spectra::SparseSymShiftSolve<double> inverse(matrix);
  Spectra::SymEigsShiftSolver solver(inverse, count, kBasis, shift);
  solver.init(Eigen::VectorXd::Ones(matrix.rows()).eval().data());
  solver.compute(SortRule::LargestMagn, kRestarts, kTolerance);
  if (solver.info() != CompInfo::Successful) not_converged();
  return use(solver);
}

}  // namespace

double second_modulus_symmetric(const SparseMatrix& matrix, double radius) {
  if (matrix.rows() <= kLargestDense) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd(matrix),
                                                                Eigen::EigenvaluesOnly);
    return second_largest(moduli_of(solver.eigenvalues()));
  }
  Spectra::SparseSymMatProd<double> product(matrix);
  Spectra::SymEigsSolver solver(product, 4, kBasis);
  solver.init();
  solver.compute(SortRule::BothEnds, kRestarts, kTolerance);
  if (solver.info() == CompInfo::Successful) return second_largest(moduli_of(solver.eigenvalues()));
  const auto values = [](const auto& inverse) { return moduli_of(inverse.eigenvalues()); };
  std::vector<double> moduli;
  for (const double side : {radius, -radius}) {
    const auto end = with_inverse(matrix, side * (1 + kShift), 2, values);
    moduli.insert(moduli.end(), end.begin(), end.end());
  }
  return second_largest(std::move(moduli));
}

double second_modulus_general(const SparseMatrix& matrix) {
  if (matrix.rows() <= kLargestDense) {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd(matrix), false);
    if (solver.info() != Eigen::Success) not_converged();
    return second_largest(moduli_of(solver.eigenvalues()));
  }
  Spectra::SparseGenMatProd<double> product(matrix);
  Spectra::GenEigsSolver solver(product, 2, kBasis);
  solver.init();
  solver.compute(SortRule::LargestMagn, 10 * kRestarts, kTolerance);
  if (solver.info() != CompInfo::Successful) not_converged();
  return second_largest(moduli_of(solver.eigenvalues()));
}

Eigen::VectorXd perron_vector(const SparseMatrix& matrix, double bound) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(matrix.rows());
  if (matrix.rows() <= kLargestDense) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(matrix)};
    const Eigen::VectorXd& values = solver.eigenvalues();
    const double largest = values[values.size() - 1];
    Eigen::VectorXd projection = Eigen::VectorXd::Zero(matrix.rows());
    for (Eigen::Index i = values.size() - 1; i >= 0 && values[i] > largest - 1e-10 * (1 + bound); --i) {
      const auto vector = solver.eigenvectors().col(i);
      projection += vector.dot(ones) * vector;
    }
    return projection.normalized();
  }
  // A Krylov space started from the ones holds, of each eigenspace, only the projection we want.
  Spectra::SparseSymMatProd<double> product(matrix);
  Spectra::SymEigsSolver solver(product, 1, kBasis);
  solver.init(ones.data());
  solver.compute(SortRule::LargestAlge, kRestarts, kTolerance);
  Eigen::VectorXd vector = solver.info() == CompInfo::Successful
                               ? Eigen::VectorXd(solver.eigenvectors(1).col(0))
                               : with_inverse(matrix, bound * (1 + kShift), 1, [](const auto& inverse) {
                                   return Eigen::VectorXd(inverse.eigenvectors(1).col(0));
                                 });
  return vector.sum() < 0 ? (-vector).eval() : vector;
}

}  // namespace earshot
