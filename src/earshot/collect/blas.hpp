// Matrix products by OpenBLAS into memory that is already there: training multiplies, it does not allocate.
#pragma once

#include <Eigen/Core>

#include <cblas.h>

namespace earshot {

enum class Transposed { kNo, kYes };

/// out = op(a) op(b) + keep * out. `out` must have its final size. Any dense column-major argument.
template <class A, class B, class C>
void multiply_into(const A& a, Transposed ta, const B& b, Transposed tb, double keep, C& out) {
  const auto inner = ta == Transposed::kNo ? a.cols() : a.rows();
  cblas_dgemm(CblasColMajor, ta == Transposed::kNo ? CblasNoTrans : CblasTrans,
              tb == Transposed::kNo ? CblasNoTrans : CblasTrans, static_cast<blasint>(out.rows()),
              static_cast<blasint>(out.cols()), static_cast<blasint>(inner), 1.0, a.data(),
              static_cast<blasint>(a.outerStride()), b.data(), static_cast<blasint>(b.outerStride()), keep,
              out.data(), static_cast<blasint>(out.outerStride()));
}

}  // namespace earshot
