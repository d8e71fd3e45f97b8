#include "earshot/attack/inversion/dense_inversion.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(DenseInversion, RecoversOneRecordThroughAnyNetwork) {
  for (const DenseFit fit : {DenseFit::kLargestBias, DenseFit::kRankOne}) {
    for_dense_victims([fit](const Victim& victim) {
      const DensePart part = *first_dense(victim.architecture, victim.gradient);
      const auto found = invert_dense(part, fit);
      ASSERT_TRUE(found);
      EXPECT_LT(relative_error(found->input, victim.inputs), 1e-12);
      EXPECT_LT(relative_error(found->adjoint, part.bias), 1e-12);
    });
  }
}

TEST(DenseInversion, RecoversOneRecordFromADifferenceOfGradients) {
  for (const ActivationKind activation : kAllActivations) {
    Victim victim(dense_network({9, 12, 5}, activation), 4);
    std::vector<double> elsewhere = victim.parameters;
    victim.stream.add_normal(elsewhere, 0.1);
    const auto there = victim.gradient_at(elsewhere);
    for (std::size_t i = 0; i < there.size(); ++i) victim.gradient[i] -= there[i];
    const auto found =
        invert_dense(*first_dense(victim.architecture, victim.gradient), DenseFit::kLargestBias);
    ASSERT_TRUE(found);
    EXPECT_LT(relative_error(found->input, victim.inputs), 1e-11);
  }
}

// To first order the error of x_i is normal with deviation sigma sqrt(1 + x_i^2) / |db_k| or, for the
// rank-one fit, / |db|. The mean of 2000 squared standardised errors is chi-square; it leaves [0.8, 1.2] with
// probability below 1e-8 (6.3 deviations).
TEST(DenseInversion, ErrsUnderNoiseAsTheorySays) {
  const Victim victim(dense_network({7, 5}, ActivationKind::kRelu), 8);
  const DensePart part = *first_dense(victim.architecture, victim.gradient);
  for (const double sigma : {1e-7, 1e-5}) {
    for (const DenseFit fit : {DenseFit::kLargestBias, DenseFit::kRankOne}) {
      const double strength = fit == DenseFit::kRankOne ? part.bias_vector().norm()
                                                        : part.bias_vector().lpNorm<Eigen::Infinity>();
      Stream noise({5, Purpose::kTest});
      double squares = 0;
      for (int draw = 0; draw < 2000; ++draw) {
        std::vector<double> noisy = victim.gradient;
        noise.add_normal(noisy, sigma);
        const auto found = invert_dense(*first_dense(victim.architecture, noisy), fit);
        const double x = victim.inputs[0];
        squares += std::pow((found->input[0] - x) * strength / (sigma * std::sqrt(1 + x * x)), 2);
      }
      EXPECT_THAT(squares / 2000, ::testing::AllOf(::testing::Gt(0.8), ::testing::Lt(1.2)));
    }
  }
}

/// Units of the first layer that exactly one record switches on, by record.
std::vector<std::vector<std::size_t>> exclusive_units(const Victim& victim) {
  std::vector<std::vector<std::size_t>> units(victim.batch);
  const DensePart layer = *first_dense(victim.architecture, victim.parameters);
  for (std::size_t h = 0; h < layer.outputs; ++h) {
    std::vector<std::size_t> active;
    for (std::size_t s = 0; s < victim.batch; ++s) {
      double z = layer.bias[h];
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        z += layer.weights[h * layer.inputs + i] * victim.inputs[s * layer.inputs + i];
      }
      if (z > 0) active.push_back(s);
    }
    if (active.size() == 1) units[active[0]].push_back(h);
  }
  return units;
}

TEST(DenseInversion, UnitsThatSeeOneRecordShowIt) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Victim victim(dense_network({20, 200, 5}, ActivationKind::kRelu), seed, 4);
    auto shown = revealed_records(*first_dense(victim.architecture, victim.gradient));
    const auto units = exclusive_units(victim);
    for (std::size_t s = 0; s < victim.batch; ++s) {
      const auto truth = std::span(victim.inputs).subspan(s * 20, 20);
      const auto match = std::find_if(shown.begin(), shown.end(), [&](const RevealedRecord& record) {
        return relative_error(record.input, truth) < 1e-9;
      });
      ASSERT_NE(match, shown.end());
      std::sort(match->rows.begin(), match->rows.end());
      EXPECT_EQ(match->rows, units[s]);
    }
  }
}

TEST(DenseInversion, MixturesAgreeOnNothing) {
  const Victim victim(dense_network({20, 100, 5}, ActivationKind::kTanh), 2, 4);  // every unit sees all
  for (const auto& record : revealed_records(*first_dense(victim.architecture, victim.gradient))) {
    EXPECT_EQ(record.rows.size(), 1U);
  }
}

/// Rows of records (1, 2) and (-3, 1), and of a mixture (5, 5) that agree by accident.
TEST(DenseInversion, RecordsAreWhatMostRowsAgreeOn) {
  const std::vector<std::vector<double>> kinds{{1, 2}, {-3, 1}, {5, 5}};
  const auto agreed = [&](const std::vector<std::size_t>& rows, std::size_t batch) {
    std::vector<double> weights, bias;
    for (std::size_t h = 0; h < rows.size(); ++h) {
      bias.push_back(0.5 + static_cast<double>(h));
      for (const double x : kinds[rows[h]]) weights.push_back(x * bias[h]);
    }
    return agreed_records({rows.size(), 2, weights, bias}, batch);
  };
  EXPECT_THAT(agreed({0, 1, 0, 2, 1, 2, 0, 1}, 2).value(), testing::ElementsAre(-3, 1, 1, 2));
  EXPECT_FALSE(agreed({0, 1, 0, 2, 1, 2}, 2));  // each by two rows: any of them may be a mixture
  EXPECT_FALSE(agreed({0, 1, 0}, 2));           // one row by itself
  EXPECT_FALSE(agreed({0, 0, 0}, 0));
}

// The first layer is dead for the second record, so its gradient does not depend on it.
TEST(DenseInversion, ARecordThatTheGradientDoesNotHoldChangesNothing) {
  Victim victim(dense_network({4, 30, 3}, ActivationKind::kRelu), 6, 2);
  std::vector<std::vector<RevealedRecord>> shown;
  const std::span<double> weights = std::span(victim.parameters).first(120);
  for (double& w : weights) w = std::abs(w);
  std::fill_n(victim.parameters.begin() + 120, 30, -0.1);
  std::fill_n(victim.inputs.begin(), 4, 2.0);
  for (const double value : {-1.0, -3.5}) {
    std::fill_n(victim.inputs.begin() + 4, 4, value);
    victim.observe();
    shown.push_back(revealed_records(*first_dense(victim.architecture, victim.gradient)));
  }
  ASSERT_EQ(shown[0].size(), 1U);
  ASSERT_EQ(shown[1].size(), 1U);
  EXPECT_EQ(shown[0][0].input, shown[1][0].input);
  EXPECT_EQ(shown[0][0].rows, shown[1][0].rows);
}

TEST(DenseInversion, FindsNothingInSilenceAndRefusesWrongSizes) {
  const std::vector<double> zeros(12, 0.0);
  std::vector<double> broken(12, 1.0);
  broken[5] = INFINITY;
  const auto part = [](const std::vector<double>& flat) {
    return DensePart{3, 3, std::span(flat).first(9), std::span(flat).subspan(9)};
  };
  for (const DenseFit fit : {DenseFit::kLargestBias, DenseFit::kRankOne}) {
    EXPECT_FALSE(invert_dense(part(zeros), fit));
    EXPECT_FALSE(invert_dense(part(broken), fit));
    EXPECT_FALSE(invert_dense({3, 3, std::span(zeros).first(9), {}}, fit));
    EXPECT_THROW(invert_dense({3, 4, std::span(zeros).first(9), {}}, fit), Error);
    EXPECT_THROW(invert_dense({3, 3, std::span(zeros).first(9), std::span(zeros).first(2)}, fit), Error);
  }
  EXPECT_TRUE(revealed_records(part(zeros)).empty());
  EXPECT_TRUE(revealed_records(part(broken)).empty());
}

}  // namespace
}  // namespace earshot
