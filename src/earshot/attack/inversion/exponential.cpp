#include "earshot/attack/inversion/exponential.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace earshot {
namespace {

constexpr std::size_t kLanes = 4;
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t Bits __attribute__((vector_size(kLanes * sizeof(float))));

/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series, 2^n by the bits of the exponent.
Floats exponential(Floats x) {
  constexpr float kShifter = 0x1.8p23F;     // adding it rounds to an integer in the low bits
  constexpr float kLn2High = 0x1.62e4p-1F;  // n times this is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  constexpr int kMantissa = 23, kBias = 127;
  x = x > 88.0F ? Floats{} + 88.0F : x;
  x = x < -87.0F ? Floats{} - 87.0F : x;
  const Floats shifted = x * 1.44269504F + kShifter;
  const Floats n = shifted - kShifter;
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats sum = Floats{} + 1.0F / 5040;
  for (const float factorial : {720.0F, 120.0F, 24.0F, 6.0F, 2.0F, 1.0F, 1.0F}) sum = sum * r + 1 / factorial;
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + kBias) << kMantissa;
  Floats scale;
  std::memcpy(&scale, &bits, sizeof(bits));
  return sum * scale;
}

}  // namespace

void exponentials(std::span<float> numbers) {
  Floats four;
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes) {
    std::memcpy(&four, &numbers[i], sizeof(four));
    four = exponential(four);
    std::memcpy(&numbers[i], &four, sizeof(four));
  }
  if (i == numbers.size()) return;
  four = Floats{};
  std::memcpy(&four, &numbers[i], (numbers.size() - i) * sizeof(float));
  four = exponential(four);
  std::memcpy(&numbers[i], &four, (numbers.size() - i) * sizeof(float));
}

void exponentials(std::span<double> numbers) {
  for (double& x : numbers) x = std::exp(x);
}

}  // namespace earshot
