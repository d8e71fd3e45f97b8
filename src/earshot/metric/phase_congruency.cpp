#include "earshot/metric/phase_congruency.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

constexpr double kSmallestWavelength = 6;
constexpr double kBandwidth = 0.55;       // deviation of the log-Gabor over its centre frequency
constexpr double kSpacing = 1.2;          // angle between orientations over the angular deviation
constexpr double kNoiseDeviations = 2.0;  // of the noise energy, above its mean, that are not believed
/// The estimate of the threshold is for plain energy; for the sharper measure below Kovesi found it too high
/// by this factor.
constexpr double kNoiseCorrection = 1.7;
constexpr double kTiny = 1e-4;  // grey levels; keeps quotients finite where there is no feature

/// Butterworth low-pass of order 15 at 0.45 cycles per pixel: the corners of the spectrum belong to no
/// orientation.
double low_pass(double radius) {
  return 1 / (1 + std::pow(radius / 0.45, 30));
}

double log_gabor(double radius, double centre) {
  if (radius == 0) return 0;
  const double octaves = std::log(radius / centre) / std::log(kBandwidth);
  return std::exp(-octaves * octaves / 2) * low_pass(radius);
}

/// Gaussian in the angle between a frequency and the filter's orientation.
double angular_spread(double y, double x, double orientation, double deviation) {
  const double angle = std::atan2(-y, x) - orientation;
  const double distance = std::abs(std::atan2(std::sin(angle), std::cos(angle)));
  return std::exp(-distance * distance / (2 * deviation * deviation));
}

bool constant(const PlaneView& plane) {
  return std::all_of(plane.values.begin(), plane.values.end(),
                     [&](double value) { return value == plane.values[0]; });
}

/// Mean of the squared amplitudes of pure noise, from the median, which features hardly move: squared
/// amplitudes are exponentially distributed.
double noise_power(const Spectrum& smallest_scale) {
  std::vector<double> squares(smallest_scale.size());
  std::transform(smallest_scale.begin(), smallest_scale.end(), squares.begin(),
                 [](const std::complex<double>& value) { return std::norm(value); });
  return quantile(squares, 0.5) / std::numbers::ln2;
}

/// Mean plus some deviations of the Rayleigh distribution that noise of that mean energy has.
double noise_threshold(double energy) {
  const double mean = std::sqrt(std::numbers::pi / 2);
  const double deviation = std::sqrt(2 - std::numbers::pi / 2);
  return std::sqrt(energy) * (mean + kNoiseDeviations * deviation) / kNoiseCorrection;
}

}  // namespace

PhaseCongruency::PhaseCongruency(std::size_t height, std::size_t width) : height_(height), width_(width) {
  const double step = std::numbers::pi / static_cast<double>(kOrientations);
  for (std::size_t i = 0; i < height * width; ++i) {
    const double y = frequency(i / width, height);
    const double x = frequency(i % width, width);
    for (std::size_t s = 0; s < kScales; ++s) {
      const double centre = 1 / (kSmallestWavelength * std::exp2(s));
      radial_[s].push_back(log_gabor(std::hypot(y, x), centre));
    }
    for (std::size_t o = 0; o < kOrientations; ++o)
      angular_[o].push_back(angular_spread(y, x, static_cast<double>(o) * step, step / kSpacing));
  }
  for (std::size_t o = 0; o < kOrientations; ++o) noise_gain_[o] = noise_gain(o);
}

/// White noise of power P through the sum over scales of the filters' even parts h_s has energy P Σ_x (Σ_s
/// h_s(x))², which by Parseval is a sum over frequencies; at the smallest scale alone it has mean square
/// P Σ_k H_0(k)².
double PhaseCongruency::noise_gain(std::size_t orientation) const {
  const auto filter = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t s = 0; s < kScales; ++s) sum += radial_[s][i];
    return sum * angular_[orientation][i];
  };
  double energy = 0;
  double smallest = 0;
  for (std::size_t i = 0; i < height_ * width_; ++i) {
    const std::size_t y = (height_ - i / width_) % height_;
    const std::size_t x = (width_ - i % width_) % width_;
    energy += std::pow((filter(i) + filter(y * width_ + x)) / 2, 2);
    smallest += std::pow(radial_[0][i] * angular_[orientation][i], 2);
  }
  return smallest > 0 ? energy / smallest : 0;  // one pixel has no frequency but 0
}

/// Real part: even filter, imaginary part: odd filter.
Spectrum PhaseCongruency::response(const Spectrum& image, std::size_t scale, std::size_t orientation) const {
  Spectrum filtered(image.size());
  for (std::size_t i = 0; i < image.size(); ++i)
    filtered[i] = image[i] * (radial_[scale][i] * angular_[orientation][i]);
  return inverse_fourier(std::move(filtered), height_, width_);
}

PhaseCongruency::Orientation PhaseCongruency::orientation(const Spectrum& image, std::size_t index) const {
  std::array<Spectrum, kScales> responses;
  for (std::size_t s = 0; s < kScales; ++s) responses[s] = response(image, s, index);
  const double threshold = noise_threshold(noise_power(responses[0]) * noise_gain_[index]);
  Orientation out{std::vector<double>(image.size()), std::vector<double>(image.size())};
  for (std::size_t i = 0; i < image.size(); ++i) {
    std::complex<double> sum = 0;
    for (const Spectrum& scale : responses) {
      sum += scale[i];
      out.amplitude[i] += std::abs(scale[i]);
    }
    const std::complex<double> direction = sum / (std::abs(sum) + kTiny);
    double energy = -threshold;
    for (const Spectrum& scale : responses) {
      // A_n (cos Δφ − |sin Δφ|) with Δφ the deviation from the mean phase: sharper than the cosine alone.
      const std::complex<double> turned = scale[i] * std::conj(direction);
      energy += turned.real() - std::abs(turned.imag());
    }
    out.energy[i] = std::max(0.0, energy);
  }
  return out;
}

std::vector<double> PhaseCongruency::operator()(const PlaneView& plane) const {
  if (plane.height != height_ || plane.width != width_ || plane.values.empty()) {
    fail(Fault::kInternal, fmt::format("phase congruency for {}x{} pixels asked of {}x{}", height_, width_,
                                       plane.height, plane.width));
  }
  std::vector<double> energy(plane.values.size(), 0.0);
  if (constant(plane)) return energy;
  std::vector<double> amplitude(energy.size(), kTiny);
  const Spectrum image = fourier(plane);
  for (std::size_t o = 0; o < kOrientations; ++o) {
    const Orientation one = orientation(image, o);
    for (std::size_t i = 0; i < energy.size(); ++i) {
      energy[i] += one.energy[i];
      amplitude[i] += one.amplitude[i];
    }
  }
  for (std::size_t i = 0; i < energy.size(); ++i) energy[i] /= amplitude[i];
  return energy;
}

}  // namespace earshot
