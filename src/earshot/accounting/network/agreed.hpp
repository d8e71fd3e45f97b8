// A decision modulo a prime counts only when two primes make it.
#pragma once

#include <algorithm>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {

inline constexpr std::size_t kAgreeingPrimes = 2;

/// `analyse(i)` decides modulo the i-th audit prime. The first two run side by side; if they differ, further
/// primes are asked until two agree.
template <class Result, class Analyse>
Result agreed_modulo_primes(const Analyse& analyse) {
  constexpr std::size_t kMostPrimes = 8;
  std::vector<Result> seen(kAgreeingPrimes);
  parallel_for(seen.size(), [&](std::size_t i) { seen[i] = analyse(i); });
  if (seen[0] == seen[1]) return std::move(seen[0]);
  for (std::size_t i = seen.size(); i < kMostPrimes; ++i) {
    Result found = analyse(i);
    if (std::find(seen.begin(), seen.end(), found) != seen.end()) return found;
    seen.push_back(std::move(found));
  }
  fail(Fault::kNumeric, "no two primes agree on what the coalition knows; the weights may be adversarial");
}

}  // namespace earshot
