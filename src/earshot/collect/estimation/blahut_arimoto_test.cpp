#include "earshot/collect/estimation/blahut_arimoto.hpp"

#include <Eigen/Eigenvalues>

#include <gmock/gmock.h>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/estimation/test_mixtures.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/collect/location/distances.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::earshot::testing::grid_metric;
using ::earshot::testing::largest_difference;
using ::earshot::testing::random_distribution;
using ::earshot::testing::through;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Equations (3.2) and (3.3) as they are printed: the channel of the last iteration.
Channel naive_channel(std::span<const double> prior, const Distances& d, double beta,
                      std::size_t iterations) {
  std::vector<double> c(d.outputs, 1.0 / static_cast<double>(d.outputs));
  Channel channel{d.inputs, d.outputs, std::vector<double>(d.value.size())};
  for (std::size_t t = 0; t < iterations; ++t) {
    for (std::size_t x = 0; x < d.inputs; ++x) {
      double z = 0;
      for (std::size_t y = 0; y < d.outputs; ++y) z += c[y] * std::exp(-beta * d(x, y));
      for (std::size_t y = 0; y < d.outputs; ++y) channel.row(x)[y] = c[y] * std::exp(-beta * d(x, y)) / z;
    }
    c = through(prior, channel);
  }
  return channel;
}

double metric_epsilon(const Channel& channel, const Distances& metric) {
  return metric_privacy(channel, metric).epsilon;
}

TEST(BlahutArimoto, IsWhatTheEquationsSay) {
  Stream stream({1, Purpose::kTest});
  const Distances d = grid_metric(4, 5);
  const std::vector<double> prior = random_distribution(20, stream, 0.3);
  const BlahutArimoto mechanism(d, 0.7);
  for (const std::size_t t : {1U, 2U, 7U}) {
    const BlahutArimotoRun run = mechanism.run(prior, {.iterations = t});
    const Channel expected = naive_channel(prior, d, 0.7, t);
    EXPECT_EQ(run.iterations, t);
    EXPECT_LT(largest_difference(mechanism.channel(run.shape).probability, expected.probability), 1e-14);
    EXPECT_LT(largest_difference(run.marginal, through(prior, expected)), 1e-14);
  }
}

TEST(BlahutArimoto, TheObjectiveFallsAndItsGapIsTrue) {
  Stream stream({2, Purpose::kTest});
  const Distances d = grid_metric(3, 4);
  for (int repetition = 0; repetition < 5; ++repetition) {
    const std::vector<double> prior = random_distribution(12, stream);
    const BlahutArimoto mechanism(d, 0.5 + repetition);
    const double minimum = mechanism.run(prior, {.iterations = 200'000, .precision = 1e-9}).objective;
    double before = HUGE_VAL;
    for (std::size_t t = 1; t <= 40; ++t) {
      const BlahutArimotoRun run = mechanism.run(prior, {.iterations = t});
      EXPECT_LE(run.objective, before + 1e-14);
      EXPECT_LE(run.objective - run.gap, minimum + 1e-9);
      // The variational Lagrangian bounds I + beta E[d] of the channel from above.
      const Channel channel = mechanism.channel(run.shape);
      EXPECT_GE(run.objective + 1e-12, mutual_information(prior, channel) +
                                           (0.5 + repetition) * average_distortion(prior, channel, d));
      before = run.objective;
    }
  }
}

TEST(BlahutArimoto, AtTheFixedPointReportsFollowTheCrowd) {
  // C_xy Z_x e^(beta d(x,y)) is the same for all x and equals the marginal (Theorem 3.1): the elastic law.
  Stream stream({3, Purpose::kTest});
  const Distances d = grid_metric(3, 4);
  const std::vector<double> prior = random_distribution(12, stream);
  const double beta = 1.5;
  const BlahutArimoto mechanism(d, beta);
  const BlahutArimotoRun run = mechanism.run(prior, {.iterations = 1'000'000, .precision = 1e-13});
  EXPECT_LE(run.gap, 1e-13);
  const Channel channel = mechanism.channel(run.shape);
  const std::vector<double> marginal = through(prior, channel);
  for (std::size_t x = 0; x < 12; ++x) {
    double z = 0;
    for (std::size_t y = 0; y < 12; ++y) z += marginal[y] * std::exp(-beta * d(x, y));
    for (std::size_t y = 0; y < 12; ++y)
      EXPECT_NEAR(channel(x, y) * z * std::exp(beta * d(x, y)), marginal[y], 1e-9);
  }
}

TEST(BlahutArimoto, EveryIterateIsTwoBetaPrivate) {
  Stream stream({4, Purpose::kTest});
  const Distances d = grid_metric(3, 5);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::vector<double> prior = random_distribution(15, stream, 0.4);
    const double beta = 3 * stream.uniform();
    const BlahutArimoto mechanism(d, beta);
    for (const std::size_t t : {1U, 2U, 3U, 10U, 300U})
      EXPECT_LE(metric_epsilon(mechanism.channel(mechanism.run(prior, {.iterations = t}).shape), d),
                2 * beta * (1 + 1e-12));
  }
}

double binary_entropy(double p) {
  return -p * std::log(p) - (1 - p) * std::log(1 - p);
}

TEST(BlahutArimoto, FindsTheRateDistortionCurveOfABinarySource) {
  // R(D) = h(p) - h(D) at the slope beta = ln((1 - D) / D), for D < p (Cover & Thomas 2006, Theorem 10.3.1).
  const Distances hamming{2, 2, {0, 1, 1, 0}};
  for (const double p : {0.5, 0.3}) {
    const std::vector<double> prior{p, 1 - p};
    for (const double distortion : {0.05, 0.1, 0.25}) {
      const BlahutArimoto mechanism(hamming, std::log((1 - distortion) / distortion));
      const Channel channel =
          mechanism.channel(mechanism.run(prior, {.iterations = 100'000, .precision = 1e-14}).shape);
      EXPECT_NEAR(average_distortion(prior, channel, hamming), distortion, 1e-6);
      EXPECT_NEAR(mutual_information(prior, channel), binary_entropy(p) - binary_entropy(distortion), 1e-6);
    }
  }
}

TEST(BlahutArimoto, TightEpsilonsOfBothCities) {
  // Ten iterations on the true prior; the publishers' scripts print these for beta = 0.2, 1 and 2.
  EARSHOT_NEEDS_DATASET("gowalla");
  const std::pair<GowallaCity, std::vector<double>> published[] = {
      {GowallaCity::kParis, {0.39282, 1.92017, 3.94622}},
      {GowallaCity::kSanFrancisco, {0.39866, 1.98164, 3.98658}}};
  for (const auto& [city, epsilons] : published) {
    const PlaceGrid grid = PlaceGrid::published(city);
    const std::vector<double> prior = published_tally(load_gowalla(city, data_directory()), grid).prior();
    const Distances d = distances(grid, DistanceUnit::kCells);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      const BlahutArimoto mechanism(d, std::vector<double>{0.2, 1, 2}[i]);
      EXPECT_NEAR(metric_epsilon(mechanism.channel(mechanism.run(prior, {.iterations = 10}).shape), d),
                  epsilons[i], 5.1e-6);
    }
  }
}

TEST(BlahutArimoto, KernelsOfGridsAreInvertible) {
  // exp(-beta |x - y|) is strictly positive definite (Theorem 3.2), so finitely many iterations keep the
  // rank.
  for (const double beta : {0.2, 1.0}) {
    const Distances d = grid_metric(11, 15);
    Eigen::MatrixXd kernel(165, 165);
    for (Eigen::Index i = 0; i < kernel.size(); ++i)
      kernel.data()[i] = std::exp(-beta * d.value[static_cast<std::size_t>(i)]);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(kernel, Eigen::EigenvaluesOnly).eigenvalues()[0],
              1e-4);
  }
}

TEST(BlahutArimoto, LimitsByRule) {
  Stream stream({5, Purpose::kTest});
  const Distances one{1, 1, {0}};
  const BlahutArimoto alone(one, 1e6);
  EXPECT_EQ(alone.channel(alone.run(std::vector{1.0}, {}).shape).probability, std::vector{1.0});

  // beta = 0 hides everything: every row is the start, and iterating changes nothing.
  const Distances d = grid_metric(2, 3);
  const std::vector<double> prior = random_distribution(6, stream, 0.5);
  const BlahutArimoto blind(d, 0);
  const Channel uniform = blind.channel(blind.run(prior, {.iterations = 3}).shape);
  for (const double p : uniform.probability) EXPECT_DOUBLE_EQ(p, 1.0 / 6);

  // A huge beta reports the truth where somebody lives, and what it would round to zero it refuses.
  const BlahutArimoto open(d, 200);
  const Channel truth = open.channel(open.run(uniform_distribution(6), {.iterations = 2}).shape);
  for (std::size_t x = 0; x < 6; ++x) EXPECT_NEAR(truth(x, x), 1, 1e-80);
  EXPECT_THAT([&] { BlahutArimoto(d, 300); }, ThrowsMessage<Error>(HasSubstr("lower beta to 268.3")));
  EXPECT_THAT([&] { BlahutArimoto(d, -1); }, ThrowsMessage<Error>(HasSubstr("beta")));
  EXPECT_THAT([&] { blind.run(std::vector<double>(6, 0.2), {}); },
              ThrowsMessage<Error>(HasSubstr("adds up to 1.2")));
}

TEST(BlahutArimoto, ReportsThatWouldUnderflowAreLeftOutForAll) {
  // Zeros in some rows of a column only would make a report identify its truth. The empty places lose a
  // factor of e^100 in every iteration: at some of them their reports underflow for far truths and not for
  // near ones.
  const Distances d = grid_metric(1, 6);
  const std::vector<double> prior{0.5, 0, 0, 0, 0, 0.5};
  const BlahutArimoto mechanism(d, 100);
  for (std::size_t t = 1; t <= 12; ++t) {
    const Channel channel = mechanism.channel(mechanism.run(prior, {.iterations = t}).shape);
    for (std::size_t y = 0; y < 6; ++y) {
      std::size_t zeros = 0;
      for (std::size_t x = 0; x < 6; ++x) zeros += channel(x, y) == 0 ? 1 : 0;
      EXPECT_TRUE(zeros == 0 || zeros == 6) << t << " " << y;
    }
    EXPECT_LE(metric_epsilon(channel, d), 200 * (1 + 1e-12)) << t;
  }
}

TEST(BlahutArimoto, TruncatedKernelsMissWhatTheySay) {
  Stream stream({6, Purpose::kTest});
  const double beta = 1;
  const double tail = 1e-3;
  const RunKernel kernel = truncated_exponential_kernel(12, 9, beta, tail);
  const Distances d = grid_metric(12, 9);
  std::size_t kept = 0;
  for (const double distance : d.value) kept += distance <= -std::log(tail) / beta ? 1 : 0;
  EXPECT_EQ(kernel.entries(), kept);
  const std::vector<double> prior = random_distribution(108, stream);
  const BlahutArimotoRun run = iterate_blahut_arimoto(kernel, prior, {.iterations = 5});
  const Channel full = BlahutArimoto(d, beta).channel(run.shape);
  const TruncatedChannel cut = truncated_channel(kernel, run.shape, tail);
  double worst = 0;
  for (std::size_t x = 0; x < 108; ++x) {
    std::vector<double> row(108);
    for (const RunKernel::Run& part : cut.channel.runs(x))
      std::ranges::copy(cut.channel.values(part), row.begin() + static_cast<std::ptrdiff_t>(part.column));
    worst = std::max(worst, total_variation(row, full.row(x)));
  }
  EXPECT_GT(worst, 0);
  EXPECT_LE(worst, cut.missing_share);
  EXPECT_LT(cut.missing_share, 0.05);
}

}  // namespace
}  // namespace earshot
