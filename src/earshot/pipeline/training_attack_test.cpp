#include "earshot/pipeline/training_attack.hpp"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/test_tables.hpp"
#include "earshot/pipeline/test_training.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::earshot::testing::column;
using ::earshot::testing::mean;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kServer = "[adversary]\nkind = \"coalition\"\nnodes = [\"server\"]\n";

testing::Wanted attacked(std::string protocol, std::string attack, std::string more = "",
                         std::string mechanism = "kind = \"none\"\n") {
  return {std::move(protocol), std::move(mechanism),
          std::move(more) + kServer + "[attack]\n" + std::move(attack), 2};
}

Json run(const testing::Setting& setting, std::size_t trial = 0) {
  return run_train_trial(setting.plan.cells[0], {setting.plan.seed, trial}, setting.data, testing::sources());
}

TEST(TrainingAttack, AServerReadsSingleRecordsOffTheirGradients) {
  const testing::Setting setting(attacked("fedsgd", "kind = \"closed-form\"\n", "batch = 1\n"));
  const Json out = run(setting);
  const Json& victims = out.at("tables").at("victims");
  ASSERT_EQ(victims.at("rows").size(), 5U);
  for (const Json& error : column(victims, "relative_error")) EXPECT_LT(error.get<double>(), 1e-6);
  for (const Json& psnr : column(victims, "psnr")) EXPECT_GT(psnr.get<double>(), 100);
  for (const Json& route : column(victims, "route")) EXPECT_EQ(route, "first dense layer");
  for (const Json& label : column(victims, "label_correct")) EXPECT_EQ(label, 1);
  for (const Json& psnr : column(victims, "mean_psnr")) EXPECT_LT(psnr.get<double>(), 30);
  const Json& attackers = out.at("tables").at("attackers");
  EXPECT_EQ(column(attackers, "attacker")[0], "server");
  EXPECT_EQ(column(attackers, "exact")[0], 5);
  EXPECT_EQ(out.at("gallery").size(), 5U);
  EXPECT_EQ(out.at("truths").size(), 5U);
  double seconds = 0;
  for (const Json& own : column(victims, "seconds")) {
    EXPECT_GT(own.get<double>(), 0);
    seconds += own.get<double>();
  }
  EXPECT_GT(column(attackers, "seconds")[0].get<double>(), seconds);  // the messages had to be read first
}

TEST(TrainingAttack, EveryRecipeRunsOnWhatItReads) {
  const char* quick = "closed_forms = false\niterations = 30\nrestarts = 2\nvictims = 2\n";
  for (const char* kind : {"dlg", "idlg", "inverting-gradients", "fedavg-inversion"}) {
    const testing::Setting setting(
        attacked("fedavg", fmt::format("kind = \"{}\"\n{}", kind, quick), "batch = 2\nlocal_steps = 2\n"));
    const Json out = run(setting);
    const Json& victims = out.at("tables").at("victims");
    EXPECT_GE(victims.at("rows").size(), 4U) << kind;
    for (const Json& count : column(victims, "iterations")) EXPECT_GE(count.get<int>(), 2);
    for (const Json& start : column(victims, "start_psnr")) EXPECT_TRUE(start.is_number());
  }
}

/// Mean PSNR of five trials, five single records each, behind Laplace noise of scale 20 / epsilon; over that
/// of the mean picture, or of a search that matches squares.
double gain_under_noise(double epsilon, const char* matching, const char* than) {
  const auto psnr = [&](const char* kind, const char* score) {
    const testing::Setting setting(
        {"fedsgd",
         fmt::format("kind = \"laplace_as_published\"\nclip = 20.0\nlabel_epsilon = {:.1f}\n", epsilon),
         fmt::format("batch = 1\n{}[attack]\nkind = \"idlg\"\nmatching = \"{}\"\nlabels = "
                     "\"known\"\noptimiser = \"adam\"\nrate = 0.1\niterations = 300\nrestarts = 1\n",
                     kServer, kind),
         1, "kind = \"mlp\"\nhidden = \"32\"\nactivation = \"sigmoid\"\n"});
    double sum = 0;
    for (std::size_t trial = 0; trial < 5; ++trial)
      sum += mean(column(run(setting, trial).at("tables").at("victims"), score)) / 5;
    return sum;
  };
  if (std::string_view(than) == "mean_psnr") return psnr(matching, "psnr") - psnr(matching, than);
  return psnr(matching, "psnr") - psnr(than, "psnr");
}

/// The gain of a trial over squares is 1.4 dB with a deviation of 0.45 (60 trials), that of five 1.4 with
/// 0.20: below 0.4 by chance with probability 3e-7. Under thirty times the noise a trial ends 7.0 dB below
/// the mean picture with a deviation of 0.37: above -5 with a probability that does not matter beside that.
TEST(TrainingAttack, NoiseOfKnownLawHelpsTheMatchingAndMoreOfItHidesTheRecord) {
  EXPECT_GT(gain_under_noise(600, "laplace", "squared"), 0.4);
  EXPECT_GT(gain_under_noise(600, "laplace", "mean_psnr"), 5);
  EXPECT_LT(gain_under_noise(20, "laplace", "mean_psnr"), -5);
}

TEST(TrainingAttack, StartingAtTheOriginalFakesAReconstruction) {
  const auto psnr = [](const char* start) {
    const testing::Setting setting(attacked(
        "fedsgd",
        fmt::format("kind = \"inverting-gradients\"\nclosed_forms = false\niterations = 5\nrate = 0.01\n"
                    "restarts = 1\nstart = \"{}\"\n",
                    start),
        "batch = 1\n", "kind = \"dp_sgd\"\nclip = 1.0\nnoise_multiplier = 5.0\n"));
    return mean(column(run(setting).at("tables").at("victims"), "psnr"));
  };
  EXPECT_GT(psnr("original"), 25);
  EXPECT_LT(psnr("normal"), 15);
  EXPECT_LT(psnr("public"), 22);
}

/// The same examples, but what the nodes hold looks different.
class OtherTruth : public Examples {
 public:
  OtherTruth(const Examples& inner, const std::vector<std::size_t>& secret)
      : Examples(inner.targets()), inner_(inner), secret_(secret.begin(), secret.end()) {}
  Shape input() const override { return inner_.input(); }
  const Normalisation* pixels() const override { return inner_.pixels(); }
  Problems<double> gather(std::span<const std::size_t> chosen, std::size_t outputs, std::uint64_t pass,
                          ExampleMemory& memory) const override {
    const Problems<double> problem = inner_.gather(chosen, outputs, pass, memory);
    const std::size_t width = inner_.input().size();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!secret_.contains(chosen[i])) continue;
      for (std::size_t k = 0; k < width; ++k) memory.inputs[i * width + k] = -memory.inputs[i * width + k];
      std::reverse(memory.targets.begin() + static_cast<std::ptrdiff_t>(i * outputs),
                   memory.targets.begin() + static_cast<std::ptrdiff_t>((i + 1) * outputs));
    }
    return problem;
  }

 private:
  const Examples& inner_;
  std::set<std::size_t> secret_;
};

struct Blind {
  const char* name;
  std::string protocol;
  std::string settings;   // of the protocol
  std::string adversary;  // [adversary] without its heading
  std::string attack;     // [attack] without its heading
};

void PrintTo(const Blind& blind, std::ostream* out) {
  *out << blind.name;
}

class EveryAttack : public ::testing::TestWithParam<Blind> {};

/// Numbers to the last bit.
std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> out;
  for (const double number : numbers) out.push_back(std::bit_cast<std::uint64_t>(number));
  return out;
}

void expect_same(const Reconstruction& first, const Reconstruction& second) {
  EXPECT_EQ(bits(first.inputs), bits(second.inputs));
  EXPECT_EQ(bits(first.targets), bits(second.targets));
  EXPECT_EQ(first.route, second.route);
  EXPECT_EQ(bits({&first.residual, 1}), bits({&second.residual, 1}));
  ASSERT_EQ(first.search.has_value(), second.search.has_value());
  if (!first.search) return;
  EXPECT_EQ(bits(first.search->start), bits(second.search->start));
  EXPECT_EQ(first.search->chosen, second.search->chosen);
  ASSERT_EQ(first.search->restarts.size(), second.search->restarts.size());
  for (std::size_t i = 0; i < first.search->restarts.size(); ++i)
    EXPECT_EQ(bits(first.search->restarts[i].inputs), bits(second.search->restarts[i].inputs));
}

void expect_same(const AttackedView& first, const AttackedView& second) {
  ASSERT_EQ(first.leaks.size(), second.leaks.size());
  for (std::size_t i = 0; i < first.leaks.size(); ++i) {
    const AttackedLeak &one = first.leaks[i], &other = second.leaks[i];
    EXPECT_EQ(one.leak.victim, other.leak.victim);
    EXPECT_EQ(one.leak.what, other.leak.what);
    EXPECT_EQ(bits(one.leak.observation.values), bits(other.leak.observation.values));
    EXPECT_EQ(one.why, other.why);
    ASSERT_EQ(one.found.has_value(), other.found.has_value());
    if (one.found) expect_same(*one.found, *other.found);
  }
}

/// What is shown of two truths: the same pictures and accounts, other scores.
void expect_same_output(const Json& first, const Json& second) {
  const auto pictures = [](const Json& result) {
    std::multiset<std::string> all;
    for (const Json& entry : result.at("gallery")) all.insert(entry.at("image").get<std::string>());
    return all;
  };
  EXPECT_EQ(pictures(first), pictures(second));
  const Json &one = first.at("tables").at("victims"), &other = second.at("tables").at("victims");
  for (const char* account :
       {"victim", "round", "route", "leak", "residual", "matching", "clones", "iterations", "evaluations"})
    EXPECT_EQ(column(one, account), column(other, account)) << account;
  EXPECT_NE(first.at("truths"), second.at("truths"));
  EXPECT_NE(column(one, "psnr"), column(other, "psnr"));
}

TEST_P(EveryAttack, AnotherTruthBehindTheSameViewLeavesTheOutputIdentical) {
  const Blind& blind = GetParam();
  const testing::Setting setting(
      {blind.protocol, "kind = \"none\"\n",
       fmt::format("{}[adversary]\n{}[attack]\n{}", blind.settings, blind.adversary, blind.attack), 5});
  const Cell& cell = setting.plan.cells[0];
  const TrialAddress address{setting.plan.seed, 0};
  const auto trial = setting.trial();
  StepLog log;
  while (trial->run().end() == RunEnd::kNotYet) {
    log.note(trial->protocol());
    trial->run().advance();
  }
  log.note(trial->protocol());
  TrainingData other;
  other.examples = std::make_unique<OtherTruth>(*setting.data.examples, setting.data.parts.train);
  other.parts = setting.data.parts;
  const auto found = [&](const TrainingData& data) {
    return attack_view(cell, address, *trial, log, data, testing::sources(), trial->views()[0]);
  };
  const AttackedView first = found(setting.data);
  EXPECT_TRUE(
      std::ranges::any_of(first.leaks, [](const AttackedLeak& one) { return one.found.has_value(); }));
  expect_same(first, found(other));
  const auto shown = [&](const TrainingData& data) {
    return attack_training(cell, address, *trial, log, data, testing::sources(), true);
  };
  expect_same_output(shown(setting.data), shown(other));
}

std::vector<Blind> blind_attacks() {
  const std::string server = "kind = \"server\"\n", first = "kind = \"first\"\n",
                    everywhere = "kind = \"eavesdropper\"\n",
                    search = "closed_forms = false\niterations = 20\nrestarts = 2\nvictims = 2\n";
  return {
      {"dlg", "fedavg", "batch = 2\nlocal_steps = 1\n", server,
       "kind = \"dlg\"\nstart = \"public\"\n" + search},
      {"inverting_gradients", "fedsgd", "batch = 2\n", server,
       "kind = \"inverting-gradients\"\nmoments_weight = 0.1\n" + search},
      {"pdmm_difference", "pdmm", "messages = \"differential\"\nz_deviation = 0.1\nk_max = 1\n",
       "kind = \"first\"\nsize = 1\ntaps_all = true\n",
       "kind = \"pdmm-difference\"\nform = \"published\"\nlabels = \"optimised\"\n" + search},
      {"dgd_inversion", "dgd", "batch = 1\n", first,
       "kind = \"dgd+inversion\"\nclosed_forms = false\niterations = 20\n"},
      {"closed_form", "fedsgd", "batch = 1\n", server, "kind = \"closed-form\"\n"},
      {"closed_form_of_gossip", "d_psgd", "batch = 1\n", everywhere, "kind = \"closed-form\"\nround = 2\n"}};
}

INSTANTIATE_TEST_SUITE_P(TrainingAttack, EveryAttack, ::testing::ValuesIn(blind_attacks()),
                         [](const auto& info) { return std::string(info.param.name); });

/// What its neighbours say and what it says: a step of its own, exactly.
TEST(TrainingAttack, AListenerReadsSingleRecordsOffStepsOfGossip) {
  for (const char* protocol : {"dgd", "d_psgd"}) {
    const auto victims = [&](const char* attack) {
      const testing::Setting setting(
          {protocol, "kind = \"none\"\n",
           fmt::format("batch = 1\nlearning_rate = 0.1\n[adversary]\nkind = \"eavesdropper\"\n"
                       "[attack]\nkind = \"closed-form\"\n{}",
                       attack),
           3});
      return run(setting).at("tables").at("victims");
    };
    for (const char* attack : {"", "round = 2\n"}) {
      const Json table = victims(attack);
      ASSERT_EQ(table.at("rows").size(), 5U) << protocol;
      for (const Json& error : column(table, "relative_error")) EXPECT_LT(error.get<double>(), 1e-9);
      for (const Json& leak : column(table, "leak"))
        EXPECT_THAT(leak.get<std::string>(), HasSubstr("step of the node"));
      for (const Json& round : column(table, "round")) EXPECT_EQ(round, *attack == '\0' ? 1 : 2);
    }
  }
}

TEST(TrainingAttack, TheSameForAnyNumberOfThreads) {
  const testing::Setting setting(
      attacked("fedsgd", "kind = \"idlg\"\nclosed_forms = false\niterations = 20\n", "batch = 2\n"));
  const auto scores = [&](std::size_t threads) {
    set_thread_count(threads);
    return column(run(setting).at("tables").at("victims"), "psnr");
  };
  const auto one = scores(1);
  EXPECT_EQ(one, scores(3));
  set_thread_count(0);
}

std::vector<std::string> problems_of(const testing::Wanted& wanted) {
  std::vector<std::string> out;
  const Plan plan = parse_plan(testing::plan_text(wanted), "test.toml", standard_catalogue());
  for (const Problem& problem : preflight(plan, testing::sources())) out.push_back(problem.why);
  return out;
}

/// A TorchScript file can be asked but not looked into.
TEST(TrainingAttack, ReadsRecordsThroughATorchScriptFile) {
#ifdef EARSHOT_PLUGIN_FOLDER
  setenv("EARSHOT_PLUGINS", EARSHOT_PLUGIN_FOLDER, /*overwrite=*/0);
#else
  GTEST_SKIP() << "built without libtorch";
#endif
  const std::string text = fmt::format(
      "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"two_gaussians\"\nrecords = 12\ntest_records = 20\n"
      "[partition]\nkind = \"one_per_node\"\nnodes = 4\n[model]\nkind = \"file\"\npath = \"{}\"\n"
      "[mechanism]\nkind = \"none\"\n[protocol]\nkind = \"fedsgd\"\nrounds = 1\n{}[attack]\nkind = \"dlg\"\n"
      "restarts = 8\niterations = 300\n",
      EARSHOT_SOURCE_DIR "/tests/corpus/torch_script/good-perceptron", kServer);
  const Plan plan = parse_plan(text, "test.toml", standard_catalogue());
  EXPECT_TRUE(preflight(plan, testing::sources()).empty());
  const TrainingData data = load_training_section(plan.cells[0].at("data"), plan.seed, testing::sources());
  const Json out = run_train_trial(plan.cells[0], {plan.seed, 0}, data, testing::sources());
  const Json& victims = out.at("tables").at("victims");
  ASSERT_EQ(victims.at("rows").size(), 4U);
  for (const Json& error : column(victims, "error")) EXPECT_LT(error.get<double>(), 1e-2);
  for (const Json& success : column(victims, "success")) EXPECT_EQ(success, 1);
  for (const Json& psnr : column(victims, "psnr")) EXPECT_TRUE(psnr.is_null());
  for (const Json& route : column(victims, "route"))
    EXPECT_THAT(route.get<std::string>(), HasSubstr("search"));
}

/// Rows of one victim, without the time they took.
std::vector<Json> rows_of(const Json& victims, const Json& victim) {
  std::vector<Json> rows;
  for (const Json& row : victims.at("rows")) {
    rows.push_back(row);
    rows.back().erase(rows.back().size() - 1);
    if (row.at(1) != victim) rows.pop_back();
  }
  return rows;
}

/// What an attack on one victim will read is known before the run; nothing else takes memory, and nothing
/// else changes.
TEST(TrainingAttack, OfPdmmOnlyWhatWillBeReadIsKept) {
  const auto setting = [](const char* victims) {
    return testing::Setting(
        {"pdmm", "kind = \"none\"\n",
         fmt::format("messages = \"differential\"\nz_deviation = 1.0\nk_max = 1\n[adversary]\nkind = "
                     "\"first\"\nsize = 1\ntaps_all = true\n[attack]\nkind = "
                     "\"closed-form\"\nround = 1\nvictims = {}\n",
                     victims),
         8});
  };
  const testing::Setting all = setting("0"), one = setting("1");
  const auto whole = testing::overheard(all), few = testing::overheard(one);
  EXPECT_FALSE(whole->listeners()->read()[0]);
  ASSERT_TRUE(few->listeners()->read()[0]);
  EXPECT_LT(5 * few->listeners()->recorder().kept_numbers(), whole->listeners()->recorder().kept_numbers());
  EXPECT_EQ(few->listeners()->table(8), whole->listeners()->table(8));
  const Json expected = run(all).at("tables").at("victims"), found = run(one).at("tables").at("victims");
  ASSERT_EQ(found.at("columns").at(1), "victim");
  ASSERT_EQ(found.at("columns").back(), "seconds");
  const Json victim = found.at("rows").at(0).at(1);
  EXPECT_EQ(rows_of(found, victim).size(), found.at("rows").size());
  EXPECT_EQ(rows_of(found, victim), rows_of(expected, victim));
}

/// Half of a gradient is enough for who knows that it is half.
TEST(TrainingAttack, PrunedGradientsAreReadByWhoLeavesThemOut) {
  const auto psnr = [](const char* leave_out) {
    const testing::Setting setting(attacked(
        "fedsgd",
        fmt::format(
            "kind = \"idlg\"\nclosed_forms = false\niterations = 200\nrestarts = 1\nleave_out_pruned = {}\n",
            leave_out),
        "batch = 1\npruned = 0.5\n"));
    const Json victims = run(setting).at("tables").at("victims");
    EXPECT_THAT(column(victims, "leak")[0].get<std::string>(), HasSubstr("50 % of its numbers left out"));
    return mean(column(victims, "psnr"));
  };
  EXPECT_GT(psnr("true"), 5 + psnr("false"));
}

TEST(TrainingAttack, PlansThatCannotWorkAreRefusedBeforeTheFirstStep) {
  EXPECT_THAT(problems_of({"fedsgd", "kind = \"none\"\n", "[attack]\nkind = \"dlg\"\n", 2}),
              Contains(HasSubstr("needs somebody who listens")));
  EXPECT_THAT(problems_of(attacked("central", "kind = \"dlg\"\n")),
              Contains(HasSubstr("no attack reads gradients")));
  EXPECT_THAT(problems_of(attacked("fedsgd", "kind = \"pdmm-difference\"\n")),
              Contains(HasSubstr("cannot read the messages of protocol \"fedsgd\"")));
  const auto gossip = [](const char* protocol, const char* settings, const char* attack) {
    return problems_of({protocol, "kind = \"none\"\n",
                        fmt::format("{}[adversary]\nkind = \"first\"\n[attack]\n{}", settings, attack), 2});
  };
  EXPECT_THAT(gossip("dgd", "", "kind = \"dgd+inversion\"\nexact_steps = false\nround = 2\n"),
              Contains(HasSubstr("all rounds of gossip together")));
  EXPECT_TRUE(gossip("dgd", "", "kind = \"dgd+inversion\"\nround = 2\n").empty());
  for (const char* protocol : {"dgd", "d_psgd", "muffliato"})
    EXPECT_THAT(gossip(protocol, "local_steps = 2\n", "kind = \"dlg\"\n"),
                Contains(HasSubstr("one local step a round")));
  EXPECT_THAT(gossip("d_psgd", "", "kind = \"dgd+inversion\"\n"),
              Contains(HasSubstr("cannot read the messages of protocol \"d_psgd\"")));
  EXPECT_THAT(gossip("d_psgd", "", "kind = \"dlg\"\nround = 2\n"),
              Contains(HasSubstr("round 2 is heard in round 3, which is not recorded")));
  EXPECT_THAT(gossip("dgd", "", "kind = \"dlg\"\nround = 3\n"),
              Contains(HasSubstr("attacked, but not recorded")));
  EXPECT_THAT(problems_of(attacked("fedsgd", "kind = \"dlg\"\nin_range = true\n")),
              Contains(HasSubstr("without bounds")));
  EXPECT_THAT(
      problems_of(attacked("fedsgd", "kind = \"dlg\"\nlabels = \"per_class\"\nstart = \"original\"\n")),
      Contains(HasSubstr("start at random")));
  EXPECT_TRUE(problems_of(attacked("fedsgd", "kind = \"dlg\"\n")).empty());
}

TEST(StepLog, TellsWhichRecordsWereAtStake) {
  const testing::Setting setting({"fedsgd", "kind = \"none\"\n", "batch = 3\n", 4});
  const auto trial = setting.trial();
  StepLog log;
  for (int round = 0; round < 4; ++round) {
    log.note(trial->protocol());
    trial->run().advance();
  }
  log.note(trial->protocol());
  Learner& learner = *trial->protocol().learners()[2];
  for (std::uint64_t round = 1; round <= 4; ++round) {
    auto expected = learner.records_of_step(round - 1).first;
    std::ranges::sort(expected);
    EXPECT_EQ(log.used(trial->protocol(), 2, round, 1).records, expected);
  }
  EXPECT_EQ(log.used(trial->protocol(), 2, 1, 4).records.size(), learner.records().size());
}

}  // namespace
}  // namespace earshot
