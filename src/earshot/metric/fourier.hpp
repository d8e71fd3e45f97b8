// Discrete Fourier transforms of planes of any size.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "earshot/metric/plane.hpp"

namespace earshot {

using Spectrum = std::vector<std::complex<double>>;

/// F(v, u) = sum over y, x of f(y, x) exp(−2πi (v y / height + u x / width)), rows first.
Spectrum fourier(const PlaneView& plane);

/// The inverse transform, 1 / (height · width) included, of a spectrum of height rows of `width`.
Spectrum inverse_fourier(Spectrum spectrum, std::size_t height, std::size_t width);

/// Cycles per pixel of entry `index` of a transform of length `size`, in [−1/2, 1/2).
double frequency(std::size_t index, std::size_t size);

}  // namespace earshot
