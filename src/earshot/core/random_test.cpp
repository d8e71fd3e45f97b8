#include "earshot/core/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "earshot/core/box_muller.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

// Statistical tests here have fixed seeds; bounds are chosen so that a correct generator with a fresh seed
// would fail each test with probability below 1e-6.

double chi_square(const std::vector<double>& observed, double expected) {
  double sum = 0;
  for (const double count : observed) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// Known answer of philox4x64-10 for counter 0 and key 0 (Random123's kat_vectors).
TEST(Random, PhiloxKnownAnswer) {
  Stream stream({0, Purpose::kTest, 0, 0, 0});
  EXPECT_EQ(stream.bits(), 0x16554d9eca36314cULL);
  EXPECT_EQ(stream.bits(), 0xdb20fe9d672d0fdcULL);
  EXPECT_EQ(stream.bits(), 0xd7e772cee186176bULL);
  EXPECT_EQ(stream.bits(), 0x7e68b68aec7ba23bULL);
}

TEST(Random, EqualNamesGiveEqualNumbers) {
  const StreamName name{42, Purpose::kGraph, 3, 5, 7};
  Stream a(name), b(name);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.bits(), b.bits());
}

TEST(Random, EveryPartOfTheNameMatters) {
  const std::vector<StreamName> names{
      {1, Purpose::kTest, 1, 1, 1}, {2, Purpose::kTest, 1, 1, 1}, {1, Purpose::kGraph, 1, 1, 1},
      {1, Purpose::kTest, 2, 1, 1}, {1, Purpose::kTest, 1, 2, 1}, {1, Purpose::kTest, 1, 1, 2},
  };
  std::set<std::uint64_t> seen;
  for (const StreamName& name : names) {
    Stream stream(name);
    for (int i = 0; i < 1000; ++i) seen.insert(stream.bits());
  }
  EXPECT_EQ(seen.size(), 6000U);  // a repeat among 6000 64-bit words has probability 1e-12
}

TEST(Random, UniformFillsTheUnitInterval) {
  Stream stream({1});
  std::vector<double> bins(1024), sample;
  for (int i = 0; i < 1 << 18; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++bins[static_cast<std::size_t>(u * 1024)];
    sample.push_back(u);
  }
  EXPECT_LT(chi_square(bins, 256), chi_square_limit(1023));
  EXPECT_LT(kolmogorov(sample, [](double x) { return x; }), kKolmogorovLimit);
}

/// Neighbouring streams (nodes, rounds, trials) are what a simulation uses side by side.
TEST(Random, NeighbouringStreamsAreIndependent) {
  for (int part = 0; part < 3; ++part) {
    std::vector<double> bins(256);
    for (std::uint64_t i = 0; i < 1 << 15; ++i) {
      StreamName a{9}, b{9};
      (part == 0 ? a.node : part == 1 ? a.round : a.trial) = i;
      (part == 0 ? b.node : part == 1 ? b.round : b.trial) = i + 1;
      const auto u = static_cast<std::size_t>(Stream(a).uniform() * 16);
      const auto v = static_cast<std::size_t>(Stream(b).uniform() * 16);
      ++bins[16 * u + v];
    }
    EXPECT_LT(chi_square(bins, 128), chi_square_limit(255)) << part;
  }
}

TEST(Random, BelowIsUnbiased) {
  for (const std::uint64_t bound : {2ULL, 3ULL, 7ULL, 10ULL, 100ULL}) {
    Stream stream({2, Purpose::kTest, bound});
    std::vector<double> bins(bound);
    for (std::uint64_t i = 0; i < 2000 * bound; ++i) ++bins.at(stream.below(bound));
    EXPECT_LT(chi_square(bins, 2000), chi_square_limit(static_cast<double>(bound - 1)) + 5) << bound;
  }
}

/// With bound 3 * 2^62 taking the high product without rejection would give some values twice the chance of
/// others.
TEST(Random, BelowIsUnbiasedForHugeBounds) {
  constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
  Stream stream({3});
  std::vector<double> residues(3), thirds(3);
  for (int i = 0; i < 90000; ++i) {
    const std::uint64_t value = stream.below(3 * kQuarter);
    ASSERT_LT(value, 3 * kQuarter);
    ++residues[value % 3];
    ++thirds[value / kQuarter];
  }
  EXPECT_LT(chi_square(residues, 30000), 28);  // 2 degrees of freedom: P(> 28) = exp(-14) = 8e-7
  EXPECT_LT(chi_square(thirds, 30000), 28);
}

TEST(Random, BelowOneIsZeroAndBelowZeroIsABug) {
  Stream stream({4});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.below(1), 0U);
  EXPECT_THROW(stream.below(0), Error);
}

TEST(Random, NormalFollowsTheNormalDistribution) {
  Stream stream({5});
  std::vector<double> sample(1 << 17);
  for (double& value : sample) value = stream.normal();
  EXPECT_LT(kolmogorov(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            kKolmogorovLimit);
}

/// Box-Muller makes values in pairs; each must be uncorrelated with the next, and so must their squares.
TEST(Random, LaplaceFollowsTheLaplaceDistribution) {
  Stream stream({8});
  std::vector<double> sample(1 << 17);
  for (double& value : sample) value = stream.laplace(3);
  EXPECT_LT(
      kolmogorov(sample, [](double x) { return x < 0 ? 0.5 * std::exp(x / 3) : 1 - 0.5 * std::exp(-x / 3); }),
      kKolmogorovLimit);
}
TEST(Random, ConsecutiveNormalsAreUncorrelated) {
  Stream stream({6});
  constexpr int kCount = 1 << 17;
  double product = 0, squares = 0, last = stream.normal();
  for (int i = 0; i < kCount; ++i) {
    const double next = stream.normal();
    product += last * next;
    squares += (last * last - 1) * (next * next - 1);
    last = next;
  }
  const double root = std::sqrt(static_cast<double>(kCount));
  EXPECT_LT(std::abs(product / root), 5);      // standard normal in the limit: P(> 5) = 6e-7
  EXPECT_LT(std::abs(squares / root / 2), 5);  // variance of the product is 4
}

TEST(Random, ManyNormalsAtOnceAreThoseOfOneByOne) {
  Stream a({7}), b({7});
  for (const std::size_t count :
       {9, 0, 1, 64, 65, 200, 2}) {  // odd counts leave half a pair for the next call
    std::vector<double> filled(count);
    a.fill_normal(filled, 2.5);
    for (const double value : filled) EXPECT_EQ(value, 2.5 * b.normal());
    Stream again({7, Purpose::kTest, 1}), other({7, Purpose::kTest, 1});
    std::vector<double> sums(count, 1.0);
    again.add_normal(sums, 0.5);
    for (const double value : sums) EXPECT_EQ(value, 1.0 + 0.5 * other.normal());
  }
}

TEST(Random, NormalsFollowTheFormulaOfBoxAndMuller) {
  const auto check = [](double u, double v) {
    const long double radius = std::sqrt(-2 * std::log1p(-static_cast<long double>(u)));
    const long double angle = 2 * std::numbers::pi_v<long double> * v;
    const auto [cosine, sine] = box_muller(u, v);
    EXPECT_NEAR(cosine, static_cast<double>(radius * std::cos(angle)), 1e-15 * static_cast<double>(radius));
    EXPECT_NEAR(sine, static_cast<double>(radius * std::sin(angle)), 1e-15 * static_cast<double>(radius));
  };
  constexpr double kLast = 1 - 0x1.0p-53;
  for (const double u : {0.0, 0x1.0p-53, 0.25, 0.29289321881345254, 0.5, 0.75, kLast})
    for (const double v : {0.0, 0x1.0p-53, 0.124, 0.125, 0.126, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, kLast})
      check(u, v);
  Stream stream({19});
  for (int i = 0; i < 20000; ++i) {
    const double u = stream.uniform();
    check(u, stream.uniform());
  }
}

TEST(Random, PermutationsAreUniform) {
  std::map<std::vector<std::size_t>, double> counts;
  constexpr int kRepeats = 24 * 1000;
  for (int i = 0; i < kRepeats; ++i) {
    Stream stream({8, Purpose::kTest, static_cast<std::uint64_t>(i)});
    ++counts[stream.permutation(4)];
  }
  ASSERT_EQ(counts.size(), 24U);
  std::vector<double> bins;
  for (const auto& [permutation, count] : counts) bins.push_back(count);
  EXPECT_LT(chi_square(bins, 1000), chi_square_limit(23));
}

TEST(Random, SamplesAreDistinctMembers) {
  Stream stream({10});
  for (const std::size_t count : {0U, 1U, 5U, 20U}) {
    const auto sample = stream.sample_without_replacement(count, 20);
    EXPECT_EQ(std::set<std::size_t>(sample.begin(), sample.end()).size(), count);
    for (const std::size_t member : sample) EXPECT_LT(member, 20U);
  }
  EXPECT_THROW(stream.sample_without_replacement(21, 20), Error);
}

TEST(Random, SamplesAreUniformOverSubsets) {
  std::map<std::set<std::size_t>, double> counts;
  Stream stream({11});
  for (int i = 0; i < 20 * 1000; ++i) {
    const auto sample = stream.sample_without_replacement(3, 6);
    ++counts[{sample.begin(), sample.end()}];
  }
  ASSERT_EQ(counts.size(), 20U);
  std::vector<double> bins;
  for (const auto& [subset, count] : counts) bins.push_back(count);
  EXPECT_LT(chi_square(bins, 1000), chi_square_limit(19));
}

}  // namespace
}  // namespace earshot
