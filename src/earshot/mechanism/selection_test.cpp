#include "earshot/mechanism/selection.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/test_statistics.hpp"

namespace earshot {
namespace {

template <class M, class Random>
concept Protects = requires(const M& m, std::span<const double> scores, Random& random) {
  m.protect(scores, random);
};
static_assert(Protects<SelectionMechanism, SecureRandom> && !Protects<SelectionMechanism, Stream>);

const std::vector<double> kScores = {1.0, 3.5, 2.0, 3.0};
constexpr double kEpsilon = 1.2;
constexpr double kSensitivity = 0.8;

ExponentialMechanism exponential() {
  return {kEpsilon, kSensitivity, "a record", "replace it"};
}

std::map<std::size_t, std::uint64_t> simulated(const SelectionMechanism& mechanism, int draws) {
  Stream stream({1});
  std::map<std::size_t, std::uint64_t> counts;
  for (int i = 0; i < draws; ++i) ++counts[mechanism.simulate(kScores, stream).value];
  return counts;
}

std::map<std::size_t, std::uint64_t> guarded(const SelectionMechanism& mechanism, int draws) {
  SecureRandom random;
  std::map<std::size_t, std::uint64_t> counts;
  for (int i = 0; i < draws; ++i) ++counts[mechanism.protect(kScores, random).value];
  return counts;
}

/// P[i wins] = integral of f(t) prod_{j != i} F(t + s_i - s_j) dt, by the midpoint rule.
template <class Density, class Distribution>
std::map<std::size_t, double> noisy_max_law(Density&& density, Distribution&& distribution) {
  std::map<std::size_t, double> law;
  constexpr double kStep = 1e-3;
  for (std::size_t i = 0; i < kScores.size(); ++i) {
    for (double t = -60 + kStep / 2; t < 60; t += kStep) {
      double p = density(t) * kStep;
      for (std::size_t j = 0; j < kScores.size(); ++j) {
        if (j != i) p *= distribution(t + kScores[i] - kScores[j]);
      }
      law[i] += p;
    }
  }
  return law;
}

TEST(ExponentialMechanism, BothSamplersHaveItsProbabilities) {
  std::map<std::size_t, double> law;
  double sum = 0;
  for (std::size_t i = 0; i < kScores.size(); ++i)
    sum += law[i] = std::exp(kEpsilon * kScores[i] / (2 * kSensitivity));
  for (auto& [i, p] : law) p /= sum;
  EXPECT_LT(chi_square_excess(simulated(exponential(), 100000), law), 1);
  // Fresh randomness; the grid moves probabilities by less than 1e-5, unseen in 50,000 draws. 1e-7.
  EXPECT_LT(chi_square_excess(guarded(exponential(), 50000), law), 1);
}

TEST(NoisyMax, ExponentialNoiseInBothSamplers) {
  const double scale = 2 * kSensitivity / kEpsilon;
  const auto law = noisy_max_law([&](double t) { return t < 0 ? 0 : std::exp(-t / scale) / scale; },
                                 [&](double t) { return t < 0 ? 0 : -std::expm1(-t / scale); });
  const NoisyMax mechanism(kEpsilon, kSensitivity, "a record", "replace it");
  EXPECT_LT(chi_square_excess(simulated(mechanism, 100000), law), 1);
  // Simulation adds the noise, protection permutes and flips: one distribution.
  EXPECT_LT(chi_square_excess(guarded(mechanism, 50000), law), 1);
}

TEST(NoisyMax, LaplaceNoiseInBothSamplers) {
  const double scale = 2 * kSensitivity / kEpsilon;
  const auto law = noisy_max_law(
      [&](double t) { return std::exp(-std::abs(t) / scale) / (2 * scale); },
      [&](double t) { return t < 0 ? 0.5 * std::exp(t / scale) : 1 - 0.5 * std::exp(-t / scale); });
  const NoisyMax mechanism(kEpsilon, kSensitivity, "a record", "replace it", NoisyMaxNoise::kLaplace);
  EXPECT_LT(chi_square_excess(simulated(mechanism, 100000), law), 1);
  EXPECT_LT(chi_square_excess(guarded(mechanism, 50000), law), 1);
}

/// The probabilities that protection really has, exp(-gap / scale) over their sum, for random neighbours.
TEST(ExponentialMechanism, RatiosOnTheGridAreBounded) {
  Stream stream({2});
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<double> scores(6), moved(6);
    for (std::size_t i = 0; i < 6; ++i) {
      scores[i] = 3 * stream.normal();
      moved[i] = scores[i] + kSensitivity * (2.0 * static_cast<double>(stream.below(2)) - 1) * (1 - 1e-15);
    }
    const auto law = [](const std::vector<double>& s) {
      const ScoreGaps on_grid = score_gaps(s, kEpsilon, kSensitivity);
      std::vector<double> p;
      double sum = 0;
      for (const std::uint64_t gap : on_grid.gaps) {
        p.push_back(std::exp(-static_cast<double>(gap) / static_cast<double>(on_grid.scale)));
        sum += p.back();
      }
      for (double& x : p) x /= sum;
      return p;
    };
    const auto p = law(scores);
    const auto q = law(moved);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_LE(std::abs(std::log(p[i] / q[i])), kEpsilon + 1e-12);
  }
}

TEST(Selection, HugeScoresAreChosenAmongWithoutFailing) {
  SecureRandom random;
  const std::vector<double> scores = {-1e300, 1e300};
  EXPECT_EQ(exponential().protect(scores, random).value, 1U);
}

TEST(Selection, BadInputIsRefused) {
  EXPECT_THROW(ExponentialMechanism(0, 1, "a", "b"), Error);
  EXPECT_THROW(ExponentialMechanism(1, std::nan(""), "a", "b"), Error);
  EXPECT_THROW(NoisyMax(-1, 1, "a", "b"), Error);
  Stream stream({3});
  SecureRandom random;
  EXPECT_THROW(exponential().simulate(std::vector<double>{}, stream), Error);
  EXPECT_THROW(exponential().protect(std::vector<double>{}, random), Error);
  EXPECT_THROW(exponential().protect(std::vector<double>{1, std::nan("")}, random), Error);
}

}  // namespace
}  // namespace earshot
