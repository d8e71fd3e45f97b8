// Two standard normals from two uniforms (Box and Muller 1958), without calls or branches: a loop over it is
// vectorised, and since only +, -, *, / and sqrt are used every machine gives the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace earshot {

/// ln v for v in [2^-53, 1]: v = m 2^e with m in [sqrt(1/2), sqrt(2)), then ln m = 2 artanh((m - 1) / (m +
/// 1)) by its series, whose first term left out is below 2^-60.
[[gnu::always_inline]] inline double log_of_unit(double v) {
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCDULL;
  constexpr std::uint64_t kOffset = 64;  // keeps the exponent positive
  constexpr std::uint64_t kTwoTo52 = 0x4330000000000000ULL;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t exponent = (bits - kRootOfHalf + (kOffset << 52)) >> 52;
  const double e = std::bit_cast<double>(exponent | kTwoTo52) - (0x1.0p52 + static_cast<double>(kOffset));
  const auto m = std::bit_cast<double>(bits + ((kOffset - exponent) << 52));
  const double s = (m - 1) / (m + 1);
  const double q = s * s;
  double tail = 1.0 / 23;
#pragma GCC unroll 16
  for (int k = 21; k >= 3; k -= 2) tail = 1.0 / k + q * tail;
  return e * std::numbers::ln2 + 2 * (s + s * (q * tail));
}

/// sin and cos of x in [-pi/4, pi/4] by their series.
[[gnu::always_inline]] inline double short_sine(double x) {
  const double q = x * x;
  double term = 1;
#pragma GCC unroll 16
  for (int k = 16; k >= 2; k -= 2) term = 1 - q * (1.0 / (k * (k + 1)) * term);
  return x * term;
}
[[gnu::always_inline]] inline double short_cosine(double x) {
  const double q = x * x;
  double term = 1;
#pragma GCC unroll 16
  for (int k = 17; k >= 1; k -= 2) term = 1 - q * (1.0 / (k * (k + 1)) * term);
  return term;
}

struct NormalPair {
  double cosine;
  double sine;
};

/// Both uniforms in [0, 1) with 53 bits: 1 - radius_uniform is exact and never 0, and so is the turn left
/// after the nearest quarter.
[[gnu::always_inline]] inline NormalPair box_muller(double radius_uniform, double angle_uniform) {
  constexpr double kRound = 0x1.8p52;  // adding and taking it away rounds to a whole number
  const double radius = std::sqrt(-2.0 * log_of_unit(1.0 - radius_uniform));
  const double quarter = (4.0 * angle_uniform + kRound) - kRound;  // 0 ... 4
  const double angle = 2.0 * std::numbers::pi * (angle_uniform - 0.25 * quarter);
  const double sine = short_sine(angle);
  const double cosine = short_cosine(angle);
  const bool odd = quarter == 1 || quarter == 3;
  const double x = odd ? sine : cosine;
  const double y = odd ? cosine : sine;
  return {radius * (quarter == 1 || quarter == 2 ? -x : x), radius * (quarter == 2 || quarter == 3 ? -y : y)};
}

}  // namespace earshot
