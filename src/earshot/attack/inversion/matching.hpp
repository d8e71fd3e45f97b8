// How far a predicted gradient is from the observed one, and in which direction the distance grows.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "earshot/model/architecture.hpp"

namespace earshot {

enum class MatchingKind {
  kSquared,    // sum_i w_i (p_i - o_i)^2 (Zhu et al. 2019)
  kCosine,     // 1 - <p, o>_w / (|p|_w |o|_w) (Geiping et al. 2020): blind to a clipped length
  kGaussian,   // minus the log likelihood under Gaussian noise of deviation `scale`, constants aside
  kLaplace,    // the same under Laplace noise of that scale; smoothed within a thousandth of it
  kQuantised,  // sum_i w_i max(0, |p_i - o_i| - scale / 2)^2: nothing within the cell `scale` of a quantiser
};
inline constexpr std::array<std::string_view, 5> kMatchingNames{"squared", "cosine", "gaussian", "laplace",
                                                                "quantised"};

struct Matching {
  MatchingKind kind = MatchingKind::kSquared;
  double scale = 1;               // of the noise, or the cell of the quantiser
  std::vector<double> weights{};  // one per number; empty: all 1. 0 leaves a number out (pruned gradients)
};

/// Refuses a scale or weights that make no sense for a gradient of `size` numbers.
void require_valid(const Matching& matching, std::size_t size);

/// One weight per layer with parameters, in order, spread over its parameters.
std::vector<double> layer_weights(const Architecture& architecture, std::span<const double> by_layer);

/// The factor of a matching that is no more than one times the sum of squared differences, without weights.
std::optional<double> factor_of_squares(const Matching& matching);

/// The distance of a prediction from the observation; writes its derivative by the prediction.
template <class Real>
double compare(const Matching& matching, std::span<const Real> observed, std::span<const Real> predicted,
               std::span<Real> direction);

}  // namespace earshot
