#include "earshot/audit/boxes.hpp"

#include <cmath>
#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Bits that a category, kept as a double, can hold.
constexpr std::size_t kMostBits = 52;

double manhattan(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(x[i] - y[i]);
  return sum;
}

double euclidean(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

double projection(std::span<const double> released, const VectorPair& centres) {
  double sum = 0;
  for (std::size_t i = 0; i < released.size(); ++i) sum += released[i] * (centres[1][i] - centres[0][i]);
  return sum;
}

double binary_number(std::span<const std::uint8_t> bits) {
  if (bits.size() > kMostBits) fail(Fault::kConfig, "an audit tells at most 52 bits apart");
  double number = 0;
  for (const std::uint8_t bit : bits) number = 2 * number + (bit != 0 ? 1 : 0);
  return number;
}

}  // namespace

double score(Statistic statistic, std::span<const double> released, const VectorPair& centres) {
  if (statistic == Statistic::kProjection) return projection(released, centres);
  const auto distance = statistic == Statistic::kL1 ? manhattan : euclidean;
  return distance(released, centres[0]) - distance(released, centres[1]);
}

BlackBox vector_box(VectorRun run, VectorPair inputs, VectorPair centres, Statistic statistic) {
  const std::size_t dimension = inputs[0].size();
  if (inputs[1].size() != dimension || centres[0].size() != dimension || centres[1].size() != dimension)
    fail(Fault::kInternal, "neighbouring vectors of different dimensions");
  return {Observation::kScore, [run = std::move(run), inputs = std::move(inputs),
                                centres = std::move(centres), statistic](std::size_t input, Stream& stream) {
            std::vector<double> value = inputs[input];
            run(value, stream);
            return score(statistic, value, centres);
          }};
}

BlackBox category_box(CategoryRun run) {
  return {Observation::kCategory, [run = std::move(run)](std::size_t input, Stream& stream) {
            return static_cast<double>(run(input, stream));
          }};
}

BlackBox bits_box(BitsRun run) {
  return {Observation::kCategory, [run = std::move(run)](std::size_t input, Stream& stream) {
            return binary_number(run(input, stream));
          }};
}

}  // namespace earshot
