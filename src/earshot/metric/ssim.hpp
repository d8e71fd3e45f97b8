// Structural similarity of images.
#pragma once

#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

/// Mean SSIM of Wang, Bovik, Sheikh & Simoncelli 2004, "Image quality assessment: from error visibility to
/// structural similarity", eq. 13-17: Gaussian window 11x11 with deviation 1.5, K1 = 0.01, K2 = 0.03,
/// averaged over all positions where the window lies inside the image, then over channels. An image with a
/// side below 11 gets the largest odd square window that fits, same deviation, weights again summing to 1.
/// `range` as in psnr().
double ssim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range);

/// The one-dimensional window for an image of that smaller side; its outer product is the 2-D window.
std::vector<double> ssim_window(std::size_t smaller_side);

}  // namespace earshot
