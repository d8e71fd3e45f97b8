#include "earshot/mechanism/record_sampler.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/accounting/accountant.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// Counts are binomial: six standard deviations are exceeded with probability 2e-9 per count, and there are
/// 50 + 50 + 1225 of them.
void expect_binomial(double count, double trials, double probability) {
  EXPECT_NEAR(count, trials * probability, 6 * std::sqrt(trials * probability * (1 - probability)));
}

struct Frequencies {
  std::vector<double> single;
  std::vector<std::vector<double>> pair;
};

Frequencies frequencies(const RecordSampler& sampler, std::size_t population, int trials) {
  Frequencies out{std::vector<double>(population, 0.0),
                  std::vector<std::vector<double>>(population, std::vector<double>(population, 0.0))};
  Stream stream({51});
  for (int t = 0; t < trials; ++t) {
    const auto records = sampler.draw(stream);
    for (std::size_t a = 0; a < records.size(); ++a) {
      ++out.single[records[a]];
      for (std::size_t b = 0; b < a; ++b) ++out.pair[records[b]][records[a]];
    }
  }
  return out;
}

TEST(RecordSampler, PoissonDrawsRecordsIndependently) {
  constexpr int kTrials = 20000;
  const Frequencies found = frequencies(PoissonSampler(50, 0.2), 50, kTrials);
  for (std::size_t a = 0; a < 50; ++a) {
    expect_binomial(found.single[a], kTrials, 0.2);
    for (std::size_t b = a + 1; b < 50; ++b) expect_binomial(found.pair[a][b], kTrials, 0.04);
  }
}

TEST(RecordSampler, FixedSizeDrawsDistinctRecordsUniformly) {
  constexpr int kTrials = 20000;
  const FixedSizeSampler sampler(50, 10);
  Stream stream({52});
  EXPECT_EQ(sampler.draw(stream).size(), 10U);
  const Frequencies found = frequencies(sampler, 50, kTrials);
  for (std::size_t a = 0; a < 50; ++a) {
    expect_binomial(found.single[a], kTrials, 0.2);
    for (std::size_t b = a + 1; b < 50; ++b) expect_binomial(found.pair[a][b], kTrials, 10.0 * 9 / (50 * 49));
  }
}

TEST(RecordSampler, TheEventIsOfTheSampleThatWasDrawn) {
  const ReleasePointer inner = make_release(GaussianRelease{1});
  const auto epsilon = [&](const RecordSampler& sampler) {
    const auto accountant = make_accountant("pld");
    accountant->add(*sampler.release(inner), 10);
    return accountant->epsilon(1e-6);
  };
  EXPECT_EQ(kind_name(*PoissonSampler(100, 0.1).release(inner)), "poisson_sampled");
  EXPECT_EQ(kind_name(*FixedSizeSampler(100, 10).release(inner)), "sampled_without_replacement");
  EXPECT_LT(epsilon(PoissonSampler(100, 0.1)), epsilon(EveryRecord(100)));
  EXPECT_LT(epsilon(FixedSizeSampler(100, 10)), epsilon(EveryRecord(100)));
  const auto plain = make_accountant("pld");
  plain->add(*inner, 10);
  EXPECT_EQ(epsilon(EveryRecord(100)), plain->epsilon(1e-6));  // no amplification without sampling
  Stream stream({53});
  EXPECT_EQ(EveryRecord(3).draw(stream), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RecordSampler, NonsenseIsRefused) {
  EXPECT_THROW(PoissonSampler(10, 0), Error);
  EXPECT_THROW(PoissonSampler(10, 1.5), Error);
  EXPECT_THROW(PoissonSampler(10, std::nan("")), Error);
  EXPECT_THROW(FixedSizeSampler(10, 0), Error);
  EXPECT_THROW(FixedSizeSampler(10, 11), Error);
}

}  // namespace
}  // namespace earshot
