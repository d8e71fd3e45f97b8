#include "earshot/protocol/training_run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/protocol/central.hpp"
#include "earshot/protocol/test_setting.hpp"
#include "earshot/training/split.hpp"
#include "earshot/training/trainer.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A central training with its network and driver, on the first three quarters of the records; the rest is
/// for validation and test.
struct Driven {
  Driven(const testing::SmallTask& small, const Json& settings, const RunOptions& options,
         Protection protection = no_protection())
      : parts(parts_of(small)) {
    ProtocolParts all = small.parts(std::move(protection));
    all.shards = {parts.train};
    protocol = central_component().make(testing::settings_of(central_component(), settings), std::move(all));
    network = std::make_unique<LocalNetwork>(protocol->topology(), protocol->participants());
    run = std::make_unique<TrainingRun>(*protocol, *network, *small.task, parts, options);
  }
  static TrainingParts parts_of(const testing::SmallTask& small) {
    TrainingParts parts;
    for (std::size_t i = 0; i < small.examples->size(); ++i) {
      (i % 4 != 3 ? parts.train : i % 8 == 3 ? parts.validation : parts.test).push_back(i);
    }
    return parts;
  }
  TrainingRun& finish() {
    while (run->end() == RunEnd::kNotYet) run->advance();
    return *run;
  }

  TrainingParts parts;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<LocalNetwork> network;
  std::unique_ptr<TrainingRun> run;
};

std::vector<std::uint64_t> rounds_of(const TrainingRun& run) {
  std::vector<std::uint64_t> rounds;
  for (const RoundReport& report : run.reports()) rounds.push_back(report.round);
  return rounds;
}

std::string sealed(const TrainingRun& run) {
  StateWriter out;
  run.save(out);
  return out.sealed();
}

PrivacyOptions noisy(std::optional<double> budget = {}) {
  PrivacyOptions privacy;
  privacy.noise = 2;
  privacy.budget = budget;
  return privacy;
}
const Json kNoisySettings = {{"rounds", 12}, {"batch", 4}, {"draw", "poisson"}, {"learning_rate", 0.3}};

TEST(TrainingRun, ReportsEveryFewRoundsAndTheLast) {
  const testing::SmallTask small(4, 8);
  Driven driven(small, {{"rounds", 7}}, {7, 3});
  EXPECT_FALSE(driven.run->advance());
  EXPECT_THAT(rounds_of(driven.finish()), ElementsAre(3, 6, 7));
  EXPECT_EQ(driven.run->end(), RunEnd::kAllRounds);
  EXPECT_THROW(driven.run->advance(), Error);
}

/// The trainer of one model is another implementation of loop, scores and early stopping.
TEST(TrainingRun, MeasuresAndStopsLikeTheTrainerOfOneModel) {
  const testing::SmallTask small(4, 20);
  const double rate = 3;
  Driven driven(small, {{"rounds", 60}, {"batch", 8}, {"learning_rate", rate}}, {60, 1, 3, 0.001});
  const TrainingRun& run = driven.finish();

  std::vector<double> expected = small.start;
  TrainerOptions options;
  options.epochs = 60;
  options.batch = 8;
  options.optimiser = SgdOptions{rate};
  options.patience = 3;
  options.least_gain = 0.001;
  const TrainingResult result = train(*small.model, expected, *small.examples, driven.parts, options);
  ASSERT_TRUE(result.stopped_early);
  EXPECT_EQ(run.end(), RunEnd::kNoGain);
  EXPECT_EQ(run.state(), expected);
  ASSERT_EQ(run.reports().size(), result.epochs.size());
  for (std::size_t i = 0; i < result.epochs.size(); ++i) {
    const RoundReport& report = run.reports()[i];
    EXPECT_DOUBLE_EQ(*report.train_loss, *result.epochs[i].train_loss);
    EXPECT_DOUBLE_EQ(report.validation->loss, result.epochs[i].validation->loss);
    EXPECT_DOUBLE_EQ(report.test->loss, result.epochs[i].test->loss);
    EXPECT_EQ(report.test->accuracy, result.epochs[i].test->accuracy);
    EXPECT_EQ(report.test->baseline, result.epochs[i].test->baseline);
    EXPECT_FALSE(report.epsilon);
  }
  // The scores shown at the end are those of the state that was kept, not of the last one.
  EXPECT_DOUBLE_EQ(run.test_scores()->loss, small.task->scores(expected, driven.parts.test).loss);
}

TEST(TrainingRun, PoolsScoresOfPiecesIntoThoseOfTheWhole) {
  const testing::SmallTask small(4, 3000);
  Driven driven(small, {{"rounds", 1}}, {1});
  const TrainingRun& run = driven.finish();
  ASSERT_GT(driven.parts.test.size(), 1024U);
  const Scores whole = small.task->scores(run.state(), driven.parts.test);
  EXPECT_EQ(run.test_scores()->examples, whole.examples);
  EXPECT_NEAR(run.test_scores()->loss, whole.loss, 1e-12);
  EXPECT_NEAR(run.test_scores()->accuracy, whole.accuracy, 1e-12);
}

TEST(TrainingRun, StatesWhatTheLedgerSays) {
  const testing::SmallTask small(4, 8);
  Driven driven(small, kNoisySettings, {12, 4}, dp_sgd(noisy()));
  TrainingRun& run = driven.finish();
  const Ledger ledger = run.ledger();
  const auto observer = ledger.accounts().front().second;
  double before = 0;
  for (const RoundReport& report : run.reports()) {
    EXPECT_FALSE(report.train_loss) << "the loss on private records is not protected";
    ASSERT_TRUE(report.epsilon);
    EXPECT_GT(*report.epsilon, before);
    before = *report.epsilon;
  }
  EXPECT_EQ(*run.reports().back().epsilon, *ledger.worst_statement(observer, "rdp", 1e-5).epsilon);
  EXPECT_EQ(run.epsilons().front(), run.reports().back().epsilon);
}

TEST(TrainingRun, EndsWhenEveryBudgetIsSpent) {
  const testing::SmallTask small(4, 8);
  Driven free(small, kNoisySettings, {12, 1}, dp_sgd(noisy()));
  const double middle = *free.finish().reports()[5].epsilon;
  Driven driven(small, kNoisySettings, {12, 100}, dp_sgd(noisy(middle)));
  const TrainingRun& run = driven.finish();
  EXPECT_EQ(run.end(), RunEnd::kBudgetsSpent);
  EXPECT_LT(run.round(), 12U);
  EXPECT_LE(*run.reports().back().epsilon, middle);
  EXPECT_EQ(run.reports().back().round, run.round());
}

TEST(TrainingRun, SaysInWhichRoundTheParametersWereLost) {
  const testing::SmallTask small(4, 8);
  Driven driven(small, {{"rounds", 50}, {"learning_rate", 1e6}, {"weight_decay", 1e6}}, {50});
  try {
    driven.finish();
    FAIL() << "training should have diverged";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kNumeric);
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("round {}", driven.run->round())));
    EXPECT_EQ(driven.run->reports().size() + 1, driven.run->round()) << "earlier reports are kept";
  }
}

TEST(TrainingRun, RefusesPatienceWithoutValidation) {
  const testing::SmallTask small(4, 8);
  const TrainingParts parts{all_of(32), {}, {}};
  const auto protocol =
      central_component().make(testing::settings_of(central_component(), {{"rounds", 3}}), small.parts());
  LocalNetwork network(protocol->topology(), protocol->participants());
  EXPECT_THROW(TrainingRun(*protocol, network, *small.task, parts, {3, 1, 2}), Error);
}

/// Private, with early stopping, stopped after every possible round: everything goes on to the bit.
TEST(TrainingRun, GoesOnFromAnyRoundToTheBit) {
  const testing::SmallTask small(4, 8);
  const RunOptions options{5, 2, 2, 0};
  Driven whole(small, kNoisySettings, options, dp_sgd(noisy(1e3)));
  const std::string expected = sealed(whole.finish());
  for (std::uint64_t stop = 0; stop <= whole.run->round(); ++stop) {
    Driven first(small, kNoisySettings, options, dp_sgd(noisy(1e3)));
    for (std::uint64_t i = 0; i < stop; ++i) first.run->advance();
    const std::string stored = sealed(*first.run);
    Driven second(small, kNoisySettings, options, dp_sgd(noisy(1e3)));
    StateReader in(stored, "memory");
    second.run->load(in);
    in.finish();
    EXPECT_EQ(sealed(second.finish()), expected) << "stopped after round " << stop;
    EXPECT_EQ(second.run->state(), whole.run->state());
  }
}

}  // namespace
}  // namespace earshot
