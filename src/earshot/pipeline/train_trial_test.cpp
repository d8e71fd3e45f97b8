#include "earshot/pipeline/train_trial.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/pipeline.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

GraphSources sources() {
  return {data_directory(), "."};
}

struct Wanted {
  std::string protocol;
  std::string mechanism = "kind = \"none\"\n";
  std::string more{};  // of [protocol] and sections after it
  std::size_t rounds = 3;
};

/// Numbers that have no default, beside the rounds.
std::string required_settings(const ProtocolComponent& component) {
  std::string text;
  for (const Parameter& parameter : component.schema.parameters) {
    const bool required = !parameter.fallback && !parameter.optional && parameter.key != "rounds";
    if (required) text += fmt::format("{} = 0.1\n", parameter.key);
  }
  return text;
}

std::string plan_text(const Wanted& wanted) {
  std::string text = fmt::format(
      "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"digits\"\nlimit = 60\nvalidation_share = 0.1\n"
      "[partition]\nkind = \"iid\"\n{}[model]\nkind = \"softmax_regression\"\n",
      find_training_protocol(wanted.protocol)->needs == NetworkNeed::kNone ? "nodes = 5\n" : "");
  const NetworkNeed needs = find_training_protocol(wanted.protocol)->needs;
  if (needs != NetworkNeed::kNone) text += "[graph]\nkind = \"ring\"\nnodes = 5\n";
  if (needs == NetworkNeed::kWeights) text += "[weights]\nkind = \"metropolis\"\n";
  return text + fmt::format("[mechanism]\n{}[protocol]\nkind = \"{}\"\nrounds = {}\n{}{}", wanted.mechanism,
                            wanted.protocol, wanted.rounds,
                            required_settings(*find_training_protocol(wanted.protocol)), wanted.more);
}

/// A plan, its data, and trials of its only cell.
struct Setting {
  explicit Setting(const Wanted& wanted)
      : plan(parse_plan(plan_text(wanted), "test.toml", standard_catalogue())),
        data(load_training_section(plan.cells[0].at("data"), plan.seed, sources())) {}
  std::unique_ptr<TrainTrial> trial() const {
    return std::make_unique<TrainTrial>(plan.cells[0], TrialAddress{plan.seed, 0}, data, sources());
  }
  Plan plan;
  TrainingData data;
};

void finish(TrainTrial& trial) {
  while (trial.run().end() == RunEnd::kNotYet) trial.run().advance();
}

std::string sealed(const TrainTrial& trial) {
  StateWriter out;
  trial.run().save(out);
  return out.sealed();
}

/// Everything a finished run has to show.
std::string shown(TrainTrial& trial) {
  finish(trial);
  return sealed(trial) + trial.result(true).dump();
}

/// The protocols of every family, with and without noise and faults.
class EveryProtocol : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }
  void TearDown() override { set_thread_count(0); }
  static std::vector<Wanted> variants() {
    return {{GetParam()},
            {GetParam(), "kind = \"gaussian\"\nsigma = 1.0\n"},
            {GetParam(), "kind = \"none\"\n",
             "[faults]\nkind = \"random\"\nloss = 0.2\ndelay = 0.5\ncrash = 0.1\nreturn = 0.5\n", 4}};
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
      second->run().load(in);
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

TEST(TrainTrial, PoolsTheShardsForTrainingInOnePlace) {
  EARSHOT_NEEDS_DATASET("digits");
  const Setting setting({"central"});
  const auto trial = setting.trial();
  EXPECT_EQ(trial->nodes(), 1U);
  finish(*trial);
  EXPECT_EQ(trial->tables().at("nodes").at("rows").at(0).at(1), 54);
}

std::string problems_of(const std::string& text) {
  const Plan plan = parse_plan(text, "test.toml", standard_catalogue());
  std::string all;
  for (const Problem& problem : preflight(plan, sources())) all += to_line(problem) + "\n";
  return all;
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
