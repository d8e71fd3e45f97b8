#include "earshot/attack/inversion/layer_peeling.hpp"

#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kLeakySlope = 0.2;

Eigen::VectorXd to_eigen(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

void check_start(std::span<const ChainLayer> chain, std::size_t from, const DenseInput& known) {
  if (from >= chain.size()) {
    fail(Fault::kConfig, fmt::format("layer {} is not among the {} dense layers", from, chain.size()));
  }
  const PlacedLayer& start = chain[from].place;
  if (known.input.size() != start.in.size() || known.adjoint.size() != start.out.size()) {
    fail(Fault::kConfig,
         fmt::format("layer {} has {} inputs and {} outputs, but {} and {} numbers are given", start.name,
                     start.in.size(), start.out.size(), known.input.size(), known.adjoint.size()));
  }
}

}  // namespace

double slope_at_value(ActivationKind kind, double value) {
  switch (kind) {
    case ActivationKind::kSigmoid:
      return value * (1 - value);
    case ActivationKind::kTanh:
      return 1 - value * value;
    case ActivationKind::kRelu:
      return value > 0 ? 1 : 0;
    case ActivationKind::kSoftplus:
      return -std::expm1(-value);
    case ActivationKind::kElu:
      return value > 0 ? 1 : value + 1;
    case ActivationKind::kLeakyRelu:
      return value > 0 ? 1 : kLeakySlope;
    case ActivationKind::kGelu:
      break;
  }
  fail(Fault::kConfig, "the slope of GELU does not follow from its value");
}

std::vector<ChainLayer> dense_chain(const Architecture& architecture) {
  std::vector<ChainLayer> chain;
  std::optional<ActivationKind> activation;
  for (const PlacedLayer& placed : place(architecture)) {
    if (std::holds_alternative<Dropout>(*placed.layer)) continue;
    if (std::holds_alternative<Dense>(*placed.layer)) {
      chain.push_back({placed, std::exchange(activation, std::nullopt)});
      continue;
    }
    const auto* activate = std::get_if<Activate>(placed.layer);
    if (activate == nullptr || activate->kind == ActivationKind::kGelu || activation || chain.empty())
      return {};
    activation = activate->kind;
  }
  // Leaves of a parallel block look like a sequence, and a last activation hides the outputs.
  const bool parallel =
      std::any_of(architecture.layers.begin(), architecture.layers.end(),
                  [](const Layer& layer) { return std::holds_alternative<Parallel>(layer); });
  if (parallel || activation) return {};
  return chain;
}

std::optional<std::vector<double>> peel(std::span<const ChainLayer> chain, std::span<const double> parameters,
                                        std::span<const double> gradient, std::size_t from,
                                        const DenseInput& known) {
  check_start(chain, from, known);
  Eigen::VectorXd value = to_eigen(known.input);
  Eigen::VectorXd adjoint = to_eigen(known.adjoint);
  for (std::size_t layer = from; layer > 0; --layer) {
    adjoint = (dense_part(chain[layer].place, parameters).matrix().transpose() * adjoint).eval();
    if (const auto activation = chain[layer].activation) {
      adjoint.array() *= value.unaryExpr([&](double v) { return slope_at_value(*activation, v); }).array();
    }
    // Scaled first: the square of a small derivative would underflow.
    const double size = adjoint.lpNorm<Eigen::Infinity>();
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    const Eigen::VectorXd unit = adjoint / size;
    value = dense_part(chain[layer - 1].place, gradient).matrix().transpose() * unit /
            (unit.squaredNorm() * size);
  }
  if (!value.allFinite()) return std::nullopt;
  return std::vector<double>(value.begin(), value.end());
}

}  // namespace earshot
