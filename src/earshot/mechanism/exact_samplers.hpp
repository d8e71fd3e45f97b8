// Exact discrete samplers: integer arithmetic only, so every probability is the one on paper. Templates on
// the source of bits, so that the same code protects (SecureRandom) and is tested at fixed seeds (Stream).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot {

__extension__ using WideInteger = unsigned __int128;

/// A non-negative rational number; the denominator is not 0.
struct ExactRatio {
  WideInteger numerator = 0;
  WideInteger denominator = 1;
};

/// The rational number that a double is. Refuses what is negative, not finite, 2^32 or more, or positive but
/// below 2^-32, where noise would not fit 63 bits.
ExactRatio exact_ratio(double value);
/// Products and sums fail, as an internal error, instead of wrapping around.
WideInteger checked_product(WideInteger a, WideInteger b);
WideInteger checked_sum(WideInteger a, WideInteger b);
/// count * ratio.
ExactRatio times(std::uint64_t count, const ExactRatio& ratio);
/// A magnitude and a sign as a number that fits 63 bits.
std::int64_t signed_integer(bool negative, WideInteger magnitude);

template <class Source>
concept BitSource = requires(Source& source) {
  { source.bits() } -> std::same_as<std::uint64_t>;
  { source.below(std::uint64_t{1}) } -> std::same_as<std::uint64_t>;
};

/// Uniform on {0, ..., bound-1}; bound > 0.
template <BitSource Source>
WideInteger uniform_below(Source& source, WideInteger bound) {
  if ((bound >> 64) == 0) return source.below(static_cast<std::uint64_t>(bound));
  const auto high_bound = static_cast<std::uint64_t>((bound - 1) >> 64);
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(high_bound | 1U);
  for (;;) {
    const WideInteger high = source.bits() & mask;
    const WideInteger drawn = (high << 64) | source.bits();
    if (drawn < bound) return drawn;
  }
}

template <BitSource Source>
bool fair_coin(Source& source) {
  return (source.bits() >> 63) != 0;
}

/// True with probability p <= 1.
template <BitSource Source>
bool bernoulli(Source& source, const ExactRatio& p) {
  return uniform_below(source, p.denominator) < p.numerator;
}

/// True with probability exp(-gamma), 0 <= gamma <= 1, where `coin()` is true with probability gamma
/// (Canonne, Kamath & Steinke 2020, Algorithm 1; Bernoulli(gamma / k) is drawn as the product of
/// Bernoulli(gamma) and Bernoulli(1 / k), so that no denominator grows).
template <BitSource Source, class Coin>
bool bernoulli_exp_of_coin(Source& source, Coin&& coin) {
  std::uint64_t k = 1;
  while (coin() && (k == 1 || source.below(k) == 0)) ++k;
  return k % 2 == 1;
}

/// True with probability exp(-gamma), any rational gamma >= 0.
template <BitSource Source>
bool bernoulli_exp(Source& source, const ExactRatio& gamma) {
  const WideInteger whole = gamma.numerator / gamma.denominator;
  for (WideInteger i = 0; i < whole; ++i) {
    if (!bernoulli_exp_of_coin(source, [] { return true; })) return false;
  }
  const ExactRatio rest{gamma.numerator % gamma.denominator, gamma.denominator};
  return bernoulli_exp_of_coin(source, [&] { return bernoulli(source, rest); });
}

/// True with probability exp(-(gamma^2) / 2), any rational gamma >= 0. With gamma = a + r it is
/// exp(-a^2 / 2) exp(-a r) exp(-r^2 / 2), so that no square of a large number is ever formed.
template <BitSource Source>
bool bernoulli_exp_half_square(Source& source, const ExactRatio& gamma) {
  const WideInteger whole = gamma.numerator / gamma.denominator;
  const ExactRatio rest{gamma.numerator % gamma.denominator, gamma.denominator};
  const auto unit_exponent = [&] { return bernoulli(source, rest); };
  for (WideInteger i = 0; i < whole; ++i) {
    for (WideInteger j = 0; j < whole; ++j) {
      if (!bernoulli_exp_of_coin(source, [&] { return fair_coin(source); })) return false;
    }
    if (!bernoulli_exp_of_coin(source, unit_exponent)) return false;
  }
  return bernoulli_exp_of_coin(source,
                               [&] { return unit_exponent() && unit_exponent() && fair_coin(source); });
}

/// True with probability exp(-gamma) / (1 + exp(-gamma)).
template <BitSource Source>
bool bernoulli_logistic(Source& source, const ExactRatio& gamma) {
  for (;;) {
    if (fair_coin(source)) return false;
    if (bernoulli_exp(source, gamma)) return true;
  }
}

/// P(k) = (1 - exp(-gamma)) exp(-gamma k), k = 0, 1, ...; gamma = s / t > 0. First x with rate 1 / t, as a
/// remainder modulo t and a number of periods, then floor(x / s), so that the cost does not grow as gamma
/// shrinks (Canonne, Kamath & Steinke 2020, Algorithm 2).
template <BitSource Source>
WideInteger geometric(Source& source, const ExactRatio& gamma) {
  const WideInteger t = gamma.denominator;
  for (;;) {
    const WideInteger remainder = uniform_below(source, t);
    if (!bernoulli_exp(source, {remainder, t})) continue;
    WideInteger periods = 0;
    while (bernoulli_exp(source, {1, 1})) ++periods;
    return checked_sum(remainder, checked_product(t, periods)) / gamma.numerator;
  }
}

/// P(k) proportional to exp(-|k| / scale) on the integers (the same, Algorithm 2): a sign and a geometric
/// number, without counting 0 twice.
template <BitSource Source>
std::int64_t discrete_laplace(Source& source, const ExactRatio& scale) {
  for (;;) {
    const WideInteger magnitude = geometric(source, {scale.denominator, scale.numerator});
    const bool negative = fair_coin(source);
    if (!negative || magnitude != 0) return signed_integer(negative, magnitude);
  }
}

/// P(k) proportional to exp(-k^2 / (2 sigma^2)) on the integers (Canonne, Kamath & Steinke 2020, Algorithm
/// 3). With sigma = a / b and t = floor(sigma) + 1 a draw y of the discrete Laplace is kept with probability
/// exp(-gamma^2 / 2), gamma = |y| / sigma - sigma / t = | |y| b^2 t - a^2 | / (a b t).
template <BitSource Source>
std::int64_t discrete_gaussian(Source& source, const ExactRatio& sigma) {
  const WideInteger a = sigma.numerator;
  const WideInteger b = sigma.denominator;
  const WideInteger t = a / b + 1;
  const WideInteger b_squared_t = checked_product(checked_product(b, b), t);
  const WideInteger a_squared = checked_product(a, a);
  const WideInteger denominator = checked_product(checked_product(a, b), t);
  for (;;) {
    const std::int64_t y = discrete_laplace(source, {t, 1});
    const WideInteger scaled = checked_product(static_cast<WideInteger>(y < 0 ? -y : y), b_squared_t);
    const WideInteger distance = scaled > a_squared ? scaled - a_squared : a_squared - scaled;
    if (bernoulli_exp_half_square(source, {distance, denominator})) return y;
  }
}

/// The discrete staircase (Geng & Viswanath 2014, section VI): with |k| = g period + r the probability of k
/// is proportional to exp(-epsilon g) for r < tread and to exp(-epsilon (g + 1)) for the other r. Moving by
/// up to `period` changes it by at most a factor exp(epsilon). 1 <= tread <= period.
template <BitSource Source>
std::int64_t discrete_staircase(Source& source, const ExactRatio& epsilon, std::uint64_t period,
                                std::uint64_t tread) {
  for (;;) {
    const WideInteger stair = geometric(source, epsilon);
    const std::uint64_t r = source.below(period);
    if (r >= tread && !bernoulli_exp(source, epsilon)) continue;
    const WideInteger magnitude = checked_sum(checked_product(stair, period), r);
    const bool negative = fair_coin(source);
    if (!negative || magnitude != 0) return signed_integer(negative, magnitude);
  }
}

/// Smallest integer whose square is at least `square`.
std::uint64_t ceil_square_root(WideInteger square);
/// Squared Euclidean norm.
WideInteger squared_norm(std::span<const std::int64_t> point);

/// P(z) proportional to exp(-ceil(|z|_2) / scale) on the lattice Z^n. Rounding the norm up keeps it a metric,
/// ceil(a + b) <= ceil(a) + ceil(b), and keeps every probability free of square roots. Rejection from
/// independent discrete Laplace numbers of scale T >= sqrt(n) scale: |z|_1 <= sqrt(n) |z|_2, so that
/// ceil(|z|_2) / scale - |z|_1 / T >= 0, and a proposal is kept with exactly the exponential of its negative.
/// One proposal in c(n) is kept; c grows exponentially: 1.3 for n = 2, 11 for 10, 40 for 15.
template <BitSource Source>
std::vector<std::int64_t> lattice_laplace(Source& source, std::uint64_t scale, std::size_t dimension) {
  const WideInteger square = checked_product(checked_product(scale, scale), dimension);
  const std::uint64_t proposal_scale = ceil_square_root(square);
  std::vector<std::int64_t> point(dimension);
  for (;;) {
    WideInteger manhattan = 0;
    for (std::int64_t& z : point) {
      z = discrete_laplace(source, {proposal_scale, 1});
      manhattan += static_cast<std::uint64_t>(z < 0 ? -z : z);
    }
    const WideInteger target = checked_product(ceil_square_root(squared_norm(point)), proposal_scale);
    const ExactRatio excess{target - checked_product(manhattan, scale),
                            checked_product(scale, proposal_scale)};
    if (bernoulli_exp(source, excess)) return point;
  }
}

}  // namespace earshot
