#include "earshot/attack/leak/primal_dual_leak.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/inversion/closed_form.hpp"
#include "earshot/attack/leak/primal_dual_settings.hpp"
#include "earshot/attack/leak/primal_dual_test_run.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;
using testing::OverheardRun;
using testing::with;

const Json kHidden{{"messages", "differential"}, {"z_deviation", 1}};

VectorXd vector(const std::vector<double>& numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// x = r_w / r_b, for one sigmoid unit.
VectorXd ratio(const Leak& leak) {
  const VectorXd r = vector(leak.observation.values);
  return r.head(r.size() - 1) / r[r.size() - 1];
}

/// How far a leak is from what the true records give at the true models.
double deviation(const OverheardRun& run, const Leak& leak) {
  ExampleMemory memory;
  const auto& shard = run.small.shards[leak.victim];
  const Problems<double> truth = run.small.examples->gather(shard, run.small.model->output_size(), 0, memory);
  std::vector<double> predicted(leak.observation.values.size());
  make_predictor<double>(*run.small.model, leak.observation)
      ->predict({1, truth.rows, truth.inputs, truth.targets}, predicted);
  return (vector(predicted) - vector(leak.observation.values)).cwiseAbs().maxCoeff();
}

/// Yu 2026 has the adversary of one record per node listen until all agree, about 20,000 rounds for an error
/// of 1e-8. Three rounds are enough, without any member.
TEST(PrimalDualLeak, ThreeRoundsShowTheRecordsOfLogisticRegression) {
  const Graph graph = testing::geometric(30, 0.35);
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), graph,
                         testing::tapping_all(30, {}), 3);
  const auto leaks = primal_dual_leaks(run.view(), {});
  ASSERT_EQ(leaks.size(), 30U);
  for (const Leak& leak : leaks) {
    EXPECT_LT((ratio(leak) - run.input(leak.victim)).norm(), 1e-10) << leak.victim;
    EXPECT_EQ(leak.round, 1U);
    EXPECT_EQ(leak.rounds, 3U);
    EXPECT_TRUE(leak.observation.terms[0].parameters.empty());
    EXPECT_EQ(leak.what, "difference of the gradients of rounds 1 and 2, read off the messages");
  }
  EXPECT_TRUE(primal_dual_leaks(run.view(), {.until = 2}).empty());
}

/// One member, anywhere: all models, hence observations that closed forms and searches can use as they are.
TEST(PrimalDualLeak, WithOneMemberObservationsAreThoseOfTheRecordsAtTheTrueModels) {
  const Graph graph = testing::geometric(12, 0.45);
  for (const Json& rule : {testing::exact_update(), testing::one_step(), testing::parabola()}) {
    for (const char* loss : {"sum", "mean"}) {
      const OverheardRun run(pdmm_component(), with(with(rule, kHidden), {{"loss", loss}, {"theta", 0.7}}),
                             graph, testing::tapping_all(12, {4}), 6, 3);
      const auto leaks =
          primal_dual_leaks(run.view(), {.form = DualForm::kDifference, .round = 2, .rounds = 2});
      ASSERT_EQ(leaks.size(), 22U);
      for (const Leak& leak : leaks) EXPECT_LT(deviation(run, leak), 1e-11) << leak.what;
    }
  }
}

TEST(PrimalDualLeak, TakesTheWholeGradientWhereItShows) {
  const Graph graph = testing::geometric(10, 0.5);
  for (const Json& rule : {testing::exact_update(), testing::one_step(), testing::parabola()}) {
    for (const Json& open : {Json{{"messages", "plain"}, {"z_deviation", 1}},
                             Json{{"messages", "differential"}, {"z_deviation", 0}}}) {
      const OverheardRun run(admm_component(), with(rule, open), graph, testing::tapping_all(10, {}), 4, 2);
      // The first z of plain messages is not heard when it is random.
      const auto leaks = primal_dual_leaks(run.view(), {.round = 2});
      ASSERT_EQ(leaks.size(), 10U);
      for (const Leak& leak : leaks) {
        EXPECT_EQ(leak.observation.terms.size(), 1U);
        EXPECT_LT(deviation(run, leak), 1e-11);
        EXPECT_THAT(leak.what, HasSubstr("gradient of round 2"));
      }
    }
  }
}

/// What is foreseen of a run is all that is read of it: the same leaks, to the last bit, off a fraction.
TEST(PrimalDualLeak, WhatWillBeReadIsKnownBeforeTheRun) {
  const Graph graph = testing::geometric(12, 0.45);
  const Adversary adversary = testing::tapping_all(12, {4});
  const auto expect_foreseen = [&](const Json& given, const PrimalDualLeakOptions& options) {
    const OverheardRun whole(pdmm_component(), given, graph, adversary, 8, 3);
    const auto read = messages_read(adversary, whole.view().told(), {0, 8}, options);
    ASSERT_TRUE(read);
    EXPECT_LT(read->size(), whole.view().messages().size() / 2);
    const OverheardRun few(pdmm_component(), given, graph, adversary, 8, 3, testing::logistic(), 0, *read);
    EXPECT_EQ(few.view().messages().size(), read->size());
    const auto expected = primal_dual_leaks(whole.view(), options);
    const auto leaks = primal_dual_leaks(few.view(), options);
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(leaks.size(), expected.size());
    for (std::size_t i = 0; i < leaks.size(); ++i) {
      EXPECT_EQ(leaks[i].victim, expected[i].victim);
      EXPECT_EQ(leaks[i].what, expected[i].what);
      EXPECT_EQ(leaks[i].observation.values, expected[i].observation.values);
      ASSERT_EQ(leaks[i].observation.terms.size(), expected[i].observation.terms.size());
      for (std::size_t t = 0; t < leaks[i].observation.terms.size(); ++t)
        EXPECT_EQ(leaks[i].observation.terms[t].parameters, expected[i].observation.terms[t].parameters);
    }
  };
  for (const Json& rule : {testing::exact_update(), testing::one_step(), testing::parabola()}) {
    for (const char* messages : {"plain", "differential"}) {
      const Json given = with(rule, {{"messages", messages}, {"z_deviation", 1}});
      for (const DualForm form : {DualForm::kBest, DualForm::kDifference, DualForm::kPublished})
        expect_foreseen(given, {.form = form, .round = 2, .victims = 2});
      expect_foreseen(given, {.form = DualForm::kDifference, .round = 2, .rounds = 2, .victims = 1});
      expect_foreseen(given, {.round = 2, .rounds = 2, .together = true, .victims = 2});
    }
  }
}

TEST(PrimalDualLeak, SomeRunsCannotBeForeseen) {
  const Graph graph = testing::geometric(12, 0.45);
  const Adversary adversary = testing::tapping_all(12, {4});
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), graph, adversary, 3);
  EXPECT_TRUE(messages_read(adversary, run.view().told(), {0, 3}, {.victims = 2}));
  EXPECT_FALSE(
      messages_read(adversary, run.view().told(), {0, 3}, {.anchor = ModelAnchor::kLast, .victims = 2}));
  const OverheardRun sleepy(pdmm_component(),
                            with(with(testing::one_step(), kHidden), {{"activation", "random_one"}}), graph,
                            adversary, 3);
  EXPECT_FALSE(messages_read(adversary, sleepy.view().told(), {0, 3}, {.victims = 2}));
}

TEST(PrimalDualLeak, ANodeAmongMembersHasNoSecrets) {
  const Graph graph = testing::ring(6);
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), graph, {{0, 2}, {}, {}}, 4);
  const auto leaks = primal_dual_leaks(run.view(), {});
  ASSERT_EQ(leaks.size(), 1U);  // of the others one direction of one link is missing
  EXPECT_EQ(leaks[0].victim, 1U);
  EXPECT_EQ(leaks[0].observation.terms.size(), 1U);
  EXPECT_LT(deviation(run, leaks[0]), 1e-12);
}

TEST(PrimalDualLeak, AServerLearnsEveryGradient) {
  for (const char* loss : {"sum", "mean"}) {
    const OverheardRun run(server_pdmm_component(), with(testing::exact_update(), {{"loss", loss}}),
                           testing::complete(5), {{5}, {}, {}}, 4, 3);
    for (const std::uint64_t round : {1, 3}) {
      const auto leaks = primal_dual_leaks(run.view(), {.round = round});
      ASSERT_EQ(leaks.size(), 5U);
      for (const Leak& leak : leaks) {
        EXPECT_EQ(leak.round, round);
        EXPECT_LT(deviation(run, leak), 1e-11);
      }
    }
  }
}

/// In primal units z_{s|i}, the gradient is rho (z_{s|i} - w_i) (Zhang, Niwa & Kleijn 2022).
TEST(PrimalDualLeak, AServersGradientIsThePublishedOne) {
  const OverheardRun run(server_pdmm_component(), testing::exact_update(), testing::complete(4),
                         {{4}, {}, {}}, 3);
  const PrimalDualTranscript transcript = run.transcript();
  for (NodeId node = 0; node < 4; ++node) {
    const Round at = transcript.steps(node)[2];
    const VectorXd z = -*transcript.value(node, 4, at) / transcript.facts().rho, w = run.model(at, node);
    EXPECT_LT((transcript.facts().rho * (z - w) - run.gradient(node, w)).norm(), 1e-11);
  }
}

TEST(PrimalDualLeak, NodesThatSleepLeakAllTheSame) {
  const Graph graph = testing::geometric(8, 0.5);
  for (const char* activation : {"random_one", "probability"}) {
    const OverheardRun run(pdmm_component(),
                           with(with(testing::one_step(), kHidden), {{"activation", activation}}), graph,
                           testing::tapping_all(8, {3}), 30);
    const auto leaks = primal_dual_leaks(run.view(), {.form = DualForm::kDifference, .round = 3});
    ASSERT_EQ(leaks.size(), 7U) << activation;
    for (const Leak& leak : leaks) {
      EXPECT_LT(deviation(run, leak), 1e-11);
      EXPECT_GE(leak.round, 3U);
      EXPECT_GE(leak.rounds, 1U);
    }
  }
}

TEST(PrimalDualLeak, ASecretStepIsRefusedOrGuessed) {
  const Graph graph = testing::geometric(8, 0.5);
  const OverheardRun run(pdmm_component(), with(with(testing::one_step(), kHidden), {{"private_step", true}}),
                         graph, testing::tapping_all(8, {0}), 5);
  try {
    primal_dual_leaks(run.view(), {});
    FAIL() << "a secret was known";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kConfig);
    EXPECT_THAT(error.what(), HasSubstr("private_step"));
  }
  double last = 0;
  for (const double guess : {0.1, 0.101, 0.11, 0.2}) {
    double worst = 0;
    for (const Leak& leak : primal_dual_leaks(run.view(), {.step = guess}))
      worst = std::max(worst, deviation(run, leak));
    if (guess == 0.1)
      EXPECT_LT(worst, 1e-12);
    else
      EXPECT_GT(worst, 2 * last);
    last = worst;
  }
  EXPECT_EQ(primal_dual_leaks(run.view(), {.exact_rule = true}).size(), 7U);
}

/// The error of a formula for exact updates falls with the number of steps (Yu 2026, Figure 6.2).
TEST(PrimalDualLeak, SeveralStepsAreTakenForAnExactUpdate) {
  const Graph graph = testing::geometric(8, 0.5);
  double last = 1e9;
  for (const int k_max : {2, 10, 50, 400}) {
    const OverheardRun run(pdmm_component(), with(kHidden, {{"k_max", k_max}, {"alpha", 0.1}}), graph,
                           testing::tapping_all(8, {0}), 4);
    double worst = 0;
    for (const Leak& leak : primal_dual_leaks(run.view(), {})) worst = std::max(worst, deviation(run, leak));
    EXPECT_LT(worst, last) << k_max;
    last = worst;
  }
  EXPECT_LT(last, 1e-11);
}

/// Yu 2026, equation 6.2, whose sign is the other way round: with the end taken for agreement the difference
/// is wrong by 2 rho sum_j (w_j - w_i) at the end, whoever the member is.
TEST(PrimalDualLeak, ThePublishedFormIsWrongByTheDisagreementAtTheEnd) {
  const Graph graph = testing::geometric(10, 0.45);
  for (const Json& rule : {testing::exact_update(), testing::one_step(), testing::parabola()}) {
    const Round rounds = 12;
    const OverheardRun run(pdmm_component(), with(rule, kHidden), graph, testing::tapping_all(10, {2}),
                           rounds);
    const PrimalDualLeakOptions options{
        .form = DualForm::kPublished, .anchor = ModelAnchor::kLast, .round = 2};
    const auto leaks = primal_dual_leaks(run.view(), options);
    ASSERT_EQ(leaks.size(), 9U);
    for (const Leak& leak : leaks) {
      const NodeId i = leak.victim;
      VectorXd error = VectorXd::Zero(3);
      for (const NodeId j : graph.neighbours(i))
        error += 2 * 0.4 * (run.model(rounds - 1, j) - run.model(rounds - 1, i));
      const VectorXd truth = run.gradient(i, run.model(1, i)) - run.gradient(i, run.model(3, i));
      EXPECT_LT((vector(leak.observation.values) - truth - error).norm(), 1e-11);
      EXPECT_GT(error.norm(), 1e-4);
      const VectorXd anchor = run.model(rounds - 1, 2) - run.model(rounds - 1, i);
      EXPECT_LT((vector(leak.observation.terms[0].parameters) - run.model(1, i) - anchor).norm(), 1e-12);
    }
    for (const Leak& leak : primal_dual_leaks(run.view(), {.form = DualForm::kPublished, .round = 2}))
      EXPECT_LT(deviation(run, leak), 1e-11);  // models along links
  }
}

TEST(PrimalDualLeak, ThePublishedFormIsForItsOwnSettingOnly) {
  const Graph graph = testing::geometric(8, 0.5);
  for (const Json& other :
       {Json{{"theta", 0.5}}, Json{{"activation", "random_one"}}, Json{{"activation", "probability"}}}) {
    const OverheardRun run(pdmm_component(), with(with(testing::one_step(), kHidden), other), graph,
                           testing::tapping_all(8, {0}), 5);
    EXPECT_THROW(primal_dual_leaks(run.view(), {.form = DualForm::kPublished}), Error);
  }
}

/// A recording that starts late has no z, but differences all the same.
TEST(PrimalDualLeak, ALateStartOfTheRecordingChangesNothingForDifferences) {
  const Graph graph = testing::geometric(8, 0.5);
  const OverheardRun run(pdmm_component(),
                         with(testing::one_step(), {{"messages", "differential"}, {"z_deviation", 0}}), graph,
                         testing::tapping_all(8, {0}), 9, 1, testing::logistic(), 5);
  const auto leaks = primal_dual_leaks(run.view(), {});
  ASSERT_EQ(leaks.size(), 7U);
  for (const Leak& leak : leaks) {
    EXPECT_EQ(leak.round, 6U);
    EXPECT_EQ(leak.observation.terms.size(), 2U);
    EXPECT_LT((ratio(leak) - run.input(leak.victim)).norm(), 1e-9);
  }
}

TEST(PrimalDualLeak, RefusesDifferencesOfOtherBatches) {
  const OverheardRun run(pdmm_component(), with(with(testing::one_step(), kHidden), {{"batch", 2}}),
                         testing::ring(4), testing::tapping_all(4, {0}), 4, 5);
  EXPECT_THROW(primal_dual_leaks(run.view(), {}), Error);
}

TEST(PrimalDualLeak, SaysNothingOfWhatIsNotHeard) {
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), testing::ring(6),
                         {{0}, {}, {}}, 5);
  EXPECT_TRUE(primal_dual_leaks(run.view(), {}).empty());
}

/// The whole way for a network of two layers: the record and its label.
TEST(PrimalDualLeak, ClosedFormsGoOnFromThere) {
  const Graph graph = testing::geometric(8, 0.5);
  const Architecture network{"", {2}, {Dense{12}, Activate{}, Dense{2}}};
  const OverheardRun run(pdmm_component(), with(testing::one_step(), kHidden), graph,
                         testing::tapping_all(8, {1}), 4, 1, network);
  for (const Leak& leak : primal_dual_leaks(run.view(), {})) {
    const auto& terms = leak.observation.terms;
    const auto found = closed_form_difference(network, *run.small.model, terms[1].parameters,
                                              terms[0].parameters, leak.observation.values);
    ASSERT_TRUE(found) << leak.victim;
    EXPECT_LT((vector(found->inputs) - run.input(leak.victim)).norm(), 1e-9);
    EXPECT_EQ(found->labels->at(0), leak.victim % 2);
  }
}

TEST(PrimalDualSettings, SayWhatTheAdversaryDoes) {
  const Schema schema{"attack", "test", "", "", primal_dual_parameters()};
  const Architecture model = testing::logistic();
  const auto options = [&](const Json& given, const Architecture* known) {
    return primal_dual_options(testing::valid_settings(schema, given), known);
  };
  const PrimalDualLeakOptions usual = options(Json::object(), nullptr);
  EXPECT_EQ(usual.form, DualForm::kBest);
  EXPECT_EQ(usual.links, Links::kAll);
  EXPECT_FALSE(usual.step || usual.together || usual.exact_rule || usual.fit_step != nullptr);
  const PrimalDualLeakOptions other = options({{"form", "published"},
                                               {"anchor", "last"},
                                               {"exact_rule", true},
                                               {"step_guess", 0.3},
                                               {"fit_step", true},
                                               {"links", "one"},
                                               {"leaks", 7},
                                               {"together", true},
                                               {"until", 9}},
                                              &model);
  EXPECT_EQ(other.form, DualForm::kPublished);
  EXPECT_EQ(other.anchor, ModelAnchor::kLast);
  EXPECT_TRUE(other.exact_rule && other.together);
  EXPECT_EQ(other.step, 0.3);
  EXPECT_EQ(other.fit_step, &model);
  EXPECT_EQ(other.links, Links::kOne);
  EXPECT_EQ(other.rounds, 7U);
  EXPECT_EQ(other.until, 9U);
  EXPECT_THROW(options({{"fit_step", true}}, nullptr), Error);
}

}  // namespace
}  // namespace earshot
