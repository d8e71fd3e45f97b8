#include "earshot/mechanism/exact_samplers.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/secure_random.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/mechanism/decision_tree.hpp"

// The building blocks are checked twice: by walking through its decisions, which gives its probabilities
// without any randomness up to a known missing mass, and by chi-square at fixed seeds (false alarms 1e-7 per
// test).
namespace earshot {
namespace {

static_assert(BitSource<Stream> && BitSource<SecureRandom> && BitSource<DecisionTree>);

/// Probabilities proportional to weight(k) for |k| <= reach; what lies beyond must not matter.
std::map<std::int64_t, double> normalised(std::int64_t reach,
                                          const std::function<double(std::int64_t)>& weight) {
  std::map<std::int64_t, double> probability;
  double sum = 0;
  for (std::int64_t k = -reach; k <= reach; ++k) sum += probability[k] = weight(k);
  for (auto& [k, p] : probability) p /= sum;
  return probability;
}

template <class Sampler>
std::map<std::int64_t, std::uint64_t> histogram(std::uint64_t seed, int draws, Sampler&& sampler) {
  Stream stream({seed, Purpose::kTest});
  std::map<std::int64_t, std::uint64_t> counts;
  for (int i = 0; i < draws; ++i) ++counts[sampler(stream)];
  return counts;
}

void expect_within_missing_mass(const Enumeration<std::int64_t>& found,
                                const std::map<std::int64_t, double>& expected, double most_missing) {
  EXPECT_LT(found.missing, most_missing);
  for (const auto& [k, p] : found.probability) {
    const double exact = expected.contains(k) ? expected.at(k) : 0;
    EXPECT_LE(p, exact + 1e-12) << "outcome " << k;
    EXPECT_GE(p + found.missing, exact - 1e-12) << "outcome " << k;
  }
}

TEST(ExactRatio, IsTheDoubleItself) {
  Stream stream({1});
  for (int i = 0; i < 1000; ++i) {
    const double value = std::ldexp(1 + stream.uniform(), static_cast<int>(stream.below(60)) - 30);
    const ExactRatio ratio = exact_ratio(value);
    // A power of two below a 53-bit number: both conversions and the quotient are exact.
    EXPECT_EQ(static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator), value);
  }
  EXPECT_EQ(exact_ratio(0.75).numerator, 3U);
  EXPECT_EQ(exact_ratio(0.75).denominator, 4U);
  EXPECT_EQ(exact_ratio(0).numerator, 0U);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL, 1e-30, 1e30}) EXPECT_THROW(exact_ratio(bad), Error);
}

TEST(ExactArithmetic, FailsInsteadOfWrappingAround) {
  const WideInteger huge = ~WideInteger{0};
  EXPECT_THROW(checked_product(huge, 2), Error);
  EXPECT_THROW(checked_sum(huge, 1), Error);
  EXPECT_THROW(signed_integer(false, WideInteger{1} << 63), Error);
  EXPECT_THROW(ceil_square_root(huge), Error);
}

TEST(ExactArithmetic, CeilSquareRoot) {
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const std::uint64_t root = ceil_square_root(k);
    EXPECT_TRUE(root * root >= k && (root == 0 || (root - 1) * (root - 1) < k));
  }
  Stream stream({2});
  for (int i = 0; i < 1000; ++i) {
    const WideInteger root = stream.bits() >> 2;
    EXPECT_TRUE(ceil_square_root(root * root) == root);
    EXPECT_TRUE(ceil_square_root(root * root + 1) == root + 1);
    EXPECT_TRUE(ceil_square_root(root * root - 1) == root);
  }
}

TEST(UniformBelow, FillsBoundsWiderThanAWord) {
  const WideInteger bound = (WideInteger{5} << 64) / 3;
  const auto counts = histogram(3, 100000, [&](Stream& s) {
    const WideInteger drawn = uniform_below(s, bound);
    EXPECT_TRUE(drawn < bound);
    return static_cast<std::int64_t>(drawn / (bound / 16 + 1));
  });
  std::map<std::int64_t, double> even;
  for (int i = 0; i < 16; ++i) even[i] = 1.0 / 16;
  EXPECT_LT(chi_square_excess(counts, even), 1);
}

TEST(BernoulliExp, HasItsProbabilityByEnumeration) {
  const std::vector<ExactRatio> gammas = {{0, 1}, {1, 3}, {1, 2}, {1, 1}, {5, 3}, {7, 2}};
  for (const ExactRatio& gamma : gammas) {
    const double g = static_cast<double>(gamma.numerator) / static_cast<double>(gamma.denominator);
    const auto found =
        enumerate<std::int64_t>(1e-6, [&](DecisionTree& tree) { return bernoulli_exp(tree, gamma); });
    expect_within_missing_mass(found, {{0, -std::expm1(-g)}, {1, std::exp(-g)}}, 1e-3);
    const auto squared = enumerate<std::int64_t>(
        1e-6, [&](DecisionTree& tree) { return bernoulli_exp_half_square(tree, gamma); });
    expect_within_missing_mass(squared, {{0, -std::expm1(-g * g / 2)}, {1, std::exp(-g * g / 2)}}, 0.05);
    const auto odds =
        enumerate<std::int64_t>(1e-6, [&](DecisionTree& tree) { return bernoulli_logistic(tree, gamma); });
    expect_within_missing_mass(odds, {{0, 1 / (1 + std::exp(-g))}, {1, 1 / (1 + std::exp(g))}}, 0.05);
  }
}

TEST(BernoulliExp, HasItsProbabilityForDenominatorsWiderThanAWord) {
  for (const double gamma : {1e-3, 0.1, 0.7, 2.3, 6.1}) {
    const ExactRatio fine = {exact_ratio(gamma).numerator << 20, exact_ratio(gamma).denominator << 20};
    const auto counts = histogram(4, 200000, [&](Stream& s) { return std::int64_t{bernoulli_exp(s, fine)}; });
    const std::map<std::int64_t, double> expected = {{1, std::exp(-gamma)}};
    EXPECT_LT(chi_square_excess(counts, expected), 1) << gamma;
  }
}

TEST(Geometric, HasItsProbabilities) {
  const auto found = enumerate<std::int64_t>(1e-6, [](DecisionTree& tree) {
    return static_cast<std::int64_t>(geometric(tree, {2, 3}));
  });
  std::map<std::int64_t, double> expected;
  for (int k = 0; k < 100; ++k) expected[k] = -std::expm1(-2.0 / 3) * std::exp(-2.0 / 3 * k);
  expect_within_missing_mass(found, expected, 0.06);
}

TEST(DiscreteLaplace, HasItsProbabilities) {
  const std::vector<ExactRatio> scales = {{1, 3}, {1, 1}, {5, 2}, {3, 1}};
  for (const ExactRatio& scale : scales) {
    const double b = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    const auto expected =
        normalised(400, [&](std::int64_t k) { return std::exp(-std::abs(static_cast<double>(k)) / b); });
    expect_within_missing_mass(
        enumerate<std::int64_t>(1e-6, [&](DecisionTree& tree) { return discrete_laplace(tree, scale); }),
        expected, 0.3);
    const auto counts = histogram(5, 200000, [&](Stream& s) { return discrete_laplace(s, scale); });
    EXPECT_LT(chi_square_excess(counts, expected), 1) << b;
  }
}

TEST(DiscreteLaplace, WideScalesHaveTheRightMoments) {
  // Scale 2^56: |k| / scale is exponential with mean 1; Kolmogorov-Smirnov.
  Stream stream({6});
  std::vector<double> sizes;
  for (int i = 0; i < 50000; ++i) {
    const auto k = static_cast<double>(discrete_laplace(stream, {WideInteger{1} << 56, 1}));
    sizes.push_back(std::abs(k) * 0x1p-56);
  }
  EXPECT_LT(kolmogorov(sizes, [](double x) { return -std::expm1(-x); }), kKolmogorovLimit);
}

TEST(DiscreteGaussian, HasItsProbabilities) {
  const std::vector<ExactRatio> sigmas = {{1, 2}, {1, 1}, {3, 2}, {7, 3}, {20, 1}};
  for (const ExactRatio& sigma : sigmas) {
    const double s = static_cast<double>(sigma.numerator) / static_cast<double>(sigma.denominator);
    const auto expected =
        normalised(300, [&](std::int64_t k) { return std::exp(-static_cast<double>(k * k) / (2 * s * s)); });
    const auto counts =
        histogram(7, 200000, [&](Stream& stream) { return discrete_gaussian(stream, sigma); });
    EXPECT_LT(chi_square_excess(counts, expected), 1) << s;
  }
}

TEST(DiscreteGaussian, WideDeviationsAreNormal) {
  for (const int bits : {20, 40, 56}) {
    Stream stream({8});
    std::vector<double> sample;
    for (int i = 0; i < 30000; ++i) {
      const std::int64_t k = discrete_gaussian(stream, {WideInteger{1} << bits, 1});
      sample.push_back(std::ldexp(static_cast<double>(k), -bits));
    }
    EXPECT_LT(kolmogorov(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
              kKolmogorovLimit);
  }
}

TEST(DiscreteStaircase, HasItsProbabilitiesAndItsRatio) {
  const std::uint64_t period = 5;
  const std::uint64_t tread = 2;
  const auto expected = normalised(500, [&](std::int64_t k) {
    const auto size = static_cast<std::uint64_t>(std::abs(k));
    return std::exp(-0.5 * static_cast<double>(size / period + (size % period >= tread ? 1 : 0)));
  });
  for (std::int64_t k = -100; k <= 100; ++k) {
    for (std::int64_t moved = 0; moved <= 5; ++moved)
      EXPECT_LE(std::abs(std::log(expected.at(k) / expected.at(k + moved))), 0.5 + 1e-12);
  }
  const auto counts = histogram(9, 200000, [&](Stream& s) {
    return discrete_staircase(s, {1, 2}, period, tread);
  });
  EXPECT_LT(chi_square_excess(counts, expected), 1);
}

TEST(LatticeLaplace, HasItsProbabilities) {
  const std::uint64_t scale = 2;
  for (const std::size_t dimension : {1U, 2U, 3U}) {
    std::map<std::vector<std::int64_t>, double> expected;
    const std::int64_t reach = dimension == 3 ? 30 : 60;
    const auto axis = [&](bool used) { return used ? reach : 0; };
    double sum = 0;
    for (std::int64_t x = -reach; x <= reach; ++x) {
      for (std::int64_t y = -axis(dimension > 1); y <= axis(dimension > 1); ++y) {
        for (std::int64_t z = -axis(dimension > 2); z <= axis(dimension > 2); ++z) {
          const double norm = std::ceil(std::sqrt(static_cast<double>(x * x + y * y + z * z)));
          std::vector<std::int64_t> point = {x, y, z};
          point.resize(dimension);
          sum += expected[point] = std::exp(-norm / static_cast<double>(scale));
        }
      }
    }
    for (auto& [point, p] : expected) p /= sum;
    Stream stream({10, Purpose::kTest, dimension});
    std::map<std::vector<std::int64_t>, std::uint64_t> counts;
    for (int i = 0; i < 100000; ++i) ++counts[lattice_laplace(stream, scale, dimension)];
    EXPECT_LT(chi_square_excess(counts, expected), 1) << dimension;
  }
}

TEST(LatticeLaplace, TheRoundedNormIsAMetric) {
  // ceil |x - z| <= ceil |x - y| + ceil |y - z| on random lattice points: what bounds every ratio.
  Stream stream({11});
  const auto point = [&] {
    std::vector<std::int64_t> p(2);
    for (std::int64_t& z : p) z = static_cast<std::int64_t>(stream.below(100));
    return p;
  };
  const auto length = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    const std::vector<std::int64_t> difference = {a[0] - b[0], a[1] - b[1]};
    return ceil_square_root(squared_norm(difference));
  };
  for (int i = 0; i < 10000; ++i) {
    const auto a = point(), b = point(), c = point();
    EXPECT_LE(length(a, c), length(a, b) + length(b, c));
  }
}

}  // namespace
}  // namespace earshot
