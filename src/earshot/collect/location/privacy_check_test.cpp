#include "earshot/collect/location/privacy_check.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/distances.hpp"
#include "earshot/collect/location/test_places.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/mechanism/truncated_laplace.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The definition, term by term.
double slow_epsilon(const Channel& c, const Distances& d) {
  double worst = 0;
  for (std::size_t x = 0; x < c.inputs; ++x) {
    for (std::size_t z = 0; z < c.inputs; ++z) {
      for (std::size_t y = 0; y < c.outputs && x != z; ++y) {
        if (c(x, y) == 0 || std::isinf(d(x, z))) continue;
        const double loss = c(z, y) == 0 ? HUGE_VAL : std::log(c(x, y) / c(z, y));
        if (loss > 0) worst = std::max(worst, loss / d(x, z));
      }
    }
  }
  return worst;
}

ApproximateLevel slow_delta(const Channel& c, const Distances& d, double epsilon) {
  ApproximateLevel worst;
  for (std::size_t x = 0; x < c.inputs; ++x) {
    for (std::size_t z = 0; z < c.inputs; ++z) {
      double sum = 0;
      for (std::size_t y = 0; y < c.outputs; ++y) {
        const double term = std::max(0.0, std::exp(-epsilon * d(x, z)) * c(x, y) - c(z, y));
        worst.pointwise = std::max(worst.pointwise, term);
        sum += term;
      }
      worst.delta = std::max(worst.delta, sum);
    }
  }
  return worst;
}

TEST(PrivacyCheck, AgreesWithTheDefinitionOnRandomChannels) {
  Stream stream(StreamName{.seed = 21});
  for (const std::size_t inputs : {2U, 31U, 33U, 70U}) {
    for (const std::size_t outputs : {1U, 9U, 256U, 300U}) {
      const Channel channel = testing::random_channel(inputs, outputs, 0, stream);
      Distances metric = testing::scattered_metric(inputs, 3, stream);
      metric.value[1] *= 0.5;  // one way shorter than the other
      const PrivacyLevel level = metric_privacy(channel, metric);
      EXPECT_NEAR(level.epsilon, slow_epsilon(channel, metric), 1e-9 * level.epsilon);
      if (outputs > 1) {
        EXPECT_NEAR(level.epsilon,
                    std::log(channel(level.truth, level.report) / channel(level.alternative, level.report)) /
                        metric(level.truth, level.alternative),
                    1e-9 * level.epsilon);
      }
      const ApproximateLevel approximate = approximate_privacy(channel, metric, 0.3);
      const ApproximateLevel expected = slow_delta(channel, metric, 0.3);
      EXPECT_NEAR(approximate.delta, expected.delta, 1e-12);
      EXPECT_NEAR(approximate.pointwise, expected.pointwise, 1e-12);
      const PrivacyLevel local = local_privacy(channel);
      EXPECT_NEAR(local.epsilon, slow_epsilon(channel, discrete_metric(inputs)), 1e-9 * local.epsilon);
    }
  }
}

// The definition quantifies over sets of reports: here over every one of them.
TEST(PrivacyCheck, DeltaIsTheLeastThatHoldsForEverySet) {
  Stream stream(StreamName{.seed = 22});
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Channel channel = testing::random_channel(4, 6, 0.3, stream);
    const Distances metric = testing::scattered_metric(4, 2, stream);
    const double epsilon = 2 * stream.uniform();
    double least = 0;
    for (std::size_t x = 0; x < 4; ++x) {
      for (std::size_t z = 0; z < 4; ++z) {
        for (unsigned set = 0; set < 1U << 6; ++set) {
          double here = 0;
          double there = 0;
          for (std::size_t y = 0; y < 6; ++y) {
            if ((set >> y & 1U) == 0) continue;
            here += channel(x, y);
            there += channel(z, y);
          }
          least = std::max(least, here / std::exp(epsilon * metric(x, z)) - there);
        }
      }
    }
    EXPECT_NEAR(approximate_privacy(channel, metric, epsilon).delta, least, 1e-14);
  }
}

TEST(PrivacyCheck, DifferentSupportIsInfinite) {
  const Distances metric = testing::line_metric(2);
  const PrivacyLevel level = metric_privacy({2, 3, {0.5, 0.5, 0, 0.5, 0.4, 0.1}}, metric);
  EXPECT_EQ(level.epsilon, HUGE_VAL);
  EXPECT_EQ(level.truth, 1U);
  EXPECT_EQ(level.alternative, 0U);
  EXPECT_EQ(level.report, 2U);
  EXPECT_EQ(local_privacy({2, 3, {0.5, 0.5, 0, 0.5, 0.4, 0.1}}).report, 2U);
  // A report that never happens tells nothing.
  EXPECT_NEAR(metric_privacy({2, 3, {0.5, 0, 0.5, 0.25, 0, 0.75}}, metric).epsilon, std::log(2), 1e-12);
  // At distance 0 rows must be equal, infinitely far they may be anything.
  EXPECT_EQ(metric_privacy({2, 2, {0.5, 0.5, 0.4, 0.6}}, {2, 2, {0, 0, 0, 0}}).epsilon, HUGE_VAL);
  EXPECT_EQ(metric_privacy({2, 2, {1, 0, 0, 1}}, {2, 2, {0, HUGE_VAL, HUGE_VAL, 0}}).epsilon, 0);
}

TEST(PrivacyCheck, EqualRowsAndOneTruthAreFree) {
  EXPECT_EQ(metric_privacy({1, 2, {0.3, 0.7}}, {1, 1, {0}}).epsilon, 0);
  EXPECT_EQ(local_privacy({1, 2, {0.3, 0.7}}).epsilon, 0);
  EXPECT_EQ(metric_privacy({2, 2, {0.3, 0.7, 0.3, 0.7}}, testing::line_metric(2)).epsilon, 0);
  EXPECT_EQ(approximate_privacy({1, 2, {0.3, 0.7}}, {1, 1, {0}}, 0).delta, 0);
}

TEST(PrivacyCheck, TotalVariationAtEpsilonZero) {
  EXPECT_NEAR(approximate_privacy({2, 3, {0.5, 0.3, 0.2, 0.1, 0.3, 0.6}}, testing::line_metric(2), 0).delta,
              0.4, 1e-15);
}

// Sets of reports need more than single ones; values for the line of 60 places as computed independently.
TEST(PrivacyCheck, TruncatedLaplaceOnALine) {
  struct Case {
    double epsilon, radius, pointwise, sets;
  };
  const Distances line = testing::line_metric(60);
  for (const Case& each :
       {Case{0.5, 3, 0.0616, 0.0876}, Case{0.2, 5, 0.0781, 0.1730}, Case{0.2, 10, 0.0328, 0.0617},
        Case{1, 3, 0.0454, 0.0454}, Case{1, 10, 0.0439, 0.0439}, Case{2, 10, 0.0123, 0.0123}}) {
    const Channel channel = truncated_laplace_kernel(line, each.epsilon, each.radius);
    const ApproximateLevel level = approximate_privacy(channel, line, each.epsilon);
    EXPECT_NEAR(level.pointwise, each.pointwise, 5.1e-5);
    EXPECT_NEAR(level.delta, each.sets, 5.1e-5);
    const TruncatedLaplace mechanism(line.value, each.epsilon, each.radius, "steps");
    EXPECT_NEAR(level.delta, mechanism.delta(), 1e-7);
    EXPECT_EQ(metric_privacy(channel, line).epsilon, HUGE_VAL);
  }
}

/// Ten steps of Blahut-Arimoto from uniform, written down from the definition.
Channel blahut_arimoto(const std::vector<double>& prior, const Distances& d, double beta) {
  std::vector<double> marginal(prior.size(), 1.0 / static_cast<double>(prior.size()));
  Channel channel{d.inputs, d.outputs, std::vector<double>(d.value.size())};
  for (int step = 0; step < 10; ++step) {
    std::vector<double> next(marginal.size());
    for (std::size_t x = 0; x < d.inputs; ++x) {
      double sum = 0;
      for (std::size_t y = 0; y < d.outputs; ++y) sum += marginal[y] * std::exp(-beta * d(x, y));
      for (std::size_t y = 0; y < d.outputs; ++y) {
        channel.row(x)[y] = marginal[y] * std::exp(-beta * d(x, y)) / sum;
        next[y] += prior[x] * channel(x, y);
      }
    }
    marginal = next;
  }
  return channel;
}

// The epsilons that the published code measures on the Paris prior.
TEST(PrivacyCheck, MeasuresThePublishedEpsilons) {
  EARSHOT_NEEDS_DATASET("gowalla");
  const PlaceGrid grid = PlaceGrid::published(GowallaCity::kParis);
  const Distances metric = distances(grid, DistanceUnit::kCells);
  const std::vector<double> prior =
      published_tally(load_gowalla(GowallaCity::kParis, data_directory()), grid).prior();
  EXPECT_NEAR(metric_privacy(blahut_arimoto(prior, metric, 0.2), metric).epsilon, 0.39282, 5.1e-6);
  EXPECT_NEAR(metric_privacy(blahut_arimoto(prior, metric, 1.0), metric).epsilon, 1.92017, 5.1e-6);
  EXPECT_NEAR(metric_privacy(blahut_arimoto(prior, metric, 2.0), metric).epsilon, 3.94622, 5.1e-6);
}

TEST(PrivacyCheck, RefusesWhatIsNoChannel) {
  EXPECT_THAT(
      [] {
        check_channel({1, 2, {0.5, 0.6}});
      },
      ThrowsMessage<Error>(HasSubstr("row 0 of the channel sums to")));
  EXPECT_THAT([] { check_channel({1, 2, {-0.5, 1.5}}); }, ThrowsMessage<Error>(HasSubstr("no probability")));
  EXPECT_THAT(
      [] {
        check_channel({1, 2, {std::nan(""), 1}});
      },
      ThrowsMessage<Error>(HasSubstr("no probability")));
  EXPECT_THAT([] { check_channel({0, 2, {}}); }, ThrowsMessage<Error>(HasSubstr("at least one of each")));
  EXPECT_THAT(
      [] {
        metric_privacy({2, 1, {1, 1}}, testing::line_metric(3));
      },
      ThrowsMessage<Error>(HasSubstr("found 3 x 3")));
}

}  // namespace
}  // namespace earshot
