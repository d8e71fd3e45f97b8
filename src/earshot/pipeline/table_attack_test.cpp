#include "earshot/pipeline/table_attack.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/test_tables.hpp"
#include "earshot/pipeline/test_training.hpp"

namespace earshot {
namespace {

using ::earshot::testing::column;
using ::earshot::testing::mean;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char* kServer = "[adversary]\nkind = \"coalition\"\nnodes = [\"server\"]\n";
constexpr const char* kTaps = "[adversary]\nkind = \"eavesdropper\"\n";
constexpr const char* kQuick = "members = 4\niterations = 300\nbaseline_draws = 10\n";

/// People of whom is learnt whether they are rich; the last twelve are held out.
TrainingData people_data() {
  TabularDataset table = people();
  TrainingData data;
  std::vector<double> rich;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < kPeople; ++i) {
    (i < kPeople - 12 ? data.parts.train : data.parts.test).push_back(i);
    rich.push_back(table.features.row(i)[2] > 35 ? 1 : 0);
    all.push_back(i);
  }
  TableEncoder encoder(table, data.parts.train, EncoderOptions{});
  data.examples =
      record_examples({encoder.width()}, encoder.encode(table.features, all).values, {2, std::move(rich)});
  data.table = std::make_unique<EncodedTable>(EncodedTable{std::move(table.features), std::move(encoder)});
  return data;
}

/// The dataset named here is not read: trials are given people.
Plan plan_of(const std::string& protocol, const std::string& more, const std::string& attack = kQuick,
             const std::string& mechanism = "kind = \"none\"\n", const std::string& data = "insurance") {
  const std::string text = fmt::format(
      "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"{}\"\n[partition]\nkind = \"iid\"\nnodes = 6\n"
      "[model]\nkind = \"mlp\"\nhidden = \"40\"\n[mechanism]\n{}[protocol]\nkind = \"{}\"\n{}[attack]\n"
      "kind = \"tableak\"\n{}",
      data, mechanism, protocol, more, attack);
  return parse_plan(text, "test.toml", standard_catalogue());
}

Json tables_of(const Plan& plan, const TrainingData& data, std::size_t trial = 0) {
  return run_train_trial(plan.cells[0], {plan.seed, trial}, data, testing::sources()).at("tables");
}

TEST(TableAttack, AServerReadsRowsOffGradientsWithoutNoise) {
  const TrainingData data = people_data();
  const Json tables = tables_of(plan_of("fedsgd", std::string("rounds = 2\nbatch = 2\n") + kServer), data);
  const Json& attacks = tables.at("table_attacks");
  ASSERT_EQ(attacks.at("rows").size(), 6U);
  EXPECT_GT(mean(column(attacks, "accuracy")), 0.9);
  EXPECT_GT(mean(column(attacks, "informed")), 0.9);
  EXPECT_LT(mean(column(attacks, "random")), 0.7);
  EXPECT_LT(mean(column(attacks, "likeliest")), 0.7);
  EXPECT_THAT(column(attacks, "round"), Each(2));
  EXPECT_THAT(column(attacks, "rows"), Each(2));
  EXPECT_THAT(column(attacks, "epsilon"), Each(nullptr));
  EXPECT_EQ(tables.at("table_columns").at("rows").size(), 6U);
  EXPECT_EQ(column(tables.at("table_columns"), "column")[1], "work");
  EXPECT_EQ(tables.at("confidence").at("rows").size(), 20U);
  EXPECT_EQ(tables.at("table_rows").at("rows").size(), 8U * 6U);  // eight rows unless told otherwise
}

/// On every topology the steps of the rounds asked for, each with what had been spent by then.
TEST(TableAttack, ReadsStepsOnEveryTopology) {
  const TrainingData data = people_data();
  const std::string noise = "kind = \"gaussian\"\nclip = 1.0\nsigma = 0.001\ndelta = 1e-6\n";
  const std::string attack = std::string(kQuick) + "rounds = \"1, last\"\nvictims = 2\n";
  for (const auto& [protocol, listener] :
       {std::pair("fedsgd", kServer), {"skip_ring", kTaps}, {"muffliato_random", kTaps}}) {
    const Plan plan = plan_of(protocol, std::string("rounds = 3\nbatch = 2\n") + listener, attack, noise);
    const Json attacks = tables_of(plan, data).at("table_attacks");
    ASSERT_EQ(attacks.at("rows").size(), 4U) << protocol;
    EXPECT_GT(mean(column(attacks, "accuracy")), 0.8) << protocol;
    const auto rounds = column(attacks, "round");
    const auto spent = column(attacks, "epsilon");
    const auto against_one = column(attacks, "topology_epsilon");
    for (std::size_t i = 0; i < 4; i += 2) {
      EXPECT_EQ(rounds[i], 1);
      EXPECT_EQ(rounds[i + 1], 3);
      EXPECT_LT(spent[i].get<double>(), spent[i + 1].get<double>());
      EXPECT_LT(against_one[i].get<double>(), against_one[i + 1].get<double>());
    }
  }
}

/// A client's change of two local steps is unrolled.
TEST(TableAttack, AServerReadsRowsOffFederatedAveraging) {
  const TrainingData data = people_data();
  const std::string protocol =
      std::string("rounds = 2\nbatch = 2\nlocal_steps = 2\nlearning_rate = 0.05\n") + kServer;
  const Json attacks =
      tables_of(plan_of("fedavg", protocol, std::string(kQuick) + "victims = 3\n"), data).at("table_attacks");
  ASSERT_EQ(attacks.at("rows").size(), 3U);
  EXPECT_GT(mean(column(attacks, "gain")), 0.1);
  EXPECT_THAT(column(attacks, "round"), Each(2));
}

TEST(TableAttack, NoiseLeavesNoMoreThanGuessing) {
  const TrainingData data = people_data();
  const std::string noise = "kind = \"gaussian\"\nclip = 1.0\nsigma = 3.0\ndelta = 1e-6\n";
  const Json attacks =
      tables_of(plan_of("fedsgd", std::string("rounds = 1\nbatch = 2\n") + kServer, kQuick, noise), data)
          .at("table_attacks");
  EXPECT_LT(mean(column(attacks, "gain")), 0.05);
}

/// The attack is given the view only: other people behind it change the scores and nothing it found.
TEST(TableAttack, AnotherTruthBehindTheSameViewLeavesTheGuessesIdentical) {
  const TrainingData data = people_data();
  TrainingData other = people_data();
  TabularDataset table = people();
  for (const std::size_t i : other.parts.train)
    table.features.values[6 * i + 1] = std::fmod(table.features.values[6 * i + 1] + 2, 5);
  other.table = std::make_unique<EncodedTable>(EncodedTable{table.features, data.table->encoder});
  const Plan plan = plan_of("fedsgd", std::string("rounds = 1\nbatch = 2\n") + kServer,
                            std::string(kQuick) + "labels = \"inferred\"\nrows_shown = 100\n");
  const Json first = tables_of(plan, data), second = tables_of(plan, other);
  const auto guesses = [](const Json& tables) {
    const auto all = column(tables.at("table_rows"), "guess");
    return std::multiset<std::string>(all.begin(), all.end());
  };
  EXPECT_EQ(guesses(first), guesses(second));
  EXPECT_EQ(column(first.at("table_attacks"), "matching"), column(second.at("table_attacks"), "matching"));
  EXPECT_NE(column(first.at("table_attacks"), "accuracy"), column(second.at("table_attacks"), "accuracy"));
}

TEST(TableAttack, TheSameForAnyNumberOfThreads) {
  const TrainingData data = people_data();
  const Plan plan =
      plan_of("skip_ring", std::string("rounds = 2\nbatch = 2\n") + kTaps, "members = 2\niterations = 20\n");
  const auto scores = [&](std::size_t threads) {
    set_thread_count(threads);
    const Json tables = tables_of(plan, data);
    return std::pair(column(tables.at("table_rows"), "guess"), tables.at("confidence"));
  };
  const auto one = scores(1);
  EXPECT_EQ(one, scores(3));
  set_thread_count(0);
}

TEST(TableAttack, PlansThatCannotWorkAreRefusedBeforeTheFirstStep) {
  EARSHOT_NEEDS_DATASET("digits");
  const auto refused = [](const Plan& plan) {
    std::string all;
    for (const Problem& problem : preflight(plan, testing::sources())) all += to_line(problem) + "\n";
    return all;
  };
  const std::string heard = std::string("rounds = 2\n") + kServer;
  EXPECT_THAT(refused(plan_of("fedsgd", heard, kQuick, "kind = \"none\"\n", "digits")),
              HasSubstr("rows of tables"));
  const std::string late = std::string(kQuick) + "rounds = \"3\"\n";
  EXPECT_THAT(refused(plan_of("fedsgd", heard, late, "kind = \"none\"\n", "digits")),
              HasSubstr("round 3 is not reached"));
  EXPECT_THAT(refused(plan_of("fedsgd", heard + "rounds = 1\n", std::string(kQuick) + "rounds = \"last\"\n",
                              "kind = \"none\"\n", "digits")),
              HasSubstr("attacked, but not recorded"));
}

}  // namespace
}  // namespace earshot
