// Which sets of kernels this processor can run.
#pragma once

#include <vector>

#include "earshot/model/native/kernels/kernels.hpp"

namespace earshot {

/// The fastest last.
template <class Real>
std::vector<const Kernels<Real>*> usable_kernels();

}  // namespace earshot
