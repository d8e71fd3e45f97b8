#include "earshot/graph/eigensolve.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
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

constexpr Eigen::Index kBasis = 60;     // Krylov vectors kept between restarts
constexpr Eigen::Index kRestarts = 40;  // beyond this a badly connected graph is better inverted
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

/// The eigenvalues nearest to `shift`, which lies just outside the spectrum. Paths and their like crowd their
/// eigenvalues so much at the ends that only inversion tells them apart; they are also the graphs whose
/// factors stay sparse. Started from `start`, or from a fixed random vector.
template <class Use>
auto with_inverse(const SparseMatrix& matrix, double shift, Eigen::Index count, const double* start,
                  Use use) {
  Spectra::SparseSymShiftSolve<double> inverse(matrix);
  Spectra::SymEigsShiftSolver solver(inverse, count, kBasis, shift);
  if (start != nullptr)
    solver.init(start);
  else
    solver.init();
  solver.compute(SortRule::LargestMagn, kRestarts, kTolerance);
  if (solver.info() != CompInfo::Successful) not_converged();
  return use(solver);
}

std::vector<double> moduli_near(const SparseMatrix& matrix, double shift) {
  return with_inverse(matrix, shift, 2, nullptr,
                      [](const auto& inverse) { return moduli_of(inverse.eigenvalues()); });
}

/// Are all eigenvalues of a symmetric matrix above `bound`? By inertia: the signs of the pivots.
bool all_above(const SparseMatrix& matrix, double bound) {
  SparseMatrix shifted = matrix;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) shifted.coeffRef(i, i) -= bound;
  const Eigen::SimplicialLDLT<SparseMatrix> factors(shifted);
  return factors.info() == Eigen::Success && factors.vectorD().minCoeff() > 0;
}

double second_modulus_inverted(const SparseMatrix& matrix, double radius) {
  std::vector<double> moduli = moduli_near(matrix, radius * (1 + kShift));
  const double second = second_largest(moduli);
  if (all_above(matrix, -second)) return second;
  const std::vector<double> negative = moduli_near(matrix, -radius * (1 + kShift));
  moduli.insert(moduli.end(), negative.begin(), negative.end());
  return second_largest(std::move(moduli));
}

double second_modulus_dense(const SparseMatrix& matrix) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd(matrix), false);
  if (solver.info() != Eigen::Success) not_converged();
  return second_largest(moduli_of(solver.eigenvalues()));
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
  return second_modulus_inverted(matrix, radius);
}

double second_modulus_general(const SparseMatrix& matrix, Eigen::Index largest_dense) {
  if (matrix.rows() <= largest_dense) return second_modulus_dense(matrix);
  Spectra::SparseGenMatProd<double> product(matrix);
  Spectra::GenEigsSolver solver(product, 2, kBasis);
  solver.init();
  solver.compute(SortRule::LargestMagn, kRestarts, kTolerance);
  if (solver.info() == CompInfo::Successful) return second_largest(moduli_of(solver.eigenvalues()));
  constexpr Eigen::Index kLargestPatience = 2000;  // about a minute
  if (matrix.rows() > kLargestPatience) not_converged();
  return second_modulus_dense(matrix);
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
  Eigen::VectorXd vector =
      solver.info() == CompInfo::Successful
          ? Eigen::VectorXd(solver.eigenvectors(1).col(0))
          : with_inverse(matrix, bound * (1 + kShift), 1, ones.data(),
                         [](const auto& inverse) { return Eigen::VectorXd(inverse.eigenvectors(1).col(0)); });
  return vector.sum() < 0 ? (-vector).eval() : vector;
}

}  // namespace earshot
