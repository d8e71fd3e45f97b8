#include "earshot/mechanism/exact_samplers.hpp"

#include <cmath>
#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {

ExactRatio exact_ratio(double value) {
  if (value == 0) return {0, 1};
  if (!(value >= 0x1p-32 && value < 0x1p32))
    fail(Fault::kConfig, "exact sampling needs an epsilon between 2^-32 and 2^32");
  int exponent = 0;
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const int shared = std::countr_zero(mantissa);
  mantissa >>= shared;
  exponent += shared;
  if (exponent >= 0) return {static_cast<WideInteger>(mantissa) << exponent, 1};
  return {mantissa, WideInteger{1} << -exponent};
}

WideInteger checked_product(WideInteger a, WideInteger b) {
  WideInteger product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(Fault::kNumeric, "exact sampling exceeds 128 bits: the noise is too wide for its grid");
  return product;
}

WideInteger checked_sum(WideInteger a, WideInteger b) {
  WideInteger sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    fail(Fault::kNumeric, "exact sampling exceeds 128 bits: the noise is too wide for its grid");
  return sum;
}

ExactRatio times(std::uint64_t count, const ExactRatio& ratio) {
  return {checked_product(count, ratio.numerator), ratio.denominator};
}

std::int64_t signed_integer(bool negative, WideInteger magnitude) {
  if (magnitude > static_cast<WideInteger>(std::numeric_limits<std::int64_t>::max()))
    fail(Fault::kNumeric, "exact noise exceeds 63 bits: the noise is too wide for its grid");
  const auto value = static_cast<std::int64_t>(magnitude);
  return negative ? -value : value;
}

std::uint64_t ceil_square_root(WideInteger square) {
  if ((square >> 124) != 0)
    fail(Fault::kNumeric, "exact sampling exceeds 128 bits: the noise is too wide for its grid");
  // The floating-point root is within a few thousand of the right one; the loops settle it exactly.
  auto root = static_cast<WideInteger>(std::sqrt(static_cast<long double>(square)));
  while (root > 0 && (root - 1) * (root - 1) >= square) --root;
  while (root * root < square) ++root;
  return static_cast<std::uint64_t>(root);
}

WideInteger squared_norm(std::span<const std::int64_t> point) {
  WideInteger sum = 0;
  for (const std::int64_t z : point) {
    const auto magnitude = static_cast<WideInteger>(z < 0 ? -z : z);
    sum = checked_sum(sum, checked_product(magnitude, magnitude));
  }
  return sum;
}

}  // namespace earshot
