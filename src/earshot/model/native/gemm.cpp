#include "earshot/model/native/gemm.hpp"

#include <string_view>

#include <cblas.h>

#include "earshot/model/native/kernels/kernels.hpp"

namespace earshot {
namespace {

/// Above so many multiplications OpenBLAS is at least as fast (bench/model_bench.cpp) where its vectors are
/// as wide as ours.
constexpr std::size_t kSmall = 64 * 128 * 128;
/// Where they are narrower, as on AMD's processors with AVX-512, only above so many: ours do not pack, and
/// run out of the caches.
constexpr std::size_t kMedium = 1024 * 1024 * 1024;
constexpr std::size_t kWideVector = 64;

bool openblas_is_narrower() {
  const std::string_view core = openblas_get_corename();
  const bool wide = core == "SkylakeX" || core == "Cooperlake" || core == "Sapphirerapids";
  return kernels<float>().vector_bytes == kWideVector && !wide;
}

std::size_t most_multiplications() {
  static const std::size_t most = openblas_is_narrower() ? kMedium : kSmall;
  return most;
}

/// Whether the own kernels took it: not too large, and none of the cases no layer needs.
template <class Real>
bool multiplied(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, Real alpha,
                const Real* a, std::size_t lda, const Real* b, std::size_t ldb, Real beta, Real* c,
                std::size_t ldc) {
  const bool known = alpha == 1 && (beta == 0 || beta == 1) && !(transpose_a && transpose_b);
  if (!known || m * n * k > most_multiplications()) return false;
  const Product<Real> product{m,   n, k,   a,        transpose_a ? 1 : lda, transpose_a ? lda : 1, b,
                              ldb, c, ldc, beta == 1};
  (transpose_b ? kernels<Real>().product_transposed : kernels<Real>().product)(product);
  return true;
}

CBLAS_TRANSPOSE flag(bool transpose) {
  return transpose ? CblasTrans : CblasNoTrans;
}
blasint size(std::size_t value) {
  return static_cast<blasint>(value);
}

}  // namespace

void gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, double alpha,
          const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c,
          std::size_t ldc) {
  if (multiplied(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
  cblas_dgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), size(m), size(n), size(k), alpha, a,
              size(lda), b, size(ldb), beta, c, size(ldc));
}
void gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
          const float* a, std::size_t lda, const float* b, std::size_t ldb, float beta, float* c,
          std::size_t ldc) {
  if (multiplied(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) return;
  cblas_sgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), size(m), size(n), size(k), alpha, a,
              size(lda), b, size(ldb), beta, c, size(ldc));
}

}  // namespace earshot
