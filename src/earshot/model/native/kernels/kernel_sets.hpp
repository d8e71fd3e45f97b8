// The sets of kernels there are, one per instruction set; the argument only names the type.
#pragma once

#include "earshot/model/native/kernels/kernels.hpp"

namespace earshot {

const Kernels<float>& baseline_kernels(float);
const Kernels<double>& baseline_kernels(double);
#ifdef EARSHOT_X86_KERNELS
const Kernels<float>& avx2_kernels(float);
const Kernels<double>& avx2_kernels(double);
const Kernels<float>& avx512_kernels(float);
const Kernels<double>& avx512_kernels(double);
#endif

}  // namespace earshot
