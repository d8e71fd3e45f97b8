// Where the Fourier components of an image are in phase: edges, lines and corners, whatever their contrast.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "earshot/metric/fourier.hpp"
#include "earshot/metric/plane.hpp"

namespace earshot {

/// Kovesi 1999, "Image features from phase congruency", with the settings of Zhang, Zhang, Mou & Zhang 2011
/// (FSIM): log-Gabor filters at 4 scales (smallest wavelength 6 pixels, each twice the last, 0.55 =
/// bandwidth / centre) and 4 orientations. Keeps the filters of one size of planes.
class PhaseCongruency {
 public:
  PhaseCongruency(std::size_t height, std::size_t width);

  /// In [0, 1] for every pixel; 0 everywhere for a constant plane. Pixels in grey levels 0 to 255: only the
  /// small constant that keeps a flat neighbourhood from dividing by zero depends on the unit.
  std::vector<double> operator()(const PlaneView& plane) const;

 private:
  static constexpr std::size_t kScales = 4;
  static constexpr std::size_t kOrientations = 4;

  /// What the filters of one orientation say about every pixel.
  struct Orientation {
    std::vector<double> energy;     // in phase, above the noise
    std::vector<double> amplitude;  // in total
  };
  Orientation orientation(const Spectrum& image, std::size_t index) const;
  Spectrum response(const Spectrum& image, std::size_t scale, std::size_t orientation) const;
  double noise_gain(std::size_t orientation) const;

  std::size_t height_;
  std::size_t width_;
  std::array<std::vector<double>, kScales> radial_;
  std::array<std::vector<double>, kOrientations> angular_;
  /// (Mean noise energy over all scales) / (mean squared response at the smallest scale), per orientation.
  std::array<double, kOrientations> noise_gain_{};
};

}  // namespace earshot
