// Exact choices among finitely many candidates, by rejection with Bernoulli(exp(-gamma)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "earshot/mechanism/exact_samplers.hpp"

namespace earshot {

/// Index i with probability proportional to exp(-rate * gap[i]); the smallest gap is 0. A candidate proposed
/// uniformly is kept with probability exp(-rate * gap): at most gap.size() proposals on average.
template <BitSource Source>
std::size_t exponential_choice(Source& source, std::span<const std::uint64_t> gaps, const ExactRatio& rate) {
  for (;;) {
    const std::size_t i = source.below(gaps.size());
    if (bernoulli_exp(source, times(gaps[i], rate))) return i;
  }
}

/// Permute-and-flip (McKenna & Sheldon 2020): visits the candidates in random order and takes the first one
/// whose coin of probability exp(-rate * gap) shows heads; the smallest gap is 0. The same distribution as
/// the largest score after adding independent exponential noise (Ding, Kifer, Steinke & Wang 2021).
template <BitSource Source>
std::size_t permute_and_flip(Source& source, std::span<const std::uint64_t> gaps, const ExactRatio& rate) {
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0;; ++i) {
    std::swap(order[i], order[i + source.below(order.size() - i)]);
    if (bernoulli_exp(source, times(gaps[order[i]], rate))) return order[i];
  }
}

/// Index of the smallest gap after adding independent discrete Laplace noise; ties go to the earlier index,
/// which no input influences.
template <BitSource Source>
std::size_t noisy_smallest(Source& source, std::span<const std::uint64_t> gaps, const ExactRatio& scale) {
  std::size_t best = 0;
  WideInteger least = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    // Shifted by 2^64 to stay non-negative: |noise| and gap are below 2^63.
    const WideInteger noised =
        (WideInteger{1} << 64) + gaps[i] + static_cast<WideInteger>(discrete_laplace(source, scale));
    if (i == 0 || noised < least) {
      best = i;
      least = noised;
    }
  }
  return best;
}

/// k-ary randomised response: `category` with probability proportional to 1, each other one with probability
/// proportional to exp(-epsilon). A category proposed uniformly is kept at once if it is the true one and
/// with probability exp(-epsilon) otherwise.
template <BitSource Source>
std::size_t exact_response(Source& source, std::size_t category, std::size_t categories,
                           const ExactRatio& epsilon) {
  for (;;) {
    const std::size_t proposed = source.below(categories);
    if (proposed == category || bernoulli_exp(source, epsilon)) return proposed;
  }
}

}  // namespace earshot
