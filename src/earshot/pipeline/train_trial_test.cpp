#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/test_training.hpp"

namespace earshot {
namespace {

using testing::finish;
using ::testing::HasSubstr;
using testing::plan_text;
using testing::problems_of;
using testing::sealed;
using testing::Setting;
using testing::shown;
using testing::Wanted;

/// The protocols of every family, with and without noise, faults and listeners.
class EveryProtocol : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }
  void TearDown() override { set_thread_count(0); }
  static std::vector<Wanted> variants() {
    return {{GetParam()},
            {GetParam(), "kind = \"gaussian\"\nsigma = 1.0\n",
             "[adversary]\nkind = \"eavesdropper\"\nfrom = 2\nrounds = 1\n"},
            {GetParam(), "kind = \"none\"\n",
             "[faults]\nkind = \"random\"\nloss = 0.2\ndelay = 0.5\ncrash = 0.1\nreturn = 0.5\n"
             "[adversary]\nkind = \"each\"\n",
             4}};
  }
};

TEST_P(EveryProtocol, GivesTheSameOnOneAndTwoThreads) {
  for (const Wanted& wanted : variants()) {
    const Setting setting(wanted);
    set_thread_count(1);
    const std::string one = shown(*setting.trial());
    set_thread_count(2);
    EXPECT_TRUE(shown(*setting.trial()) == one) << plan_text(wanted);
  }
}

TEST_P(EveryProtocol, GoesOnFromEveryRoundToTheBit) {
  for (const Wanted& wanted : variants()) {
    const Setting setting(wanted);
    const std::string expected = shown(*setting.trial());
    for (std::size_t stop = 0; stop <= wanted.rounds; ++stop) {
      const auto first = setting.trial();
      for (std::size_t i = 0; i < stop; ++i) first->run().advance();
      const std::string stored = sealed(*first);
      const auto second = setting.trial();
      StateReader in(stored, "memory");
      second->load(in);
      in.finish();
      EXPECT_TRUE(shown(*second) == expected) << "stopped after round " << stop << "\n" << plan_text(wanted);
    }
  }
}

std::vector<std::string> protocol_names() {
  std::vector<std::string> names;
  for (const ProtocolComponent& component : training_protocols()) names.push_back(component.schema.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Each, EveryProtocol, ::testing::ValuesIn(protocol_names()),
                         [](const auto& info) { return info.param; });

TEST(TrainTrial, DividesTheRecordsAndCountsThem) {
  EARSHOT_NEEDS_DATASET("digits");
  const Setting setting({"d_psgd"});
  const auto trial = setting.trial();
  finish(*trial);
  const Json nodes = trial->tables().at("nodes");
  ASSERT_EQ(nodes.at("rows").size(), 5U);
  std::size_t records = 0;
  for (const Json& row : nodes.at("rows")) {
    records += row.at(1).get<std::size_t>();
    EXPECT_EQ(row.at(2), 3) << "one step a round";
    EXPECT_TRUE(row.at(3).is_null());
  }
  EXPECT_EQ(records, setting.data.parts.train.size());
  EXPECT_EQ(records, 54U) << "60 examples, a tenth of them for validation";
}

TEST(TrainTrial, StatesWhatEachAdversaryLearns) {
  EARSHOT_NEEDS_DATASET("digits");
  const Setting open({"d_psgd"});
  const auto unprotected = open.trial();
  finish(*unprotected);
  for (const PrivacyStatement& statement : unprotected->statements()) EXPECT_FALSE(statement.is_private());

  const Setting noisy({"d_psgd", "kind = \"gaussian\"\nsigma = 2.0\n"});
  const auto trial = noisy.trial();
  finish(*trial);
  const auto& statements = trial->statements();
  std::vector<std::string> adversaries;
  for (const TrainingStatement& statement : statements) {
    EXPECT_FALSE(statement.chosen) << "nobody listens";
  }
  for (const PrivacyStatement& statement : statements) adversaries.push_back(statement.adversary);
  ASSERT_GE(statements.size(), 4U);
  EXPECT_THAT(adversaries[1], HasSubstr("neighbour"));
  EXPECT_THAT(adversaries[2], HasSubstr("colluding"));
  EXPECT_THAT(adversaries[3], HasSubstr("eavesdropper"));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(statements[i].epsilon, trial->run().reports().back().epsilon);
    EXPECT_FALSE(statements[i].assumptions.empty());
  }
  // Whoever hears less never learns more.
  for (const PrivacyStatement& statement : statements) EXPECT_LE(*statement.epsilon, *statements[0].epsilon);
}

TEST(TrainTrial, StatesThePromiseOfTheSkipRing) {
  EARSHOT_NEEDS_DATASET("digits");
  const Setting setting(
      {"skip_ring", "kind = \"gaussian\"\nsigma = 6.0\nclip = 0.5\ndelta = 1e-6\n",
       "latency = \"exponential\"\nskip_probability = 0.25\n[adversary]\nkind = \"first\"\n"});
  const auto trial = setting.trial();
  finish(*trial);
  // Three laps of five nodes; clipping to 0.5 bounds a change of one node's data by 1. A node takes part more
  // often than stated with probability 1e-6, which adds to delta.
  const PrivacyStatement expected = skip_ring_statement({6.0, 0.5, 15, 5, 0.25}, 1e-6, 1e-6, false);
  const TrainingStatement& found = trial->statements().back();
  EXPECT_EQ(found.epsilon, expected.epsilon);
  EXPECT_EQ(found.delta, 2e-6);
  EXPECT_EQ(found.adversary, expected.adversary);
  EXPECT_EQ(found.assumptions, expected.assumptions);
  EXPECT_TRUE(found.chosen);
  const Json row = trial->tables().at("statements").at("rows").back();
  EXPECT_EQ(row.at(0), expected.adversary);
  EXPECT_EQ(row.at(1), *expected.epsilon);
}

TEST(TrainTrial, PoolsTheShardsForTrainingInOnePlace) {
  EARSHOT_NEEDS_DATASET("digits");
  const Setting setting({"central"});
  const auto trial = setting.trial();
  EXPECT_EQ(trial->nodes(), 1U);
  finish(*trial);
  EXPECT_EQ(trial->tables().at("nodes").at("rows").at(0).at(1), 54);
}

TEST(TrainPreflight, AcceptsEveryProtocol) {
  EARSHOT_NEEDS_DATASET("digits");
  for (const ProtocolComponent& component : training_protocols()) {
    EXPECT_EQ(problems_of(plan_text({component.schema.name})), "") << component.schema.name;
  }
}

TEST(TrainPreflight, NamesWhatIsMissingAndWhatIsUnused) {
  EARSHOT_NEEDS_DATASET("digits");
  const std::string missing =
      "name = \"t\"\ntitle = \"t\"\n[protocol]\nkind = \"d_psgd\"\nrounds = 2\n[mechanism]\nkind = "
      "\"none\"\n";
  for (const char* role : {"data", "model", "graph", "weights", "partition"}) {
    EXPECT_THAT(problems_of(missing), HasSubstr(fmt::format("section [{}] is missing", role)));
  }
  EXPECT_THAT(
      problems_of(plan_text({"central", "kind = \"none\"\n", "[graph]\nkind = \"ring\"\nnodes = 5\n"})),
      HasSubstr("has no use for [graph]"));
  EXPECT_THAT(problems_of(plan_text({"central", "kind = \"dp_sgd\"\n"})), HasSubstr("noise_multiplier"));
  EXPECT_THAT(
      problems_of(plan_text({"d_psgd", "kind = \"none\"\n", "[attack]\nkind = \"dgd_reconstruction\"\n"})),
      HasSubstr("is for training without an attack"));
}

}  // namespace
}  // namespace earshot
