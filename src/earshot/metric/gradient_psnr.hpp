// PSNR of edges instead of pixels.
#pragma once

#include <span>

#include "earshot/data/formats/image.hpp"
#include "earshot/metric/plane.hpp"

namespace earshot {

/// PSNR between the Laplacians of the two images' brightness (Shahbazi 2026, "G-PSNR"; called gradient there,
/// the operator is the Laplacian), with the peak of the images, `range` as in psnr(). For grey images and
/// RGB. White noise of deviation s has a Laplacian of deviation sqrt(20) s: its G-PSNR is its PSNR − 13.01
/// dB.
double gradient_psnr(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
                     double range);

/// The sum of the four neighbours minus four times the pixel. At the edge the missing neighbour is the
/// opposite one (mirrored about the edge pixel); along a side of one pixel there is no difference.
Plane laplacian(const PlaneView& plane);

}  // namespace earshot
