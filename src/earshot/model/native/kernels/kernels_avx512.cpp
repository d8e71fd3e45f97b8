#include "earshot/model/native/kernels/kernel_sets.hpp"
#include "earshot/model/native/kernels/kernels_impl.hpp"

namespace earshot {
const Kernels<float>& avx512_kernels(float) {
  return kKernels<float>;
}
const Kernels<double>& avx512_kernels(double) {
  return kKernels<double>;
}
}  // namespace earshot
