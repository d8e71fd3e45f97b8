#include "earshot/metric/fourier.hpp"

#include <unsupported/Eigen/FFT>

namespace earshot {
namespace {

enum class Direction { kForward, kInverse };

/// `count` transforms of `length` entries each, `step` apart, in place; consecutive transforms start `stride`
/// apart.
struct Lines {
  std::size_t count;
  std::size_t stride;
  std::size_t length;
  std::size_t step;
};

void transform(Spectrum& values, const Lines& lines, Direction direction) {
  if (lines.length == 1) return;  // the identity
  Eigen::FFT<double> fft;
  Spectrum in(lines.length);
  Spectrum out(lines.length);
  const auto size = static_cast<Eigen::Index>(lines.length);
  for (std::size_t line = 0; line < lines.count; ++line) {
    std::complex<double>* first = values.data() + line * lines.stride;
    for (std::size_t i = 0; i < lines.length; ++i) in[i] = first[i * lines.step];
    if (direction == Direction::kForward) {
      fft.fwd(out.data(), in.data(), size);
    } else {
      fft.inv(out.data(), in.data(), size);
    }
    for (std::size_t i = 0; i < lines.length; ++i) first[i * lines.step] = out[i];
  }
}

void transform_plane(Spectrum& values, std::size_t height, std::size_t width, Direction direction) {
  transform(values, {height, width, width, 1}, direction);
  transform(values, {width, 1, height, width}, direction);
}

}  // namespace

Spectrum fourier(const PlaneView& plane) {
  Spectrum out(plane.values.begin(), plane.values.end());
  transform_plane(out, plane.height, plane.width, Direction::kForward);
  return out;
}

Spectrum inverse_fourier(Spectrum spectrum, std::size_t height, std::size_t width) {
  transform_plane(spectrum, height, width, Direction::kInverse);
  return spectrum;
}

double frequency(std::size_t index, std::size_t size) {
  const double place = static_cast<double>(index);
  const double whole = static_cast<double>(size);
  return (2 * index < size ? place : place - whole) / whole;
}

}  // namespace earshot
