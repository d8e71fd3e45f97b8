#include "earshot/graph/rational.hpp"

#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kLargest = ~(Wide{1} << 127);

Wide magnitude(Wide value) {
  return value < 0 ? -value : value;
}

Wide greatest_common_divisor(Wide a, Wide b) {
  a = magnitude(a);
  b = magnitude(b);
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Written out because the compiler's own 128-bit overflow check needs a runtime library clang does not link.
std::optional<Wide> multiply(Wide a, Wide b) {
  if (a != 0 && magnitude(b) > kLargest / magnitude(a)) return std::nullopt;
  return a * b;
}

std::optional<Wide> plus(Wide a, Wide b) {
  if (b > 0 ? a > kLargest - b : a < -kLargest - b) return std::nullopt;
  return a + b;
}

std::optional<Rational> reduce(Wide numerator, Wide denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide divisor = greatest_common_divisor(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  constexpr Wide kWord = std::numeric_limits<std::int64_t>::max();
  if (magnitude(numerator) > kWord || denominator > kWord) return std::nullopt;
  return Rational{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

[[noreturn]] void not_a_number(std::string_view text) {
  fail(Fault::kData,
       fmt::format("\"{}\" is not a weight; allowed: a fraction like 1/3 or a decimal like 0.25", text));
}

[[noreturn]] void too_long(std::string_view text) {
  fail(Fault::kData,
       fmt::format("\"{}\" does not fit a fraction of 64-bit integers; write it with fewer digits", text));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Rational parse_fraction(std::string_view text, std::size_t slash) {
  const auto numerator = parse_integer(text.substr(0, slash));
  const auto denominator = parse_integer(text.substr(slash + 1));
  if (!numerator || !denominator || *denominator <= 0) not_a_number(text);
  const auto reduced = reduce(*numerator, *denominator);
  if (!reduced) too_long(text);
  return *reduced;
}

/// Digits of a decimal as one integer, and the power of ten they are to be multiplied with.
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
};

Decimal parse_digits(std::string_view mantissa, std::string_view text) {
  Decimal decimal;
  bool after_point = false;
  std::size_t digits = 0;
  for (const char c : mantissa) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') not_a_number(text);
    const auto shifted = multiply(decimal.digits, 10);
    if (!shifted || *shifted > kLargest - 9) too_long(text);
    decimal.digits = *shifted + (c - '0');
    decimal.exponent -= after_point ? 1 : 0;
    ++digits;
  }
  if (digits == 0) not_a_number(text);
  return decimal;
}

Rational scale(Decimal decimal, bool negative, std::string_view text) {
  Wide numerator = negative ? -decimal.digits : decimal.digits;
  Wide denominator = 1;
  if (numerator == 0) return {};
  while (decimal.exponent < 0 && numerator % 10 == 0) {
    numerator /= 10;
    ++decimal.exponent;
  }
  for (; decimal.exponent != 0; decimal.exponent += decimal.exponent > 0 ? -1 : 1) {
    Wide& side = decimal.exponent > 0 ? numerator : denominator;
    const auto product = multiply(side, 10);
    if (!product) too_long(text);
    side = *product;
  }
  const auto reduced = reduce(numerator, denominator);
  if (!reduced) too_long(text);
  return *reduced;
}

}  // namespace

Rational make_rational(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) fail(Fault::kNumeric, "a fraction with denominator zero");
  const auto reduced = reduce(numerator, denominator);
  if (!reduced)
    fail(Fault::kNumeric, fmt::format("{}/{} does not fit 64-bit integers", numerator, denominator));
  return *reduced;
}

Rational midpoint(const Rational& a, const Rational& b) {
  const Wide numerator = Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator;
  const auto reduced = reduce(numerator, Wide{a.denominator} * b.denominator * 2);
  if (!reduced) fail(Fault::kNumeric, "half the sum of two weights does not fit 64-bit integers");
  return *reduced;
}

Rational parse_rational(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) return parse_fraction(text, slash);
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative) rest.remove_prefix(1);
  std::int64_t exponent = 0;
  if (const auto e = rest.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = rest.substr(e + 1);
    if (power.size() > 1 && power.front() == '+' && power[1] != '-') power.remove_prefix(1);
    const auto parsed = parse_integer(power);
    if (!parsed) not_a_number(text);
    exponent = *parsed;
    rest = rest.substr(0, e);
  }
  Decimal decimal = parse_digits(rest, text);
  constexpr std::int64_t kLongestExponent = 1000;  // far beyond what fits, and safe to add to
  if (exponent < -kLongestExponent || exponent > kLongestExponent) too_long(text);
  decimal.exponent += static_cast<int>(exponent);
  return scale(decimal, negative, text);
}

void ExactSum::add(Wide numerator, Wide denominator) {
  if (!fits_) return;
  const Wide shared = greatest_common_divisor(denominator_, denominator);
  const auto left = multiply(numerator_, denominator / shared);
  const auto right = multiply(numerator, denominator_ / shared);
  const auto common = multiply(denominator_, denominator / shared);
  const auto sum = left && right ? plus(*left, *right) : std::nullopt;
  fits_ = sum && common;
  if (!fits_) return;
  const Wide divisor = greatest_common_divisor(*sum, *common);
  numerator_ = *sum / divisor;
  denominator_ = *common / divisor;
}

double ExactSum::value() const {
  return static_cast<double>(static_cast<long double>(numerator_) / static_cast<long double>(denominator_));
}

}  // namespace earshot
