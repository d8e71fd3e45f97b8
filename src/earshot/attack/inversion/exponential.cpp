#include "earshot/attack/inversion/exponential.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "earshot/core/vectorised.hpp"

namespace earshot {
namespace {

/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series, 2^n by the bits of the exponent.
[[gnu::always_inline]] inline float exponential(float x) {
  constexpr float kShifter = 0x1.8p23F;     // adding it rounds to an integer in the low bits
  constexpr float kLn2High = 0x1.62e4p-1F;  // n times this is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  constexpr int kMantissa = 23, kBias = 127;
  x = x > 88.0F ? 88.0F : x;
  x = x < -87.0F ? -87.0F : x;
  const float shifted = x * 1.44269504F + kShifter;
  const float n = shifted - kShifter;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float sum = 1.0F / 5040;
  for (const float factorial : {720.0F, 120.0F, 24.0F, 6.0F, 2.0F, 1.0F, 1.0F}) sum = sum * r + 1 / factorial;
  return sum * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + kBias) << kMantissa);
}

}  // namespace

void exponentials(std::span<float> numbers) {
  vectorised([=]() EARSHOT_VECTOR_BODY {
    for (float& x : numbers) x = exponential(x);
  });
}

void exponentials(std::span<double> numbers) {
  for (double& x : numbers) x = std::exp(x);
}

}  // namespace earshot
