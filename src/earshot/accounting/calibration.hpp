// The least noise that keeps a promise.
#pragma once

#include <cstdint>
#include <functional>

#include "earshot/accounting/accountant.hpp"

namespace earshot {

/// Smallest noise (to a relative 1e-5, on the safe side) with epsilon_of(noise) <= target, for an epsilon
/// that falls as the noise grows; found by bracketing.
double least_noise(const std::function<double(double)>& epsilon_of, double target);

/// The same for `count` releases release_of(noise) under an accountant, at `delta`.
double calibrate_noise(const std::function<ReleasePointer(double)>& release_of, std::uint64_t count,
                       double epsilon, double delta, std::string_view accountant);

}  // namespace earshot
