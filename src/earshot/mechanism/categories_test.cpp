#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/mechanism/randomised_response.hpp"
#include "earshot/mechanism/truncated_geometric.hpp"
#include "earshot/mechanism/truncated_laplace.hpp"
#include "earshot/mechanism/unary_encoding.hpp"

// The mechanisms with finitely many inputs and outputs: one set of laws for all, then what each claims alone.
namespace earshot {
namespace {

std::vector<double> line_distances(std::size_t places) {
  std::vector<double> distances;
  for (std::size_t x = 0; x < places; ++x) {
    for (std::size_t y = 0; y < places; ++y)
      distances.push_back(std::abs(static_cast<double>(x) - static_cast<double>(y)));
  }
  return distances;
}

using Maker = std::function<std::unique_ptr<CategoryMechanism>()>;

class CategoryLaws : public ::testing::TestWithParam<std::pair<std::string, Maker>> {};

TEST_P(CategoryLaws, EveryRowIsADistribution) {
  const auto mechanism = GetParam().second();
  for (std::size_t x = 0; x < mechanism->inputs(); ++x) {
    double sum = 0;
    for (std::size_t y = 0; y < mechanism->outputs(); ++y) {
      EXPECT_GE(mechanism->probability(y, x), 0);
      sum += mechanism->probability(y, x);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST_P(CategoryLaws, BothSamplersFollowTheChannel) {
  const auto mechanism = GetParam().second();
  Stream stream({1});
  SecureRandom random;
  for (const std::size_t x : {std::size_t{0}, mechanism->inputs() / 2, mechanism->inputs() - 1}) {
    std::map<std::size_t, double> row;
    for (std::size_t y = 0; y < mechanism->outputs(); ++y) row[y] = mechanism->probability(y, x);
    std::map<std::size_t, std::uint64_t> simulated, guarded;
    for (int i = 0; i < 30000; ++i) {
      ++simulated[mechanism->simulate(x, stream).value];
      ++guarded[mechanism->protect(x, random).value];
    }
    // 1e-7 false alarms each; the second one is of fresh randomness on every run.
    EXPECT_LT(chi_square_excess(simulated, row), 1);
    EXPECT_LT(chi_square_excess(guarded, row), 1);
  }
}

TEST_P(CategoryLaws, InputsThatDoNotExistAreRefused) {
  const auto mechanism = GetParam().second();
  Stream stream({1});
  SecureRandom random;
  EXPECT_THROW(mechanism->simulate(mechanism->inputs(), stream), Error);
  EXPECT_THROW(mechanism->protect(mechanism->inputs(), random), Error);
  EXPECT_THROW(mechanism->probability(0, mechanism->inputs()), Error);
}

template <class M, class Random>
concept Protects = requires(const M& m, Random& random) {
  m.protect(std::size_t{0}, random);
};
static_assert(Protects<CategoryMechanism, SecureRandom> && !Protects<CategoryMechanism, Stream>);
static_assert(Protects<BitVectorMechanism, SecureRandom> && !Protects<BitVectorMechanism, Stream>);

INSTANTIATE_TEST_SUITE_P(
    All, CategoryLaws,
    ::testing::Values(
        std::pair<std::string, Maker>{"binary", [] { return std::make_unique<RandomisedResponse>(2, 1.0); }},
        std::pair<std::string, Maker>{"ten", [] { return std::make_unique<RandomisedResponse>(10, 2.5); }},
        std::pair<std::string, Maker>{"geometric",
                                      [] { return std::make_unique<TruncatedGeometric>(8, 0.7); }},
        std::pair<std::string, Maker>{
            "truncated",
            [] { return std::make_unique<TruncatedLaplace>(line_distances(20), 0.5, 3, "places apart"); }}),
    [](const auto& info) { return info.param.first; });

/// Largest |ln P[y | x] - ln P[y | x']| over all outputs and the given pairs of inputs.
double worst_log_ratio(const CategoryMechanism& mechanism, std::size_t largest_distance) {
  double worst = 0;
  for (std::size_t x = 0; x < mechanism.inputs(); ++x) {
    for (std::size_t z = x + 1; z < std::min(mechanism.inputs(), x + 1 + largest_distance); ++z) {
      for (std::size_t y = 0; y < mechanism.outputs(); ++y)
        worst =
            std::max(worst, std::abs(std::log(mechanism.probability(y, x) / mechanism.probability(y, z))));
    }
  }
  return worst;
}

TEST(RandomisedResponse, CostsExactlyEpsilon) {
  for (const std::size_t categories : {2U, 3U, 50U}) {
    for (const double epsilon : {0.01, 1.0, 8.0}) {
      const RandomisedResponse mechanism(categories, epsilon);
      EXPECT_NEAR(worst_log_ratio(mechanism, categories), epsilon, 1e-12);
      const auto& pair = std::get<FinitePairRelease>(mechanism.release()->kind);
      EXPECT_NEAR(std::log(pair.p[0] / pair.q[0]), epsilon, 1e-12);
    }
  }
  EXPECT_NEAR(RandomisedResponse(2, 1).probability(0, 0), 0.7310585786300049, 1e-15);
}

TEST(RandomisedResponse, SharesAreUnbiased) {
  const RandomisedResponse mechanism(4, 1);
  const std::vector<double> truth = {0.5, 0.3, 0.2, 0};
  std::vector<std::uint64_t> expected(4);
  constexpr double kReports = 1e12;
  for (std::size_t y = 0; y < 4; ++y) {
    double p = 0;
    for (std::size_t x = 0; x < 4; ++x) p += truth[x] * mechanism.probability(y, x);
    expected[y] = static_cast<std::uint64_t>(std::llround(kReports * p));
  }
  const std::vector<double> shares = mechanism.estimate(expected);
  for (std::size_t x = 0; x < 4; ++x) EXPECT_NEAR(shares[x], truth[x], 1e-10);
  EXPECT_THROW(mechanism.estimate(std::vector<std::uint64_t>(3, 1)), Error);
  EXPECT_THROW(mechanism.estimate(std::vector<std::uint64_t>(4, 0)), Error);
}

TEST(RandomisedResponse, BadParametersAreRefused) {
  EXPECT_THROW(RandomisedResponse(1, 1), Error);
  EXPECT_THROW(RandomisedResponse(2, 0), Error);
  EXPECT_THROW(RandomisedResponse(2, std::nan("")), Error);
}

TEST(UnaryEncoding, CostsExactlyEpsilon) {
  for (const UnaryKind kind : {UnaryKind::kSymmetric, UnaryKind::kOptimised}) {
    for (const double epsilon : {0.1, 1.0, 6.0}) {
      const UnaryEncoding mechanism(5, epsilon, kind);
      const double p = mechanism.p();
      const double q = mechanism.q();
      EXPECT_NEAR(std::log(p * (1 - q) / ((1 - p) * q)), epsilon, 1e-12);
      const auto& pair = std::get<FinitePairRelease>(mechanism.release()->kind);
      double worst = 0;
      for (std::size_t i = 0; i < 4; ++i) worst = std::max(worst, std::abs(std::log(pair.p[i] / pair.q[i])));
      EXPECT_NEAR(worst, epsilon, 1e-12);
    }
  }
}

/// All 2^3 reports of both samplers against the product of their bits' probabilities.
TEST(UnaryEncoding, BothSamplersFollowTheirBits) {
  for (const UnaryKind kind : {UnaryKind::kSymmetric, UnaryKind::kOptimised}) {
    const UnaryEncoding mechanism(3, 1.3, kind);
    Stream stream({2});
    SecureRandom random;
    std::map<BitVectorMechanism::Bits, double> expected;
    for (unsigned report = 0; report < 8; ++report) {
      BitVectorMechanism::Bits bits;
      double p = 1;
      for (unsigned i = 0; i < 3; ++i) {
        bits.push_back((report >> i) & 1U);
        const double one = i == 1 ? mechanism.p() : mechanism.q();
        p *= bits.back() != 0 ? one : 1 - one;
      }
      expected[bits] = p;
    }
    std::map<BitVectorMechanism::Bits, std::uint64_t> simulated, guarded;
    for (int i = 0; i < 50000; ++i) {
      ++simulated[mechanism.simulate(1, stream).value];
      ++guarded[mechanism.protect(1, random).value];
    }
    EXPECT_LT(chi_square_excess(simulated, expected), 1);
    EXPECT_LT(chi_square_excess(guarded, expected), 1);
  }
}

/// The variance of an estimated share near 0 is q (1 - q) / (n (p - q)^2): 4 e^eps / (e^eps - 1)^2 / n for
/// the optimised encoding (Wang, Blocki, Li & Jha 2017, equation 8), and more for the symmetric one.
TEST(UnaryEncoding, TheOptimisedKindHasLessVariance) {
  const auto variance = [](const UnaryEncoding& m) {
    return m.q() * (1 - m.q()) / std::pow(m.p() - m.q(), 2);
  };
  for (const double epsilon : {0.5, 1.0, 4.0}) {
    const double optimised = variance({5, epsilon, UnaryKind::kOptimised});
    EXPECT_NEAR(optimised, 4 * std::exp(epsilon) / std::pow(std::expm1(epsilon), 2), 1e-12 * optimised);
    EXPECT_LT(optimised, variance({5, epsilon, UnaryKind::kSymmetric}));
  }
}

TEST(UnaryEncoding, SharesAreUnbiased) {
  const UnaryEncoding mechanism(2, 1);
  const double p = 0.3 * mechanism.p() + 0.7 * mechanism.q();
  const std::vector<std::uint64_t> ones = {static_cast<std::uint64_t>(std::llround(1e12 * p)), 0};
  EXPECT_NEAR(mechanism.estimate(ones, 1000000000000)[0], 0.3, 1e-10);
  EXPECT_THROW(UnaryEncoding(1, 1), Error);
  EXPECT_THROW(UnaryEncoding(5, -1), Error);
}

TEST(TruncatedGeometric, CostsExactlyEpsilonPerCount) {
  for (const double epsilon : {0.05, 1.0, 5.0}) {
    EXPECT_NEAR(worst_log_ratio(TruncatedGeometric(10, epsilon), 1), epsilon, 1e-12);
    EXPECT_NEAR(worst_log_ratio(TruncatedGeometric(10, epsilon), 3), 3 * epsilon, 1e-11);
  }
  EXPECT_THROW(TruncatedGeometric(0, 1), Error);
  EXPECT_THROW(TruncatedGeometric(5, 0), Error);
}

/// 60 places in a row at unit distance. The pointwise value of the published theorem is too small for sets.
TEST(TruncatedLaplace, DeltaOfALine) {
  struct Case {
    double epsilon, radius, pointwise, setwise;
  };
  const std::vector<Case> cases = {{0.5, 3, 0.0616, 0.0876},  {0.2, 5, 0.0781, 0.1730},
                                   {0.2, 10, 0.0328, 0.0617}, {1, 3, 0.0454, 0.0454},
                                   {1, 10, 0.0439, 0.0439},   {2, 10, 0.0123, 0.0123}};
  for (const Case& c : cases) {
    const TruncatedLaplace mechanism(line_distances(60), c.epsilon, c.radius, "places apart");
    EXPECT_NEAR(mechanism.delta_as_published(), c.pointwise, 6e-5);
    EXPECT_NEAR(mechanism.delta(), c.setwise, 6e-5);
    EXPECT_EQ(std::get<MetricRelease>(mechanism.release()->kind).delta, mechanism.delta());
  }
}

/// Every set of reports of a small asymmetric example, with one place that cannot be reached from another.
TEST(TruncatedLaplace, DeltaCoversEverySetAndIsTight) {
  const double far = HUGE_VAL;
  const std::vector<double> distances = {0, 1, 3, 2, 2, 0, 1, 4, 1.5, 2, 0, far, 1, 3, 2, 0};
  const double epsilon = 0.4;
  const TruncatedLaplace mechanism(distances, epsilon, 2, "minutes by car");
  double worst = 0;
  for (std::size_t x = 0; x < 4; ++x) {
    for (std::size_t z = 0; z < 4; ++z) {
      for (unsigned set = 0; set < 16; ++set) {
        double p = 0;
        double q = 0;
        for (std::size_t y = 0; y < 4; ++y) {
          if (((set >> y) & 1U) == 0) continue;
          p += mechanism.probability(y, x);
          q += mechanism.probability(y, z);
        }
        worst = std::max(worst, std::exp(-epsilon * distances[4 * x + z]) * p - q);
      }
    }
  }
  EXPECT_NEAR(mechanism.delta(), worst, 1e-12);
  EXPECT_EQ(mechanism.probability(3, 2), 0);
}

TEST(TruncatedLaplace, RadiusZeroReportsTheTruthAndNoTruncationCostsNothing) {
  const TruncatedLaplace truth(line_distances(5), 1, 0, "places apart");
  EXPECT_EQ(truth.probability(2, 2), 1);
  // Without truncation the normalisers alone differ, by at most e^(epsilon d): 2 epsilon would always do.
  const TruncatedLaplace ring({0, 1, 1, 1, 0, 1, 1, 1, 0}, 1, 5, "places apart");
  EXPECT_NEAR(ring.delta(), 0, 1e-9);
}

TEST(TruncatedLaplace, BadDistancesAreRefused) {
  EXPECT_THROW(TruncatedLaplace({0, 1, 1}, 1, 1, "m"), Error);
  EXPECT_THROW(TruncatedLaplace({0, -1, 1, 0}, 1, 1, "m"), Error);
  EXPECT_THROW(TruncatedLaplace({0, std::nan(""), 1, 0}, 1, 1, "m"), Error);
  EXPECT_THROW(TruncatedLaplace({0, 1, 1, 2}, 1, 1, "m"), Error);
  EXPECT_THROW(TruncatedLaplace({0, 1, 1, 0}, 0, 1, "m"), Error);
  EXPECT_THROW(TruncatedLaplace({0, 1, 1, 0}, 1, -1, "m"), Error);
}

}  // namespace
}  // namespace earshot
