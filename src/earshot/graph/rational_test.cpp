#include "earshot/graph/rational.hpp"

#include <cmath>

#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Rational, ParsesWhatIsWritten) {
  const std::vector<std::pair<const char*, Rational>> cases = {
      {"1/3", {1, 3}},
      {"2/6", {1, 3}},
      {"-2/6", {-1, 3}},
      {"0/5", {0, 1}},
      {"7", {7, 1}},
      {"-7", {-7, 1}},
      {"0.25", {1, 4}},
      {".5", {1, 2}},
      {"5.", {5, 1}},
      {"-0.0", {0, 1}},
      {"1e-3", {1, 1000}},
      {"2.5E+1", {25, 1}},
      {"1e2", {100, 1}},
      {"0.3333333333333333", {3333333333333333, 10000000000000000}},
      {"0.500000000000000000000000000", {1, 2}},
      {"9223372036854775807", {kMost, 1}},
      {"9223372036854775806/9223372036854775807", {kMost - 1, kMost}},
      {"0e1000", {0, 1}},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_rational(text), expected) << text;
}

TEST(Rational, RefusesEverythingElse) {
  for (const char* text : {"",
                           "-",
                           ".",
                           "1/0",
                           "1/-3",
                           "1/",
                           "/3",
                           "1/2/3",
                           "nan",
                           "inf",
                           "0x1",
                           "1.2.3",
                           "1e",
                           "e5",
                           "1e5.5",
                           "--1",
                           "1e+-5",
                           "1e++5",
                           "+1",
                           "9223372036854775808",
                           "1e19",
                           "1e-19",
                           "1e999999999999",
                           "-9223372036854775808/1",
                           "0.12345678901234567891",
                           "1e-99999",
                           "123456789012345678901234567890123456789012345678901234567890"})
    testing::error_of(Fault::kData, [&] { parse_rational(text); });
}

TEST(Rational, RoundTripsEveryFractionOfSmallIntegers) {
  for (std::int64_t denominator = 1; denominator <= 60; ++denominator) {
    for (std::int64_t numerator = -60; numerator <= 60; ++numerator) {
      const Rational value = parse_rational(std::to_string(numerator) + "/" + std::to_string(denominator));
      EXPECT_EQ(value.numerator * denominator, numerator * value.denominator);
      EXPECT_EQ(std::gcd(value.numerator, value.denominator), 1);
      EXPECT_GT(value.denominator, 0);
    }
  }
}

TEST(Rational, MidpointIsExactOrRefused) {
  EXPECT_EQ(midpoint({1, 3}, {1, 6}), (Rational{1, 4}));
  EXPECT_EQ(midpoint({kMost, 1}, {kMost, 1}), (Rational{kMost, 1}));
  testing::error_of(Fault::kNumeric, [] { midpoint({0, 1}, {1, kMost}); });
  testing::error_of(Fault::kNumeric, [] { make_rational(1, 0); });
}

TEST(ExactSum, HarmonicPiecesAddUpToOne) {
  // 1/(k(k+1)) telescopes: the sum up to n is n/(n+1), whatever order its terms come in.
  ExactSum sum;
  for (std::int64_t k = 40; k >= 1; --k) sum.add({1, k * (k + 1)});
  sum.add({1, 41});
  sum.subtract({1, 1});
  EXPECT_TRUE(sum.fits());
  EXPECT_EQ(sum.sign(), 0);
}

TEST(ExactSum, SaysWhenItNoLongerFits) {
  ExactSum sum;
  for (const std::int64_t prime : {kMost - 24, kMost - 164, kMost - 258})
    sum.add({1, prime});  // pairwise coprime
  EXPECT_FALSE(sum.fits());
}

TEST(ExactSum, SeesADifferenceBelowDoublePrecision) {
  ExactSum sum;
  sum.add({kMost - 1, kMost});
  sum.subtract({1, 1});
  EXPECT_EQ(sum.sign(), -1);
  EXPECT_DOUBLE_EQ(sum.value(), -1.0 / static_cast<double>(kMost));
}

}  // namespace
}  // namespace earshot
