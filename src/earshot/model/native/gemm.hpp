// Products of dense row-major matrices in either precision: own kernels while the matrices are small or
// OpenBLAS has none for the widest vectors, OpenBLAS when they are large enough to repay its packing.
#pragma once

#include <cstddef>

namespace earshot {

/// C (m x n) = alpha op(A) op(B) + beta C with op(A) m x k; ld* are the distances between rows in memory.
void gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, double alpha,
          const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c,
          std::size_t ldc);
void gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
          const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
          std::size_t ldc);

}  // namespace earshot
