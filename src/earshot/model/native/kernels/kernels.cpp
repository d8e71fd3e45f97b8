#include "earshot/model/native/kernels/kernels.hpp"

#include "earshot/model/native/kernels/kernel_sets.hpp"
#include "earshot/model/native/kernels/usable_kernels.hpp"

namespace earshot {

template <class Real>
std::vector<const Kernels<Real>*> usable_kernels() {
  std::vector<const Kernels<Real>*> usable{&baseline_kernels(Real{})};
#ifdef EARSHOT_X86_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    usable.push_back(&avx2_kernels(Real{}));
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    usable.push_back(&avx512_kernels(Real{}));
#endif
  return usable;
}

template <class Real>
const Kernels<Real>& kernels() {
  static const Kernels<Real>& fastest = *usable_kernels<Real>().back();
  return fastest;
}

template std::vector<const Kernels<float>*> usable_kernels<float>();
template std::vector<const Kernels<double>*> usable_kernels<double>();
template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();

}  // namespace earshot
