// Deliberately broken copies of the mechanisms: each must be caught at the default number of samples.
#include <cmath>
#include <numbers>

#include "earshot/accounting/gaussian_curve.hpp"
#include "earshot/audit/catalogue.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/laplace.hpp"
#include "earshot/mechanism/staircase.hpp"
#include "earshot/mechanism/truncated_laplace.hpp"

namespace earshot {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-3;
constexpr std::size_t kDimension = 2;

Audit stated(const char* name) {
  return make_audit(audit_component(name), {{"epsilon", kEpsilon}}, Operation::kSimulate);
}

/// What the audit of `name` finds when `box` runs in the mechanism's place.
AuditResult with_box(const char* name, BlackBox box) {
  Audit audit = stated(name);
  audit.box = std::move(box);
  return run_audit(audit, {});
}

/// The neighbours of the audits of vectors clipped to norm 1.
VectorNeighbours neighbours(Norm norm, std::size_t dimension = kDimension) {
  return opposite_outside_clip(norm, 1, dimension,
                               norm == Norm::kL1 ? Statistic::kL1 : Statistic::kProjection);
}

BlackBox box_of(const VectorRun& run, const VectorNeighbours& pair) {
  return vector_box(run, pair.inputs, pair.centres, pair.statistic);
}

void add_laplace(std::span<double> value, Stream& stream) {
  for (double& x : value) x += stream.laplace(2 / kEpsilon);
}

void add_gaussian(std::span<double> value, Stream& stream) {
  static const double deviation = 2 / gaussian_mu(kEpsilon, kDelta);
  for (double& x : value) x += deviation * stream.normal();
}

/// The copies below differ from this one in one defect each; this one is right.
TEST(BrokenCopies, TheUnbrokenCopyPasses) {
  EXPECT_TRUE(with_box("laplace", box_of(
                                      [](std::span<double> value, Stream& stream) {
                                        clip(Norm::kL1, 1, value);
                                        add_laplace(value, stream);
                                      },
                                      neighbours(Norm::kL1)))
                  .passed);
  EXPECT_TRUE(with_box("gaussian", box_of(
                                       [](std::span<double> value, Stream& stream) {
                                         clip(Norm::kL2, 1, value);
                                         add_gaussian(value, stream);
                                       },
                                       neighbours(Norm::kL2)))
                  .passed);
}

TEST(BrokenCopies, SensitivityWithoutTheFactorTwo) {
  // Replacing a clipped vector moves it by 2 clip, not by clip.
  const auto wrong_terms = [](Norm norm) {
    return clipped_terms(norm, 1, Adjacency::kAddRemove, "one vector");
  };
  const auto box = [](std::shared_ptr<const VectorMechanism> mechanism, const VectorNeighbours& pair) {
    return box_of(
        [mechanism](std::span<double> value, Stream& stream) { mechanism->simulate(value, stream); }, pair);
  };
  const auto laplace =
      std::make_shared<LaplaceMechanism>(LaplaceMechanism::calibrated(wrong_terms(Norm::kL1), kEpsilon));
  const auto gaussian = std::make_shared<GaussianMechanism>(
      GaussianMechanism::analytic(wrong_terms(Norm::kL2), kEpsilon, kDelta));
  const auto staircase = std::make_shared<StaircaseMechanism>(wrong_terms(Norm::kL1), kEpsilon);
  EXPECT_FALSE(with_box("laplace", box(laplace, neighbours(Norm::kL1))).passed);
  EXPECT_FALSE(with_box("gaussian", box(gaussian, neighbours(Norm::kL2))).passed);
  EXPECT_FALSE(with_box("staircase", box(staircase, neighbours(Norm::kL1, 1))).passed);
}

TEST(BrokenCopies, ClipsOneTooFar) {
  const auto too_far = [](Norm norm, auto noise) {
    return box_of(
        [norm, noise](std::span<double> value, Stream& stream) {
          clip(norm, 1 + 1, value);
          noise(value, stream);
        },
        neighbours(norm));
  };
  EXPECT_FALSE(with_box("laplace", too_far(Norm::kL1, add_laplace)).passed);
  EXPECT_FALSE(with_box("gaussian", too_far(Norm::kL2, add_gaussian)).passed);
}

TEST(BrokenCopies, ClipsAllButTheLastCoordinate) {
  const auto all_but_one = [](Norm norm, auto noise) {
    return box_of(
        [norm, noise](std::span<double> value, Stream& stream) {
          clip(norm, 1, value.first(value.size() - 1));
          noise(value, stream);
        },
        neighbours(norm));
  };
  EXPECT_FALSE(with_box("laplace", all_but_one(Norm::kL1, add_laplace)).passed);
  EXPECT_FALSE(with_box("gaussian", all_but_one(Norm::kL2, add_gaussian)).passed);
}

TEST(BrokenCopies, ClipsInTheWrongNorm) {
  // An L2 norm of 1 allows an L1 norm of sqrt(2) in two dimensions.
  EXPECT_FALSE(with_box("laplace", box_of(
                                       [](std::span<double> value, Stream& stream) {
                                         clip(Norm::kL2, 1, value);
                                         add_laplace(value, stream);
                                       },
                                       neighbours(Norm::kL1)))
                   .passed);
}

TEST(BrokenCopies, NoiseOnAllButTheLastCoordinate) {
  EXPECT_FALSE(with_box("laplace", box_of(
                                       [](std::span<double> value, Stream& stream) {
                                         clip(Norm::kL1, 1, value);
                                         add_laplace(value.first(value.size() - 1), stream);
                                       },
                                       neighbours(Norm::kL1)))
                   .passed);
}

TEST(BrokenCopies, NoiseThatDependsOnTheValue) {
  // Each scale alone would do; the scale tells which input it was (Sui 2026, chapter 4, on choosing it).
  EXPECT_FALSE(with_box("staircase", box_of(
                                         [](std::span<double> value, Stream& stream) {
                                           clip(Norm::kL1, 1, value);
                                           value[0] += stream.laplace(value[0] > 0 ? 20 : 2);
                                         },
                                         neighbours(Norm::kL1, 1)))
                   .passed);
}

TEST(BrokenCopies, RandomisedResponseWithAFairCoin) {
  // The truth with probability p = e^epsilon / (1 + e^epsilon), else a fair coin instead of the other answer,
  // as in the worked example of Sui (2026): ln((1 + p) / (1 - p)) = 1.862 at epsilon 1.
  const double p = std::exp(kEpsilon) / (1 + std::exp(kEpsilon));
  const AuditResult result =
      with_box("randomised_response", category_box([p](std::size_t input, Stream& stream) -> std::size_t {
                 return stream.uniform() < p ? input : stream.below(2);
               }));
  EXPECT_FALSE(result.passed);
  EXPECT_LE(result.bound.epsilon, std::log((1 + p) / (1 - p)));
  EXPECT_GE(result.bound.epsilon, 1.75);
}

TEST(BrokenCopies, ManyCategoriesKeptAsOftenAsTwo) {
  const double p = std::exp(kEpsilon) / (1 + std::exp(kEpsilon));
  EXPECT_FALSE(
      with_box("k_randomised_response", category_box([p](std::size_t input, Stream& stream) -> std::size_t {
                 if (stream.uniform() < p) return input;
                 return (input + 1 + stream.below(7)) % 8;
               }))
          .passed);
}

BlackBox unary_box(double keep_one, double raise_zero) {
  return bits_box([=](std::size_t input, Stream& stream) {
    std::vector<std::uint8_t> bits(4);
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits[i] = stream.uniform() < (i == input ? keep_one : raise_zero);
    return bits;
  });
}

TEST(BrokenCopies, UnaryBitsThatEachSpendTheWholeEpsilon) {
  const double keep = std::exp(kEpsilon) / (1 + std::exp(kEpsilon));
  EXPECT_FALSE(with_box("symmetric_unary_encoding", unary_box(keep, 1 - keep)).passed);
  EXPECT_FALSE(with_box("optimised_unary_encoding", unary_box(keep, 1 - keep)).passed);
  EXPECT_TRUE(with_box("optimised_unary_encoding", unary_box(0.5, 1 - keep)).passed);
}

/// Chooses among 20 candidates, as in the audits; candidate 0 rises by 1 and the others fall by 1.
template <class Noise>
BlackBox choice_box(Noise noise) {
  return category_box([noise](std::size_t input, Stream& stream) {
    std::size_t best = 0;
    double largest = -HUGE_VAL;
    const auto draw = noise(stream);
    for (std::size_t i = 0; i < 20; ++i) {
      const double noised = ((i == 0) == (input == 1) ? 1 : 0) + draw();
      if (noised > largest) {
        best = i;
        largest = noised;
      }
    }
    return best;
  });
}

TEST(BrokenCopies, SelectionWithoutTheFactorTwo) {
  // Noise for scores that can all only rise; here some fall.
  const auto laplace = [](Stream& s) { return [&s] { return s.laplace(1 / kEpsilon); }; };
  const auto exponential = [](Stream& s) { return [&s] { return s.exponential() / kEpsilon; }; };
  const auto gumbel = [](Stream& s) { return [&s] { return -std::log(s.exponential()) / kEpsilon; }; };
  EXPECT_FALSE(with_box("noisy_max_laplace", choice_box(laplace)).passed);
  EXPECT_FALSE(with_box("noisy_max", choice_box(exponential)).passed);
  EXPECT_FALSE(with_box("exponential", choice_box(gumbel)).passed);
}

TEST(BrokenCopies, SelectionWithOneNoiseForAll) {
  const auto shared = [](Stream& s) { return [z = s.laplace(2 / kEpsilon)] { return z; }; };
  EXPECT_FALSE(with_box("noisy_max_laplace", choice_box(shared)).passed);
}

TEST(BrokenCopies, PlanarNoiseOfExponentialLength) {
  // The length must be Gamma(2), not exponential: otherwise the noise piles up at the true place.
  const VectorPair places = {std::vector<double>{0, 0}, std::vector<double>{1, 0}};
  const auto box = [&](double shape) {
    return vector_box(
        [shape](std::span<double> value, Stream& stream) {
          double length = stream.exponential() / kEpsilon;
          if (shape == 2) length += stream.exponential() / kEpsilon;
          const double angle = 2 * std::numbers::pi * stream.uniform();
          value[0] += length * std::cos(angle);
          value[1] += length * std::sin(angle);
        },
        places, places, Statistic::kL2);
  };
  EXPECT_TRUE(with_box("planar_laplace", box(2)).passed);
  EXPECT_FALSE(with_box("planar_laplace", box(1)).passed);
  EXPECT_FALSE(with_box("euclidean_laplace", box(1)).passed);
}

TEST(BrokenCopies, DeltaOfSingleReportsOnly) {
  // The delta of Biswas (2024, Theorem 4.3) bounds the excess of every single report, not of sets of them:
  // from the middle of a line of 41 places 20 places are reported that its end never reports.
  constexpr std::size_t kPlaces = 41;
  std::vector<double> distances;
  for (std::size_t i = 0; i < kPlaces * kPlaces; ++i)
    distances.push_back(std::abs(static_cast<double>(i / kPlaces) - static_cast<double>(i % kPlaces)));
  const auto channel = std::make_shared<TruncatedLaplace>(distances, 0.05, 20, "one step");
  Audit audit = audit_categories(channel, {20, 0}, 20, Operation::kSimulate);
  EXPECT_TRUE(run_audit(audit, {}).passed);
  audit.claim.delta = std::exp(audit.claim.epsilon) * channel->delta_as_published();
  EXPECT_FALSE(run_audit(audit, {}).passed);
}

TEST(BrokenCopies, CountsThatMoveFurtherThanStated) {
  // A record that counts twice, and noise that never lowers the count.
  const auto geometric = [](Stream& s) { return std::floor(s.exponential() / kEpsilon); };
  const auto clamped = [](double count) { return static_cast<std::size_t>(std::clamp(count, 0.0, 10.0)); };
  EXPECT_FALSE(with_box("truncated_geometric", category_box([=](std::size_t input, Stream& s) {
                          return clamped(4 + 2 * static_cast<double>(input) + geometric(s) - geometric(s));
                        }))
                   .passed);
  EXPECT_FALSE(with_box("truncated_geometric", category_box([=](std::size_t input, Stream& s) {
                          return clamped(5 + static_cast<double>(input) + geometric(s));
                        }))
                   .passed);
}

TEST(BrokenCopies, AdaptiveClipThatCountsInWholes) {
  // Sensitivity 1/2 needs contributions counted as +1/2 and -1/2.
  const double deviation = 0.5 / gaussian_mu(kEpsilon, kDelta);
  const auto count_box = [deviation](double weight) {
    return BlackBox{Observation::kScore, [=](std::size_t input, Stream& s) {
                      return weight * static_cast<double>(input) + deviation * s.normal();
                    }};
  };
  EXPECT_TRUE(with_box("adaptive_clip", count_box(0.5)).passed);
  EXPECT_FALSE(with_box("adaptive_clip", count_box(1)).passed);
}

TEST(BrokenCopies, WhatAnAuditCannotSee) {
  // A defect in one run of ten million: two hundred thousand samples do not meet it.
  EXPECT_TRUE(with_box("randomised_response", category_box([](std::size_t input, Stream& s) -> std::size_t {
                         if (s.uniform() < 1e-7) return 2 + input;
                         return s.uniform() < 1 / (1 + std::exp(-kEpsilon)) ? input : 1 - input;
                       }))
                  .passed);
  // A defect for inputs that are not tried: a secret value that is never protected.
  EXPECT_TRUE(with_box("laplace", box_of(
                                      [](std::span<double> value, Stream& stream) {
                                        if (value[0] == 3.14) return;
                                        clip(Norm::kL1, 1, value);
                                        add_laplace(value, stream);
                                      },
                                      neighbours(Norm::kL1)))
                  .passed);
}

}  // namespace
}  // namespace earshot
