// Feature similarity of images.
#pragma once

#include <span>

#include "earshot/data/formats/image.hpp"

namespace earshot {

// Zhang, Zhang, Mou & Zhang 2011, "FSIM: A Feature Similarity Index for Image Quality Assessment", section
// III: similarity of phase congruency and of gradient magnitude (Scharr), averaged with the larger phase
// congruency of the two images as weight. Pixels lie in [0, range]; the constants belong to 0 ... 255, so
// pixels are scaled to that. An image whose smaller side rounds to F > 1 times 256 is first averaged over
// F x F pixels. Where neither image has any feature (both constant) all pixels weigh alike.

/// FSIM, in (0, 1], 1 for equal images: of the brightness, for grey images and RGB.
double fsim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range);

/// FSIMc, for RGB images only: FSIM with the similarity of the two colour differences of YIQ to the power
/// 0.03 as a factor at every pixel. Where that similarity is negative (complementary colours), the real part
/// of the power.
double fsim_colour(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
                   double range);

}  // namespace earshot
