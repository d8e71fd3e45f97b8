#include "earshot/mechanism/exact_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/mechanism/decision_tree.hpp"

namespace earshot {
namespace {

using Gaps = std::vector<std::uint64_t>;

template <class Sampler>
std::map<std::size_t, std::uint64_t> histogram(std::uint64_t seed, Sampler&& sampler) {
  Stream stream({seed, Purpose::kTest});
  std::map<std::size_t, std::uint64_t> counts;
  for (int i = 0; i < 100000; ++i) ++counts[sampler(stream)];
  return counts;
}

void expect_enumerated(const Enumeration<std::size_t>& found, const std::map<std::size_t, double>& expected) {
  EXPECT_LT(found.missing, 0.15);
  for (const auto& [i, p] : expected) {
    EXPECT_LE(found.probability.at(i), p + 1e-12);
    EXPECT_GE(found.probability.at(i) + found.missing, p - 1e-12);
  }
}

TEST(ExponentialChoice, HasItsProbabilities) {
  const Gaps gaps = {3, 0, 1, 7};
  std::map<std::size_t, double> expected;
  double sum = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i)
    sum += expected[i] = std::exp(-0.5 * static_cast<double>(gaps[i]));
  for (auto& [i, p] : expected) p /= sum;
  const ExactRatio rate{1, 2};
  EXPECT_LT(
      chi_square_excess(histogram(1, [&](Stream& s) { return exponential_choice(s, gaps, rate); }), expected),
      1);
  expect_enumerated(
      enumerate<std::size_t>(1e-6, [&](DecisionTree& tree) { return exponential_choice(tree, gaps, rate); }),
      expected);
}

/// Averages over all orders of visiting the candidates.
std::map<std::size_t, double> permute_and_flip_law(const Gaps& gaps, double rate) {
  std::vector<std::size_t> order(gaps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::map<std::size_t, double> law;
  double orders = 0;
  do {
    double reached = 1;
    for (const std::size_t i : order) {
      const double heads = std::exp(-rate * static_cast<double>(gaps[i]));
      law[i] += reached * heads;
      reached *= 1 - heads;
    }
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  for (auto& [i, p] : law) p /= orders;
  return law;
}

TEST(PermuteAndFlip, HasItsProbabilities) {
  const Gaps gaps = {2, 0, 1, 5};
  const auto expected = permute_and_flip_law(gaps, 0.5);
  const ExactRatio rate{1, 2};
  EXPECT_LT(
      chi_square_excess(histogram(2, [&](Stream& s) { return permute_and_flip(s, gaps, rate); }), expected),
      1);
  expect_enumerated(
      enumerate<std::size_t>(1e-6, [&](DecisionTree& tree) { return permute_and_flip(tree, gaps, rate); }),
      expected);
}

/// Scores that move by at most one step change every probability by at most e^epsilon, epsilon = 2 rate.
TEST(PermuteAndFlip, RatiosAreBounded) {
  Stream stream({3});
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<std::int64_t> scores(4), moved(4);
    for (std::size_t i = 0; i < 4; ++i) {
      scores[i] = static_cast<std::int64_t>(stream.below(6));
      moved[i] = scores[i] + static_cast<std::int64_t>(stream.below(3)) - 1;
    }
    const auto gaps = [](const std::vector<std::int64_t>& s) {
      Gaps result;
      for (const std::int64_t x : s) result.push_back(static_cast<std::uint64_t>(std::ranges::max(s) - x));
      return result;
    };
    const auto p = permute_and_flip_law(gaps(scores), 0.35);
    const auto q = permute_and_flip_law(gaps(moved), 0.35);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(std::abs(std::log(p.at(i) / q.at(i))), 0.7 + 1e-12);
  }
}

/// Index of the smallest gap + discrete Laplace noise, ties to the earlier index, summed over the noise.
std::map<std::size_t, double> noisy_smallest_law(const Gaps& gaps, double scale) {
  constexpr std::int64_t kReach = 80;
  const double norm = std::tanh(0.5 / scale);  // (1 - a) / (1 + a), a = exp(-1 / scale)
  const auto upper = [&](std::int64_t k) {     // P(noise >= k)
    const double a = std::exp(-1 / scale);
    return k > 0 ? std::pow(a, static_cast<double>(k)) / (1 + a)
                 : 1 - std::pow(a, 1.0 - static_cast<double>(k)) / (1 + a);
  };
  std::map<std::size_t, double> law;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    for (std::int64_t noise = -kReach; noise <= kReach; ++noise) {
      double p = norm * std::exp(-std::abs(static_cast<double>(noise)) / scale);
      const std::int64_t mine = static_cast<std::int64_t>(gaps[i]) + noise;
      for (std::size_t j = 0; j < gaps.size(); ++j) {
        if (j != i) p *= upper(mine - static_cast<std::int64_t>(gaps[j]) + (j < i ? 1 : 0));
      }
      law[i] += p;
    }
  }
  return law;
}

TEST(NoisySmallest, HasItsProbabilities) {
  const Gaps gaps = {2, 0, 0, 5};
  const auto expected = noisy_smallest_law(gaps, 2);
  const ExactRatio scale{2, 1};
  EXPECT_LT(
      chi_square_excess(histogram(4, [&](Stream& s) { return noisy_smallest(s, gaps, scale); }), expected),
      1);
}

/// Scores that move by at most one step change every probability by at most e^(2 / scale).
TEST(NoisySmallest, RatiosAreBounded) {
  Stream stream({5});
  for (int repetition = 0; repetition < 200; ++repetition) {
    Gaps gaps(4), moved(4);
    for (std::size_t i = 0; i < 4; ++i) {
      gaps[i] = 1 + stream.below(5);
      moved[i] = gaps[i] + stream.below(3) - 1;
    }
    const auto p = noisy_smallest_law(gaps, 3);
    const auto q = noisy_smallest_law(moved, 3);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(std::abs(std::log(p.at(i) / q.at(i))), 2.0 / 3 + 1e-9);
  }
}

TEST(ExactResponse, HasItsProbabilities) {
  const double weight = std::exp(-1.5);
  const double keep = 1 / (1 + 3 * weight);
  const std::map<std::size_t, double> expected = {
      {0, keep * weight}, {1, keep * weight}, {2, keep}, {3, keep * weight}};
  const ExactRatio epsilon{3, 2};
  EXPECT_LT(
      chi_square_excess(histogram(6, [&](Stream& s) { return exact_response(s, 2, 4, epsilon); }), expected),
      1);
  expect_enumerated(
      enumerate<std::size_t>(1e-6, [&](DecisionTree& tree) { return exact_response(tree, 2, 4, epsilon); }),
      expected);
}

}  // namespace
}  // namespace earshot
