#include "earshot/experiment/plan.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/files.hpp"
#include "earshot/experiment/test_catalogue.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kCorpus = std::filesystem::path(EARSHOT_SOURCE_DIR) / "tests/corpus/plan";

Plan parse(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) overrides.push_back(parse_override(set));
  return parse_plan(text, "plan.toml", test_catalogue(), overrides);
}

std::vector<std::string> problems_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<std::string> lines;
  try {
    parse(text, sets);
  } catch (const PlanError& error) {
    for (const Problem& problem : error.problems()) lines.push_back(to_line(problem));
  }
  return lines;
}

std::string corpus_text(const std::string& name) {
  return read_text(kCorpus / name);
}

const std::string kRing = R"(
name = "x"
title = "X"
[graph]
kind = "ring"
nodes = 5
)";

TEST(Plan, MinimalHasOneCellAndDefaults) {
  const Plan plan = parse(corpus_text("good_minimal.toml"));
  EXPECT_EQ(plan.name, "minimal");
  EXPECT_EQ(plan.seed, 1U);
  EXPECT_EQ(plan.trials, 1U);
  ASSERT_EQ(plan.cells.size(), 1U);
  EXPECT_TRUE(plan.cells[0].choices.empty());
  EXPECT_TRUE(plan.cells[0].settings.empty());
}

TEST(Plan, FullFileIsReadWhole) {
  const Plan plan = parse(corpus_text("good_full.toml"));
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_EQ(plan.trials, 5U);
  ASSERT_EQ(plan.cells.size(), 6U);
  const Cell& last = plan.cells[5];
  EXPECT_EQ(last.at("graph").settings.integer("nodes"), 40);
  EXPECT_EQ(last.at("graph").settings.real("p"), 0.08);
  EXPECT_TRUE(last.at("graph").settings.boolean("connected"));
  EXPECT_EQ(last.at("protocol").settings.size("rounds"), 9U);
  EXPECT_EQ(last.at("mechanism").kind, "none");
  EXPECT_EQ(last.find("attack"), nullptr);
  EXPECT_EQ(last.setting("graph.kind"), "erdos_renyi");
  EXPECT_EQ(last.setting("graph.nodes"), 40);
  EXPECT_TRUE(last.setting("graph.colour").is_null());
  EXPECT_TRUE(last.setting("attack.kind").is_null());
  EXPECT_THROW(last.at("attack"), Error);
  ASSERT_EQ(plan.curves.size(), 1U);
  EXPECT_THAT(plan.curves[0].y, ElementsAre("share", "rounds_needed"));
  EXPECT_EQ(plan.curves[0].split, "graph.nodes");
  ASSERT_EQ(plan.expectations.size(), 2U);
  EXPECT_EQ(plan.expectations[0].published, 0.94);
  EXPECT_EQ(plan.expectations[0].tolerance, 0.1);
  EXPECT_FALSE(plan.expectations[0].at_least);
  EXPECT_EQ(plan.expectations[0].where, (Json{{"graph.nodes", 20}, {"degree", 3}}));
  EXPECT_EQ(plan.expectations[1].measure.threshold, 0.5);
}

/// The order of the cells is a contract: stored units are addressed by it.
TEST(Plan, GridEqualsNestedLoops) {
  const Plan plan = parse(R"(
name = "x"
title = "X"
[graph]
kind = "erdos_renyi"
[sweep]
"protocol.rounds" = [9, 1, 5]
"graph.nodes" = [20, 10]
"graph.p" = [0.1, 0.9, 0.5, 0.3]
"mechanism.kind" = ["none"]
"protocol.kind" = ["gossip"]
)");
  std::vector<Json> expected;
  for (const int rounds : {9, 1, 5}) {
    for (const int nodes : {20, 10}) {
      for (const double p : {0.1, 0.9, 0.5, 0.3}) {
        expected.push_back({{"protocol.rounds", rounds},
                            {"graph.nodes", nodes},
                            {"graph.p", p},
                            {"mechanism.kind", "none"},
                            {"protocol.kind", "gossip"}});
      }
    }
  }
  ASSERT_EQ(plan.cells.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(plan.cells[i].index, i);
    EXPECT_EQ(plan.cells[i].settings.dump(), expected[i].dump());
    EXPECT_EQ(plan.cells[i].at("graph").settings.integer("nodes"), expected[i]["graph.nodes"]);
    EXPECT_EQ(plan.cells[i].at("graph").settings.real("p"), expected[i]["graph.p"]);
    EXPECT_EQ(plan.cells[i].at("protocol").settings.integer("rounds"), expected[i]["protocol.rounds"]);
  }
}

TEST(Plan, TableAxesBindSeveralKeysAtOnce) {
  const Plan plan = parse(corpus_text("good_table_axis.toml"));
  ASSERT_EQ(plan.cells.size(), 2U * 3 * 1 * 2);
  EXPECT_EQ(
      plan.cells[0].settings.dump(),
      R"({"graph.nodes":20,"protocol.rounds":3,"mechanism.kind":"none","adversary.kind":"named","adversary.nodes":["0"]})");
  EXPECT_EQ(plan.cells[11].setting("graph.nodes"), 40);
  EXPECT_EQ(plan.cells[11].setting("protocol.rounds"), 6);
  EXPECT_EQ(plan.cells[11].setting("mechanism.epsilon"), 0.5);
  EXPECT_THAT(plan.cells[11].at("adversary").settings.texts("nodes"), ElementsAre("0", "3"));
}

TEST(Plan, EqualSectionsAreShared) {
  const Plan plan = parse(corpus_text("good_full.toml"));
  EXPECT_EQ(plan.cells[0].find("weights"), plan.cells[5].find("weights"));
  EXPECT_EQ(plan.cells[0].find("graph"), plan.cells[1].find("graph"));
  EXPECT_NE(plan.cells[0].find("graph"), plan.cells[3].find("graph"));
}

TEST(Plan, ResolvedHoldsDefaultsAndTheSweep) {
  const Json resolved = parse(corpus_text("good_full.toml")).resolved;
  EXPECT_EQ(resolved["graph"], (Json{{"kind", "erdos_renyi"}, {"p", 0.08}, {"connected", true}}));
  EXPECT_EQ(resolved["protocol"], (Json{{"kind", "gossip"}}));
  EXPECT_EQ(resolved["sweep"]["graph.nodes"], (Json{20, 40}));
  EXPECT_EQ(resolved["expect"].size(), 2U);
  const Json axis = parse(corpus_text("good_table_axis.toml")).resolved;
  EXPECT_FALSE(axis.contains("mechanism")) << "no mechanism setting is common to all cells";
  EXPECT_EQ(axis["sweep"]["cell"][1], (Json{{"graph.nodes", 40}, {"protocol.rounds", 6}}));
}

TEST(Plan, DigestIsAboutTheUnitsOnly) {
  const std::string text = corpus_text("good_full.toml");
  const std::string digest = plan_digest(parse(text));
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(plan_digest(parse("# a comment\n" + text)), digest);
  for (const char* same : {"title=other", "name=other", "trials=9", "graph.connected=true"})
    EXPECT_EQ(plan_digest(parse(text, {same})), digest) << same;
  for (const char* other : {"seed=8", "graph.p=0.09", "graph.nodes=20", "sweep.graph.nodes=[20, 41]",
                            "sweep.graph.nodes=[40, 20]", "graph.connected=false", "data.kind=file"})
    EXPECT_NE(plan_digest(parse(text, {other})), digest) << other;
}

TEST(Plan, OverridesApplyBeforeValidation) {
  const std::string text = corpus_text("good_full.toml");
  const Plan fixed = parse(text, {"graph.nodes=30", "seed=3", "trials=2"});
  EXPECT_EQ(fixed.cells.size(), 3U) << "a value on the command line ends the sweep over it";
  EXPECT_EQ(fixed.cells[0].setting("graph.nodes"), 30);
  EXPECT_EQ(fixed.seed, 3U);
  EXPECT_EQ(fixed.trials, 2U);
  EXPECT_EQ(parse(text, {"sweep.graph.nodes=[5, 6, 7]"}).cells.size(), 9U);
  EXPECT_EQ(parse(text, {"sweep.graph.p=[0.1, 0.2]"}).cells.size(), 12U);
  EXPECT_EQ(parse(kRing, {"data.kind=file", "data.path=/some/file name.txt"}).cells[0].setting("data.path"),
            "/some/file name.txt");
}

TEST(Plan, OverrideProblemsNameTheOption) {
  EXPECT_THAT(problems_of(kRing, {"graph.nodes=1"}),
              ElementsAre(StartsWith("--set graph.nodes: 1 is not valid")));
  EXPECT_THAT(problems_of(kRing, {"graph.nods=7"}), ElementsAre(HasSubstr("did you mean \"nodes\"")));
  EXPECT_THAT(problems_of(kRing, {"graf.nodes=7"}),
              ElementsAre(StartsWith("--set graf.nodes: this key cannot be set")));
  EXPECT_THAT(problems_of(kRing, {"trial=7"}), ElementsAre(HasSubstr("did you mean \"trials\"")));
  EXPECT_THAT(problems_of(kRing, {"weights.kind=metropolid"}),
              ElementsAre(StartsWith("--set weights.kind: there is no weights")));
  EXPECT_THAT(problems_of(corpus_text("good_table_axis.toml"), {"graph.nodes=7"}),
              ElementsAre(HasSubstr("axis \"cell\" of the sweep sets it as well")));
}

TEST(Plan, ExpectationsLeftBehindByOverridesAreNoProblem) {
  EXPECT_THAT(problems_of(corpus_text("good_full.toml"), {"graph.nodes=30"}), ElementsAre());
}

TEST(Plan, AllProblemsComeAtOnceEachOnce) {
  const auto lines = problems_of(R"(
name = "No"
[graph]
kind = "rinng"
[protocol]
kind = "gossip"
rounds = 0
[mechanism]
kind = "gaussian"
epsilon = nan
unit = "recrd"
[sweep]
"adversary.size" = [1, 2, 3]
[[expect]]
source = "s"
)");
  EXPECT_THAT(lines,
              testing::UnorderedElementsAre(
                  HasSubstr("plan.toml:10: mechanism.epsilon: nan"), HasSubstr("needs \"title\""),
                  HasSubstr("plan.toml:4: graph.kind"), HasSubstr("plan.toml:7: protocol.rounds"),
                  HasSubstr("plan.toml:11: mechanism.unit"), HasSubstr("plan.toml:13: adversary.kind"),
                  HasSubstr("expect[0].what"), HasSubstr("expect[0].table"), HasSubstr("expect[0].measure")));
}

TEST(Plan, LocatesKeysForLaterChecks) {
  const Plan plan = parse(corpus_text("good_full.toml"), {"graph.p=0.5"});
  EXPECT_EQ(plan.locate("weights.kind"), "plan.toml:11: weights.kind");
  EXPECT_EQ(plan.locate("graph.nodes"), "plan.toml:20: graph.nodes") << "swept: at its axis";
  EXPECT_EQ(plan.locate("graph.p"), "--set graph.p");
  EXPECT_EQ(plan.locate("graph.connected"), "plan.toml:6: graph.connected") << "absent: at its section";
  EXPECT_EQ(plan.locate("attack.kind"), "plan.toml:1: attack.kind") << "no section: at the file";
}

TEST(Plan, ChecksTablesBeforeTheRun) {
  const Plan plan = parse(corpus_text("good_full.toml"));
  EXPECT_TRUE(check_tables(plan, {{"attackers", {"node", "degree", "share", "rounds_needed"}}}).empty());
  std::vector<std::string> lines;
  for (const Problem& problem :
       check_tables(plan, {{"attackers", {"node", "degre", "share", "rounds_needed"}}}))
    lines.push_back(to_line(problem));
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("plan.toml:25: curve[0].x: table \"attackers\" has no column \"degree\""),
                          HasSubstr("expect[0].measure"), HasSubstr("expect[0].where")));
  EXPECT_EQ(check_tables(plan, {{"victims", {}}}).size(), 3U);
}

TEST(Plan, FilesBeyondTheSizeLimitAreRefused) {
  EXPECT_THAT(problems_of(std::string(kLongestPlan + 1, '\n')), ElementsAre(HasSubstr("at most")));
}

TEST(Override, ReadsTomlValuesAndBareWords) {
  EXPECT_EQ(parse_override("a=1").value, 1);
  EXPECT_TRUE(parse_override("a=1").value.is_number_integer());
  EXPECT_EQ(parse_override("a= 0.5").value, 0.5);
  EXPECT_EQ(parse_override("a=true").value, true);
  EXPECT_EQ(parse_override("a=\"1\"").value, "1");
  EXPECT_EQ(parse_override("a=[1, 2]").value, (Json{1, 2}));
  EXPECT_EQ(parse_override("a=ring").value, "ring");
  EXPECT_EQ(parse_override("a=x=y").value, "x=y");
  EXPECT_EQ(parse_override("a=../d/f.txt").value, "../d/f.txt");
  EXPECT_EQ(parse_override("graph.nodes=3").key, "graph.nodes");
}

TEST(Override, RefusesWhatIsNeither) {
  for (const char* text : {"", "a", "=1", "a=", "a=[1", "a=\"x", "a=nan", "a=-inf", "a=2024-01-01",
                           "a=1\nb=2", "a=\xff", "a=\"x\"\ny=1"}) {
    EXPECT_THROW(parse_override(text), Error) << text;
  }
}

class BadPlan : public testing::TestWithParam<std::string> {};

/// The first line of every malformed sample states the message it must give.
TEST_P(BadPlan, GivesItsMessageWithFileAndLine) {
  const std::string text = corpus_text(GetParam());
  const std::string first = text.substr(0, text.find('\n'));
  ASSERT_THAT(first, StartsWith("# error: "));
  try {
    parse_plan(text, GetParam(), test_catalogue(), {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.fault(), Fault::kConfig);
    EXPECT_THAT(what, HasSubstr(first.substr(9)));
    EXPECT_THAT(what, StartsWith(GetParam() + ":"));
    const std::size_t digits =
        what.find_first_not_of("0123456789", GetParam().size() + 1) - GetParam().size() - 1;
    EXPECT_GT(digits, 0U) << "no line: " << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << "one mistake, one line: " << what;
  }
}

std::vector<std::string> corpus_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    if (entry.path().filename().string().starts_with(prefix))
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadPlan, testing::ValuesIn(corpus_names("bad_")),
                         [](const auto& info) { return info.param.substr(4, info.param.size() - 9); });

}  // namespace
}  // namespace earshot
