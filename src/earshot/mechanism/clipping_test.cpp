#include "earshot/mechanism/clipping.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <flint/fmpq.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// Exact sums of absolute values or of squares, over the rationals.
class Rational {
 public:
  Rational() { fmpq_init(value_); }
  ~Rational() { fmpq_clear(value_); }
  Rational(const Rational&) = delete;
  Rational& operator=(const Rational&) = delete;

  void set(double x) {
    int exponent = 0;
    const auto mantissa = static_cast<slong>(std::ldexp(std::frexp(x, &exponent), 53));
    fmpq_set_si(value_, mantissa, 1);
    exponent -= 53;
    if (exponent >= 0) {
      fmpq_mul_2exp(value_, value_, static_cast<ulong>(exponent));
    } else {
      fmpq_div_2exp(value_, value_, static_cast<ulong>(-exponent));
    }
  }
  void add(Norm norm, double x) {
    Rational term;
    term.set(std::abs(x));
    if (norm == Norm::kL2) fmpq_mul(term.value_, term.value_, term.value_);
    fmpq_add(value_, value_, term.value_);
  }
  bool at_most(const Rational& other) const { return fmpq_cmp(value_, other.value_) <= 0; }

 private:
  fmpq_t value_;
};

bool within_exactly(Norm norm, double bound, const std::vector<double>& value) {
  Rational sum, limit;
  for (const double x : value) sum.add(norm, x);
  limit.add(norm, bound);
  return sum.at_most(limit);
}

TEST(Clip, ShortensOnlyWhatIsTooLong) {
  std::vector<double> value = {3, 4};
  EXPECT_EQ(clip(Norm::kL2, 10, value), 1);
  EXPECT_EQ(value, (std::vector<double>{3, 4}));
  EXPECT_NEAR(clip(Norm::kL2, 1, value), 0.2, 1e-15);
  EXPECT_NEAR(value[0], 0.6, 1e-15);
  EXPECT_NEAR(value[1], 0.8, 1e-15);
  std::vector<double> other = {-3, 1};
  clip(Norm::kL1, 2, other);
  EXPECT_NEAR(other[0], -1.5, 1e-15);
  EXPECT_NEAR(other[1], 0.5, 1e-15);
  std::vector<double> zero = {0, 0};
  EXPECT_EQ(clip(Norm::kL2, 1, zero), 1);
  EXPECT_EQ(zero, (std::vector<double>{0, 0}));
}

/// Not one unit in the last place too long, in exact rational arithmetic, and hardly any shorter than
/// allowed.
TEST(Clip, TheBoundHoldsInExactArithmetic) {
  Stream stream({1});
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    for (int repetition = 0; repetition < 500; ++repetition) {
      std::vector<double> value(1 + stream.below(40));
      const double size = std::exp(20 * stream.normal());
      for (double& x : value) x = size * stream.normal();
      const double bound = norm_of(norm, value) * (0.5 + stream.uniform());
      const bool outside = !within_exactly(norm, bound, value);
      clip(norm, bound, value);
      EXPECT_TRUE(within_exactly(norm, bound, value));
      EXPECT_TRUE(!outside || norm_of(norm, value) >= bound * (1 - 1e-14));
    }
  }
}

TEST(Clip, HugeAndTinyValuesNeitherOverflowNorVanish) {
  std::vector<double> huge(100, 1.7e308);
  clip(Norm::kL2, 1, huge);
  EXPECT_NEAR(huge[0], 0.1, 1e-12);
  EXPECT_TRUE(within_exactly(Norm::kL2, 1, huge));
  std::vector<double> tiny = {3e-190, 4e-190};
  EXPECT_NEAR(norm_of(Norm::kL2, tiny) * 1e190, 5, 1e-12);
}

TEST(Clip, RefusesWhatIsNotFiniteAndBoundsThatAreNone) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> value = {1, bad};
    EXPECT_THROW(clip(Norm::kL1, 1, value), Error);
    EXPECT_THROW(clip(Norm::kL2, 1, value), Error);
    std::vector<double> fine = {1};
    EXPECT_THROW(clip(Norm::kL2, bad, fine), Error);
  }
  std::vector<double> fine = {1};
  EXPECT_THROW(clip(Norm::kL2, 0, fine), Error);
  EXPECT_THROW(clip(Norm::kL2, -1, fine), Error);
}

/// The stated sensitivities against the furthest that random neighbours get, and against the pair that
/// reaches them.
TEST(ClippedSensitivity, BoundsNeighboursAndIsReached) {
  constexpr double kBound = 1.5;
  constexpr std::size_t kExamples = 8;
  constexpr std::size_t kDimension = 3;
  Stream stream({2});
  const auto distance = [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return norm_of(Norm::kL2, a);
  };
  const auto batch_average = [&](const std::vector<double>& rows) {
    std::vector<double> mean(kDimension, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      mean[i % kDimension] += rows[i] * static_cast<double>(kDimension) / static_cast<double>(rows.size());
    clip(Norm::kL2, kBound, mean);
    return mean;
  };
  const auto example_sum = [&](std::vector<double> rows) {
    return clipped_sum(Norm::kL2, kBound, rows, kDimension);
  };
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<double> rows(kExamples * kDimension);
    stream.fill_normal(rows, 3);
    std::vector<double> replaced = rows;
    for (std::size_t i = 0; i < kDimension; ++i) replaced[i] = -100 * rows[i];
    const std::vector<double> removed(rows.begin() + kDimension, rows.end());
    EXPECT_LE(distance(example_sum(rows), example_sum(replaced)),
              clipped_sensitivity(ClipScope::kExample, kBound, Adjacency::kReplace) + 1e-12);
    EXPECT_LE(distance(example_sum(rows), example_sum(removed)),
              clipped_sensitivity(ClipScope::kExample, kBound, Adjacency::kAddRemove) + 1e-12);
    EXPECT_LE(distance(batch_average(rows), batch_average(replaced)),
              clipped_sensitivity(ClipScope::kBatch, kBound, Adjacency::kReplace) + 1e-12);
    EXPECT_LE(distance(batch_average(rows), batch_average(removed)),
              clipped_sensitivity(ClipScope::kBatch, kBound, Adjacency::kAddRemove) + 1e-12);
  }
  // One huge example turns the clipped average around: dividing by the batch size would be wrong.
  const std::vector<double> calm = {2, 0, 0, 2, 0, 0};
  const std::vector<double> turned = {2, 0, 0, -1e6, 0, 0};
  EXPECT_NEAR(distance(batch_average(calm), batch_average(turned)), 2 * kBound, 1e-12);
  EXPECT_NEAR(distance(example_sum(calm), example_sum(turned)), 2 * kBound, 1e-12);
  const std::vector<double> without = {2, 0, 0};
  EXPECT_NEAR(distance(batch_average(without), batch_average(turned)),
              clipped_sensitivity(ClipScope::kBatch, kBound, Adjacency::kAddRemove), 1e-12);
  EXPECT_EQ(clipped_sensitivity(ClipScope::kNode, kBound, Adjacency::kAddRemove), kBound);
  EXPECT_EQ(clipped_sensitivity(ClipScope::kNode, kBound, Adjacency::kReplace), 2 * kBound);
}

TEST(ClippedSum, NeedsWholeRows) {
  std::vector<double> rows(5);
  EXPECT_THROW(clipped_sum(Norm::kL2, 1, rows, 2), Error);
  EXPECT_THROW(clipped_sum(Norm::kL2, 1, rows, 0), Error);
}

}  // namespace
}  // namespace earshot
