#include "earshot/metric/gradient_psnr.hpp"

#include "earshot/metric/reconstruction.hpp"

namespace earshot {
namespace {

std::size_t before(std::size_t at, std::size_t size) {
  if (at > 0) return at - 1;
  return size > 1 ? 1 : 0;
}

std::size_t after(std::size_t at, std::size_t size) {
  if (at + 1 < size) return at + 1;
  return size > 1 ? size - 2 : 0;
}

}  // namespace

Plane laplacian(const PlaneView& plane) {
  Plane out{plane.height, plane.width, std::vector<double>(plane.values.size())};
  for (std::size_t y = 0; y < plane.height; ++y) {
    const std::size_t above = before(y, plane.height);
    const std::size_t below = after(y, plane.height);
    for (std::size_t x = 0; x < plane.width; ++x) {
      out.at(y, x) = plane.at(above, x) + plane.at(below, x) + plane.at(y, before(x, plane.width)) +
                     plane.at(y, after(x, plane.width)) - 4 * plane.at(y, x);
    }
  }
  return out;
}

double gradient_psnr(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
                     double range) {
  check_images("gradient-PSNR", truth, guess, shape, range);
  const Plane x = laplacian(luma(truth, shape).view());
  const Plane y = laplacian(luma(guess, shape).view());
  return psnr(x.values, y.values, range);
}

}  // namespace earshot
