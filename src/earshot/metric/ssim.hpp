// Structural similarity of images.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/data/formats/image.hpp"
#include "earshot/metric/plane.hpp"

namespace earshot {

/// How the neighbourhood of a pixel is weighted. kGaussian: 11x11 with deviation 1.5, the paper's.
/// kUniform: 7x7 with unbiased variances, the default of common Python libraries.
enum class SsimWindow { kGaussian, kUniform };

/// Mean SSIM of Wang, Bovik, Sheikh & Simoncelli 2004, "Image quality assessment: from error visibility to
/// structural similarity", eq. 13-17: K1 = 0.01, K2 = 0.03, averaged over all positions where the window lies
/// inside the image, then over channels. An image with a side below the window's gets the largest odd square
/// window that fits, same deviation, weights again summing to 1. `range` as in psnr().
double ssim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range, SsimWindow window = SsimWindow::kGaussian);

/// The one-dimensional window for an image of that smaller side; its outer product is the 2-D window.
std::vector<double> ssim_window(std::size_t smaller_side, SsimWindow window = SsimWindow::kGaussian);

/// Means over the window positions of one plane.
struct SsimTerms {
  double index = 0;               // luminance, contrast and structure: eq. 13
  double contrast_structure = 0;  // the same without the luminance factor
};
SsimTerms ssim_terms(const PlaneView& truth, const PlaneView& guess, double range, SsimWindow window);

}  // namespace earshot
