// Fractions of 64-bit integers and their exact sums.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace earshot {

/// numerator / denominator in lowest terms, denominator > 0.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Rational&) const = default;
};

/// numerator / denominator in lowest terms; a numeric error when the denominator is zero or the result does
/// not fit.
Rational make_rational(std::int64_t numerator, std::int64_t denominator);

/// (a + b) / 2; a numeric error when it does not fit.
Rational midpoint(const Rational& a, const Rational& b);

/// "1/3", "-2", "0.25", "1e-3", ... exactly as written. A data error says what is wrong with anything else.
Rational parse_rational(std::string_view text);

/// A running sum of fractions in 128 bits; once the common denominator no longer fits it stays undecided.
class ExactSum {
 public:
  void add(const Rational& term) { add(term.numerator, term.denominator); }
  void subtract(const Rational& term) { add(-Wide{term.numerator}, term.denominator); }
  bool fits() const { return fits_; }
  /// -1, 0 or 1; only meaningful while fits().
  int sign() const { return numerator_ < 0 ? -1 : numerator_ > 0 ? 1 : 0; }
  double value() const;

 private:
  __extension__ using Wide = __int128;
  void add(Wide numerator, Wide denominator);

  Wide numerator_ = 0;
  Wide denominator_ = 1;
  bool fits_ = true;
};

}  // namespace earshot
