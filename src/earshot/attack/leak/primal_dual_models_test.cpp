#include "earshot/attack/leak/primal_dual_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/honest_sums.hpp"
#include "earshot/attack/leak/primal_dual_test_run.hpp"
#include "earshot/core/error.hpp"
#include "earshot/graph/edge_sign.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;
using testing::OverheardRun;
using testing::with;

/// Every identity, for every rule, averaging and schedule, with a random z^(0) nobody but its ends knows.
class PrimalDualIdentity : public ::testing::TestWithParam<std::tuple<double, const char*, int>> {
 protected:
  PrimalDualIdentity()
      : run(pdmm_component(), settings(), testing::geometric(12, 0.42), testing::tapping_all(12, {3}), 16,
            2) {}

  static Json settings() {
    const auto [theta, activation, rule] = GetParam();
    const Json rules[] = {testing::exact_update(), testing::one_step(), testing::parabola()};
    return with(rules[rule], {{"theta", theta},
                              {"activation", activation},
                              {"activation_probability", 0.7},
                              {"messages", "differential"},
                              {"z_deviation", 1}});
  }
  /// Exact updates leave a gradient of up to 1e-13 (1 + |dual|).
  static double tolerance() { return std::get<2>(GetParam()) == 0 ? 2e-11 : 2e-12; }

  const VectorXd& model(const PrimalDualTranscript& transcript, NodeId node, std::size_t step) const {
    return run.model(transcript.steps(node)[step], node);
  }

  OverheardRun run;
};

TEST_P(PrimalDualIdentity, ModelsAreKnownFromOneMember) {
  const PrimalDualTranscript transcript = run.transcript();
  for (const NodeId node : testing::everybody(12)) {
    const std::size_t steps = transcript.steps(node).size();
    ASSERT_GE(steps, 2U);
    for (const Links links : {Links::kOne, Links::kAll}) {
      const auto change = model_change(transcript, node, 0, steps - 1, links);
      EXPECT_LT((*change - model(transcript, node, steps - 1) + model(transcript, node, 0)).norm(), 1e-12);
      for (std::size_t step = 0; step < steps; ++step) {
        const auto found = model_along_links(transcript, node, step, links);
        ASSERT_TRUE(found);
        EXPECT_LT((*found - model(transcript, node, step)).norm(), 2e-12) << node << " " << step;
        const bool beside = node == 3 || run.graph.has_edge(node, 3);
        EXPECT_EQ(model_at_known_link(transcript, node, step, links).has_value(), beside);
      }
    }
  }
}

TEST_P(PrimalDualIdentity, GapsBetweenNeighboursAreReadOffTheirLink) {
  const PrimalDualTranscript transcript = run.transcript();
  for (const auto& [a, b] : run.graph.edges()) {
    for (std::size_t s = 0; s < transcript.steps(a).size(); ++s) {
      for (const std::size_t t : {std::size_t{0}, transcript.steps(b).size() - 1}) {
        const auto gap = model_gap(transcript, a, s, b, t);
        EXPECT_LT((*gap - model(transcript, a, s) + model(transcript, b, t)).norm(), 2e-12);
      }
    }
  }
}

TEST_P(PrimalDualIdentity, DifferencesOfGradientsNeedNoModel) {
  const PrimalDualTranscript transcript = run.transcript();
  const LocalRule rule = transcript.facts().rule;
  const double s = testing::bend_of(transcript.facts());
  std::size_t told = 0;
  for (const NodeId node : testing::everybody(12)) {
    for (std::size_t m = 0; m + 1 < transcript.steps(node).size(); ++m) {
      const auto difference = gradient_difference(transcript, node, m, rule, Links::kAll);
      if (!difference) continue;
      const VectorXd truth =
          run.gradient(node, model(transcript, node, m + 1)) - run.gradient(node, model(transcript, node, m));
      EXPECT_LT((difference->value(s) - truth).norm(), tolerance());
      ++told;
    }
    if (node == 3) continue;  // the member knows its own
    EXPECT_FALSE(whole_gradient(transcript, node, 0, rule, Links::kAll));
  }
  EXPECT_GT(told, 40U);
}

/// Three members leave components of several nodes and perhaps of one.
TEST_P(PrimalDualIdentity, SumsOverHonestComponentsAreKnown) {
  for (const std::vector<NodeId>& members :
       {std::vector<NodeId>{3}, std::vector<NodeId>{1, 3, 7}, std::vector<NodeId>{0, 2, 3, 5, 6, 7, 9}}) {
    const OverheardRun other(pdmm_component(), settings(), run.graph, testing::tapping_all(12, members), 16,
                             2);
    const PrimalDualTranscript transcript = other.transcript();
    const double s = testing::bend_of(transcript.facts());
    const Round at = transcript.facts().exchanges * 4;
    const auto sums = honest_sums(transcript, transcript.facts().rule, at, Links::kAll);
    EXPECT_EQ(sums.size(), honest_components(transcript).size());
    std::size_t nodes = members.size();
    for (const HonestSum& sum : sums) {
      VectorXd truth = VectorXd::Zero(3);
      for (std::size_t i = 0; i < sum.nodes.size(); ++i) {
        const VectorXd& w = model(transcript, sum.nodes[i], sum.steps[i]);
        EXPECT_LT((w - sum.models[i]).norm(), 2e-12);
        truth += other.gradient(sum.nodes[i], w);
      }
      EXPECT_LT((sum.gradients.value(s) - truth).norm(), 10 * tolerance());
      nodes += sum.nodes.size();
    }
    EXPECT_EQ(nodes, 12U);
  }
}

std::string case_name(const ::testing::TestParamInfo<PrimalDualIdentity::ParamType>& info) {
  const std::array<const char*, 3> rules{"exact", "step", "parabola"};
  const auto& [theta, activation, rule] = info.param;
  return fmt::format("{}_{}_{}", rules.at(static_cast<std::size_t>(rule)), activation,
                     std::lround(10 * theta));
}
INSTANTIATE_TEST_SUITE_P(All, PrimalDualIdentity,
                         ::testing::Combine(::testing::Values(1.0, 0.5, 0.3),
                                            ::testing::Values("all", "random_one", "probability"),
                                            ::testing::Values(0, 1, 2)),
                         case_name);

TEST(PrimalDualModels, ANodeCutOffByMembersIsAComponentOfItsOwn) {
  const OverheardRun run(pdmm_component(),
                         with(testing::one_step(), {{"messages", "differential"}, {"z_deviation", 1}}),
                         testing::ring(6), testing::tapping_all(6, {0, 2}), 5, 2);
  const PrimalDualTranscript transcript = run.transcript();
  using Component = std::vector<NodeId>;
  EXPECT_THAT(honest_components(transcript), ::testing::ElementsAre(Component{1}, Component{3, 4, 5}));
  const auto sums = honest_sums(transcript, LocalRule::kOneStep, 2, Links::kAll);
  EXPECT_LT((sums[0].gradients.value(10) - run.gradient(1, run.model(2, 1))).norm(), 1e-12);
}

TEST(PrimalDualModels, WithoutAMemberOnlyDifferencesAreKnown) {
  const OverheardRun run(pdmm_component(),
                         with(testing::one_step(), {{"messages", "differential"}, {"z_deviation", 1}}),
                         testing::ring(5), testing::tapping_all(5, {}), 5);
  const PrimalDualTranscript transcript = run.transcript();
  EXPECT_FALSE(model_along_links(transcript, 0, 1, Links::kAll));
  EXPECT_FALSE(model_from_the_end(transcript, 0, 1, Links::kAll));
  EXPECT_TRUE(model_change(transcript, 0, 1, 2, Links::kAll));
  EXPECT_TRUE(honest_sums(transcript, LocalRule::kOneStep, 2, Links::kAll).empty());
}

/// Closed loop: |error| <= cell / (2 rho theta) on every link, also over many rounds: errors telescope. Their
/// mean over links is nearer, as long as a random z^(0) makes them differ from link to link.
TEST(PrimalDualModels, RoundingLeavesAnErrorWithinOneCell) {
  const double cell = 0.02, theta = 0.8;
  const Graph graph = testing::geometric(14, 0.5);
  const Json settings =
      with(testing::one_step(),
           {{"messages", "differential"}, {"z_deviation", 1}, {"cell_width", cell}, {"theta", theta}});
  const OverheardRun run(pdmm_component(), settings, graph, testing::tapping_all(14, {}), 60);
  const PrimalDualTranscript transcript = run.transcript();
  const double bound = cell / (2 * 0.4 * theta);
  double one = 0, all = 0, largest = 0;
  for (const NodeId node : testing::everybody(14)) {
    for (std::size_t from = 0; from < 60; from += 3) {
      for (std::size_t to = from + 1; to < 60; to += 7) {
        const VectorXd truth =
            run.model(static_cast<Round>(to), node) - run.model(static_cast<Round>(from), node);
        const VectorXd error = *model_change(transcript, node, from, to, Links::kOne) - truth;
        const VectorXd mean_error = *model_change(transcript, node, from, to, Links::kAll) - truth;
        largest = std::max(largest, error.cwiseAbs().maxCoeff());
        one += error.squaredNorm();
        all += mean_error.squaredNorm();
      }
    }
  }
  EXPECT_LE(largest, bound * (1 + 1e-9));
  EXPECT_GT(largest, bound / 2);
  EXPECT_LT(all, one / 2);
}

/// z^(0) = 0 puts all links of a node on the same grid: their errors are the same, and a mean gains nothing.
TEST(PrimalDualModels, LinksOnOneGridHaveOneError) {
  const OverheardRun run(pdmm_component(),
                         with(testing::one_step(), {{"messages", "differential"}, {"cell_width", 0.02}}),
                         testing::complete(5), testing::tapping_all(5, {}), 4);
  const PrimalDualTranscript transcript = run.transcript();
  for (const NodeId node : testing::everybody(5)) {
    const auto one = model_change(transcript, node, 0, 1, Links::kOne);
    const auto all = model_change(transcript, node, 0, 1, Links::kAll);
    EXPECT_LT((*one - *all).norm(), 1e-12);
    EXPECT_GT((*one - run.model(1, node) + run.model(0, node)).norm(), 1e-5);
  }
}

/// Noise n that only the eavesdropper hears (Yu 2026, equations 6.7 and 6.8, whose sign is the other way
/// round): a model walked back along one link from a true end is wrong by - B / (2 rho) sum (n_{j|i} -
/// n_{i|j}), n_{j|i} of the rounds after it and n_{i|j} of those before them.
TEST(PrimalDualModels, NoiseOnTheWireEntersWithThisSign) {
  const Round rounds = 7, at = 2;
  const OverheardRun run(pdmm_component(),
                         with(testing::one_step(), {{"messages", "differential"}, {"z_deviation", 1}}),
                         testing::path(2), testing::tapping_all(2, {}), rounds);
  const std::vector<Adversary> adversaries{run.view().adversary()};
  Recorder noisy(2, adversaries, run.view().told(), RoundWindow{0, rounds});
  std::map<std::pair<NodeId, Round>, VectorXd> noise;  // by sender and exchange
  Stream stream({11, Purpose::kTest});
  for (const Overheard& heard : run.view().messages()) {
    VectorXd message = Eigen::Map<const VectorXd>(heard.message.data(), 3);
    VectorXd& n = noise[{heard.from, heard.round}] = VectorXd(3);
    for (double& one : n) one = stream.normal();
    message += n;
    noisy.on_message(heard.round, heard.from, *heard.to, {message.data(), 3});
  }
  const PrimalDualTranscript transcript(noisy.views()[0], primal_dual_facts(noisy.told()));
  for (const NodeId i : {NodeId{0}, NodeId{1}}) {
    VectorXd error = VectorXd::Zero(3);
    for (Round t = at; t + 1 < rounds; ++t) error += noise.at({i, t + 1}) - noise.at({1 - i, t});
    error *= -edge_sign(i, 1 - i) / (2 * 0.4);
    const VectorXd walked =
        run.model(rounds - 1, i) - *model_change(transcript, i, at, rounds - 1, Links::kOne);
    EXPECT_LT((walked - run.model(at, i) - error).norm(), 1e-12);
  }
}

TEST(PrimalDualFacts, RefuseWhatIsMissing) {
  const OverheardRun run(pdmm_component(), testing::one_step(), testing::ring(4), testing::tapping_all(4, {}),
                         3);
  const auto refusal = [&](const std::function<void(PublicKnowledge&)>& change) -> std::string {
    PublicKnowledge told = run.view().told();
    change(told);
    try {
      primal_dual_facts(told);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal([](PublicKnowledge&) {}), "accepted");
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.protocol["kind"] = "dgd"; }), HasSubstr("pdmm, admm"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.protocol.erase("rho"); }), HasSubstr("rho"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.protocol["theta"] = -1; }), HasSubstr("above 0"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.protocol["update"] = "guessed"; }),
              HasSubstr("guessed"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.network = nullptr; }), HasSubstr("talk to whom"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) {
                told.protocol["records"] = {1, 2};
              }),
              HasSubstr("records of 2 nodes"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) {
                told.protocol["records"] = {1, 2, 0, 1};
              }),
              HasSubstr("without records"));
  EXPECT_THAT(refusal([](PublicKnowledge& told) { told.protocol["exchanges"] = 0; }),
              HasSubstr("without exchanges"));
}

}  // namespace
}  // namespace earshot
