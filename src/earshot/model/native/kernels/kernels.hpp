// The inner loops of the native engine, once per instruction set: the fastest one the processor has is chosen
// at the first call. Results are the same for any number of threads, but may differ between processors in the
// last digits.
#pragma once

#include <cstddef>

namespace earshot {

/// c (m x n) = a b, or c += a b with `add`. All matrices are in rows; a's element (i, p) is at
/// a[i * a_row + p * a_inner], and one of the two is 1: a may be transposed.
template <class Real>
struct Product {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  const Real* a = nullptr;
  std::size_t a_row = 0;
  std::size_t a_inner = 1;
  const Real* b = nullptr;
  std::size_t b_row = 0;
  Real* c = nullptr;
  std::size_t c_row = 0;
  bool add = false;
};

/// Of R = d x^T - observed (rows x columns): row_sums = R x; column_sums += R^T d.
template <class Real>
struct Residual {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const Real* observed = nullptr;
  const Real* d = nullptr;
  const Real* x = nullptr;
  Real* row_sums = nullptr;
  Real* column_sums = nullptr;
};

template <class Real>
struct Kernels {
  std::size_t vector_bytes;
  /// b is k x n.
  void (*product)(const Product<Real>&);
  /// b is n x k and enters transposed; a_inner must be 1.
  void (*product_transposed)(const Product<Real>&);
  /// Returns |R|^2.
  double (*residual)(const Residual<Real>&);
  /// numbers = 2 (numbers - observed); returns the squared length of the difference.
  double (*difference)(std::size_t count, const Real* observed, Real* numbers);
  void (*sigmoid)(std::size_t count, const Real* in, Real* out);
  void (*tanh)(std::size_t count, const Real* in, Real* out);
};

template <class Real>
const Kernels<Real>& kernels();

}  // namespace earshot
