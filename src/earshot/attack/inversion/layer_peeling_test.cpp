#include "earshot/attack/inversion/layer_peeling.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/attack/inversion/weight_only.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

double activated(ActivationKind kind, double u) {
  switch (kind) {
    case ActivationKind::kSigmoid:
      return 1 / (1 + std::exp(-u));
    case ActivationKind::kTanh:
      return std::tanh(u);
    case ActivationKind::kRelu:
      return std::max(u, 0.0);
    case ActivationKind::kSoftplus:
      return std::log1p(std::exp(u));
    case ActivationKind::kElu:
      return u > 0 ? u : std::expm1(u);
    default:
      return u > 0 ? u : 0.2 * u;
  }
}

TEST(LayerPeeling, SlopesFollowFromValues) {
  for (const ActivationKind kind : kAllActivations) {
    if (kind == ActivationKind::kGelu) continue;
    for (const double u : {-2.5, -0.3, 0.2, 1.7}) {
      const double slope = (activated(kind, u + 1e-6) - activated(kind, u - 1e-6)) / 2e-6;
      EXPECT_NEAR(slope_at_value(kind, activated(kind, u)), slope, 1e-8);
    }
  }
  EXPECT_THROW(slope_at_value(ActivationKind::kGelu, 1), Error);
}

std::optional<std::vector<double>> peel_from(const Victim& victim, std::size_t from) {
  const auto chain = dense_chain(victim.architecture);
  const auto known = invert_dense(dense_part(chain[from].place, victim.gradient), DenseFit::kLargestBias);
  if (!known) return std::nullopt;
  return peel(chain, victim.parameters, victim.gradient, from, *known);
}

TEST(LayerPeeling, RecoversOneRecordFromEveryLayerOfDeepNetworks) {
  for (const ActivationKind kind : kAllActivations) {
    if (kind == ActivationKind::kGelu) continue;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Victim victim(dense_network({6, 20, 18, 16, 5}, kind), seed);
      for (std::size_t from = 0; from < 4; ++from) {
        const auto found = peel_from(victim, from);
        ASSERT_TRUE(found);
        EXPECT_LT(relative_error(*found, victim.inputs), 1e-10);
      }
    }
  }
}

// No bias anywhere: the last layer's weights, then peeling. It fails exactly when the first layer's gradient
// is zero (a dead layer), when nothing of the record is in the gradient.
TEST(LayerPeeling, RecoversRandomDeepReluNetworksFromWeightsOnlyUnlessALayerIsDead) {
  std::size_t recovered = 0;
  std::size_t dead = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Victim victim(dense_network({6, 8, 7, 5}, ActivationKind::kRelu, false), seed);
    const auto chain = dense_chain(victim.architecture);
    const bool silent =
        std::all_of(victim.gradient.begin(), victim.gradient.begin() + 48, [](double g) { return g == 0; });
    double nearest = INFINITY;
    for (const auto& known :
         weight_only_inputs(dense_part(chain[2].place, victim.parameters),
                            dense_part(chain[2].place, victim.gradient), LossKind::kSoftmaxCrossEntropy)) {
      if (const auto found = peel(chain, victim.parameters, victim.gradient, 2, known)) {
        nearest = std::min(nearest, relative_error(*found, victim.inputs));
      }
    }
    if (silent) {
      EXPECT_EQ(nearest, INFINITY);
      ++dead;
    } else {
      EXPECT_LT(nearest, 1e-9) << seed;
      recovered += nearest < 1e-9 ? 1 : 0;
    }
  }
  EXPECT_EQ(recovered + dead, 1000U);
  EXPECT_GT(recovered, 900U);
}

TEST(LayerPeeling, KnowsWhichNetworksAreChains) {
  Architecture a = dense_network({6, 8, 7, 5}, ActivationKind::kRelu);
  EXPECT_EQ(dense_chain(a).size(), 3U);
  a.layers.insert(a.layers.begin() + 2, Dropout{0.5});
  EXPECT_EQ(dense_chain(a).size(), 3U);
  EXPECT_EQ(dense_chain(a)[1].activation, ActivationKind::kRelu);
  Architecture twice = a;
  twice.layers.insert(twice.layers.begin() + 1, Activate{ActivationKind::kTanh});
  EXPECT_TRUE(dense_chain(twice).empty());
  Architecture parallel = a;
  parallel.layers.insert(parallel.layers.begin(), Parallel{Join::kAdd, {{Dense{6}}, {}}});
  EXPECT_TRUE(dense_chain(parallel).empty());
  Architecture activated_first = a;
  activated_first.layers.insert(activated_first.layers.begin(), Activate{ActivationKind::kTanh});
  EXPECT_TRUE(dense_chain(activated_first).empty());
  Architecture activated_last = a;
  activated_last.layers.push_back(Activate{ActivationKind::kTanh});
  EXPECT_TRUE(dense_chain(activated_last).empty());
  const Architecture gelu = dense_network({6, 8, 5}, ActivationKind::kGelu);
  EXPECT_TRUE(dense_chain(gelu).empty());
}

TEST(LayerPeeling, StopsAtADeadLayerAndRefusesAStartThatDoesNotFit) {
  Victim victim(dense_network({6, 8, 7, 5}, ActivationKind::kRelu), 3);
  std::fill_n(victim.parameters.begin() + 48, 8, -100.0);  // the biases of the first layer
  victim.observe();
  EXPECT_FALSE(peel_from(victim, 2));
  const auto chain = dense_chain(victim.architecture);
  const DenseInput wrong{std::vector<double>(3), std::vector<double>(5)};
  EXPECT_THROW(peel(chain, victim.parameters, victim.gradient, 2, wrong), Error);
  EXPECT_THROW(peel(chain, victim.parameters, victim.gradient, 3, wrong), Error);
}

}  // namespace
}  // namespace earshot
