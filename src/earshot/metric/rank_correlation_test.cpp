#include "earshot/metric/rank_correlation.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

/// Rank by counting, straight from the definition: one plus those below, plus half of the equals other than
/// itself.
double counted_rank(const std::vector<double>& values, std::size_t i) {
  double rank = 1;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] < values[i]) rank += 1;
    if (values[j] == values[i] && j != i) rank += 0.5;
  }
  return rank;
}

/// Pearson's correlation of the counted ranks in long double, by the textbook formula with raw sums.
double brute_force_spearman(const std::vector<double>& x, const std::vector<double>& y) {
  long double sx = 0;
  long double sy = 0;
  long double sxx = 0;
  long double syy = 0;
  long double sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = counted_rank(x, i);
    const long double b = counted_rank(y, i);
    sx += a;
    sy += b;
    sxx += a * a;
    syy += b * b;
    sxy += a * b;
  }
  const auto n = static_cast<long double>(x.size());
  return static_cast<double>((n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy)));
}

/// `levels` distinct values, so that ties are as common as asked for.
std::vector<double> tied_values(std::size_t count, std::uint64_t levels, Stream& stream) {
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(stream.below(levels));
  return values;
}

TEST(Ranks, EqualValuesShareTheirAverageRank) {
  EXPECT_THAT(average_ranks(std::vector<double>{10, 20, 10, 30, 10}), ElementsAre(2, 4, 2, 5, 2));
  EXPECT_TRUE(average_ranks({}).empty());
}

// Without ties rho = 1 - 6 sum d^2 / (n (n^2 - 1)). The pairs (IQ, hours of TV) are a common textbook example
// whose squared rank differences sum to 194: rho = -29/165.
TEST(Spearman, TextbookExample) {
  const std::vector<double> iq{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(spearman(iq, hours).value(), -29.0 / 165.0, 1e-15);
}

// Ranks (1, 2.5, 2.5, 4) and (1, 2, 3, 4): covariance 4.5, variances 4.5 and 5.
TEST(Spearman, HandComputedTie) {
  const std::vector<double> x{1, 2, 2, 3};
  const std::vector<double> y{1, 2, 3, 4};
  EXPECT_NEAR(spearman(x, y).value(), 4.5 / std::sqrt(4.5 * 5), 1e-15);
}

TEST(Spearman, EqualsTheDefinitionOnRandomTies) {
  Stream stream(StreamName{.seed = 11});
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t count = 2 + stream.below(40);
    const std::vector<double> x = tied_values(count, 1 + stream.below(30), stream);
    const std::vector<double> y = tied_values(count, 1 + stream.below(30), stream);
    const auto constant = [](const std::vector<double>& v) {
      return std::all_of(v.begin(), v.end(), [&](double value) { return value == v[0]; });
    };
    const auto rho = spearman(x, y);
    ASSERT_EQ(rho.has_value(), !constant(x) && !constant(y));
    ASSERT_EQ(kendall(x, y).has_value(), rho.has_value());
    if (!rho) continue;
    ASSERT_NEAR(*rho, brute_force_spearman(x, y), 1e-13);
  }
}

TEST(RankCorrelation, DependsOnOrderOnly) {
  Stream stream(StreamName{.seed = 12});
  const std::vector<double> x = tied_values(60, 20, stream);
  const std::vector<double> y = tied_values(60, 25, stream);
  std::vector<double> increasing = x;
  for (double& value : increasing) value = std::exp(value / 3) - 100;
  std::vector<double> decreasing = x;
  for (double& value : decreasing) value = -value * value * value;
  EXPECT_EQ(spearman(increasing, y), spearman(x, y));
  EXPECT_EQ(kendall(increasing, y), kendall(x, y));
  EXPECT_DOUBLE_EQ(spearman(decreasing, y).value(), -spearman(x, y).value());
  EXPECT_DOUBLE_EQ(kendall(decreasing, y).value(), -kendall(x, y).value());
  EXPECT_EQ(spearman(x, y), spearman(y, x));
  EXPECT_EQ(kendall(x, y), kendall(y, x));
  EXPECT_DOUBLE_EQ(spearman(x, increasing).value(), 1);
  EXPECT_DOUBLE_EQ(kendall(x, increasing).value(), 1);
}

// Of the 10 pairs, 7 agree and 3 disagree.
TEST(Kendall, HandComputedWithoutTies) {
  EXPECT_DOUBLE_EQ(kendall(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{3, 1, 2, 5, 4}).value(),
                   0.4);
}

// 6 pairs: 4 agree, none disagrees, one tied in x only, one in y only; tau-b = 4 / sqrt(5 * 5).
TEST(Kendall, HandComputedWithTies) {
  EXPECT_DOUBLE_EQ(kendall(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 1, 2, 3}).value(), 0.8);
}

TEST(RankCorrelation, IsUndefinedWithoutVariation) {
  const std::vector<double> constant{4, 4, 4};
  const std::vector<double> varied{1, 2, 3};
  EXPECT_FALSE(spearman(constant, varied).has_value());
  EXPECT_FALSE(kendall(varied, constant).has_value());
  EXPECT_FALSE(spearman({}, {}).has_value());
  EXPECT_FALSE(kendall(std::vector<double>{1}, std::vector<double>{2}).has_value());
}

TEST(RankCorrelation, RefusesWhatHasNoOrder) {
  const std::vector<double> varied{1, 2, 3};
  EXPECT_THROW(spearman(varied, std::vector<double>{1, std::nan(""), 2}), Error);
  EXPECT_THROW(kendall(std::vector<double>{1, std::nan(""), 2}, varied), Error);
  EXPECT_THROW(spearman(varied, std::vector<double>{1, 2}), Error);
}

}  // namespace
}  // namespace earshot
