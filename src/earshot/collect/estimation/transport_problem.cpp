#include "earshot/collect/estimation/transport_problem.hpp"

#include <algorithm>
#include <limits>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {

void check_transport(std::span<const double> from, std::span<const double> to, const Distances& distances) {
  check_distribution(from, distances.inputs, "the distribution to carry from");
  check_distribution(to, distances.outputs, "the distribution to carry to");
  if (distances.value.size() != distances.inputs * distances.outputs || !all_finite(distances.value) ||
      std::ranges::any_of(distances.value, [](double d) { return d < 0; }))
    fail(Fault::kData, "distances need one finite number of at least 0 for every pair of places");
}

double transport_lower_bound(const TransportProblem& problem, std::span<const double> sink_prices) {
  double value = 0;
  std::vector<double> source_prices(problem.from.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < problem.from.size(); ++i) {
    for (std::size_t j = 0; j < problem.to.size(); ++j)
      source_prices[i] = std::min(source_prices[i], problem.distance(i, j) - sink_prices[j]);
    value += problem.from[i] * source_prices[i];
  }
  for (std::size_t j = 0; j < problem.to.size(); ++j) {
    double price = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < problem.from.size(); ++i)
      price = std::min(price, problem.distance(i, j) - source_prices[i]);
    value += problem.to[j] * price;
  }
  return value;
}

}  // namespace earshot
