// Structural similarity at several resolutions.
#pragma once

#include <cstddef>
#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// How the scales become one number.
enum class ScaleCombination {
  kProduct,     // Wang, Simoncelli & Bovik 2003, eq. 7
  kAsPublished  // the plain average of SSIM over the scales, the likely reading of Shahbazi 2026
};

/// Multi-scale SSIM of Wang, Simoncelli & Bovik 2003, "Multiscale structural similarity for image quality
/// assessment", eq. 7: contrast and structure of every scale and luminance of the coarsest, each to the power
/// of the scale's weight; every scale halves the one before by 2x2 means; averaged over channels. `range` as
/// in psnr().
///
/// Small images have fewer scales, see ms_ssim_scales(); the weights of those left are divided by their sum,
/// so that one scale gives SSIM. With two or more the value lies in [0, 1]: a term below 0 (one image shows
/// the other's negative) counts as 0, because it has no real power.
double ms_ssim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
               double range, ScaleCombination combination = ScaleCombination::kProduct);

/// Five, or as many as keep the 11x11 window inside the image, but at least one: 5 from a side of 161 on, 2
/// for MNIST and CIFAR-10.
std::size_t ms_ssim_scales(std::size_t smaller_side);

}  // namespace earshot
