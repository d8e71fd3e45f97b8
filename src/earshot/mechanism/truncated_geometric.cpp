#include "earshot/mechanism/truncated_geometric.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_samplers.hpp"
#include "earshot/mechanism/randomised_response.hpp"

namespace earshot {

TruncatedGeometric::TruncatedGeometric(std::size_t largest, double epsilon)
    : largest_(largest), epsilon_(require_positive(epsilon, "epsilon")) {
  if (largest < 1 || largest > (std::size_t{1} << 53))
    fail(Fault::kConfig, "the largest count must lie between 1 and 2^53");
  release_ = make_release(DiscreteLaplaceRelease{1 / epsilon, 1});
}

MechanismTerms TruncatedGeometric::terms() const {
  return {"change of the count",
          1,
          {},
          "one record",
          "add, remove or replace it: the count changes by at most 1"};
}

double TruncatedGeometric::probability(std::size_t output, std::size_t input) const {
  require_category(input, inputs());
  require_category(output, outputs());
  const auto distance = static_cast<double>(output > input ? output - input : input - output);
  const double alpha = std::exp(-epsilon_);
  const double tail = std::exp(-epsilon_ * distance) / (1 + alpha);
  return output == 0 || output == largest_ ? tail : -std::expm1(-epsilon_) * tail;
}

Released<std::size_t> TruncatedGeometric::simulate(std::size_t input, Stream& stream) const {
  require_category(input, inputs());
  // The difference of two geometric numbers.
  const double up = std::floor(stream.exponential() / epsilon_);
  const double down = std::floor(stream.exponential() / epsilon_);
  const double noised = static_cast<double>(input) + up - down;
  return {static_cast<std::size_t>(std::clamp(noised, 0.0, static_cast<double>(largest_))), release_};
}

Released<std::size_t> TruncatedGeometric::protect(std::size_t input, SecureRandom& random) const {
  require_category(input, inputs());
  const ExactRatio epsilon = exact_ratio(epsilon_);
  const std::int64_t noise = discrete_laplace(random, {epsilon.denominator, epsilon.numerator});
  const auto down = static_cast<std::int64_t>(input);
  const auto up = static_cast<std::int64_t>(largest_ - input);
  return {static_cast<std::size_t>(down + std::clamp(noise, -down, up)), release_};
}

}  // namespace earshot
