#include "earshot/model/native/kernels/kernels.hpp"

#include "earshot/model/native/kernels/kernel_sets.hpp"

namespace earshot {

template <class Real>
const Kernels<Real>& kernels() {
#ifdef EARSHOT_AVX2_KERNELS
  static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fast) return avx2_kernels(Real{});
#endif
  return baseline_kernels(Real{});
}

template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();

}  // namespace earshot
