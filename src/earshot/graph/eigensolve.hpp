// The few eigenvalues and vectors we need: dense for small matrices, Krylov methods (Spectra) for large ones.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace earshot {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Up to this many rows the dense solvers are quicker than a Krylov method and never fail to converge.
inline constexpr Eigen::Index kLargestDense = 600;

/// Second-largest |eigenvalue| of a symmetric matrix of two or more rows. `radius`: a bound on all of them.
double second_modulus_symmetric(const SparseMatrix& matrix, double radius);
/// The same for any square matrix; a numeric error if a very large one does not converge.
double second_modulus_general(const SparseMatrix& matrix, Eigen::Index largest_dense = kLargestDense);

/// Projection of the all-ones vector on the eigenspace of the largest eigenvalue of a symmetric non-negative
/// matrix, unit norm: where power iteration from equal values ends. `bound`: at least that eigenvalue.
Eigen::VectorXd perron_vector(const SparseMatrix& matrix, double bound);

}  // namespace earshot
