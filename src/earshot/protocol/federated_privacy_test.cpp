// What federated training promises, and what a published schedule really cost.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/federated_averaging.hpp"
#include "earshot/protocol/federated_scaffold.hpp"
#include "earshot/protocol/federated_sgd.hpp"
#include "earshot/protocol/federated_test_runs.hpp"
#include "earshot/training/protection_components.hpp"

namespace earshot {
namespace {

using testing::Federation;
using testing::SmallTask;
using Vector = std::vector<double>;

Protection protection(std::string_view name, const Json& given, const ProtectionUse& use) {
  const ProtectionComponent& component = find_protection(name);
  return component.make(testing::valid_settings(component.schema, given), use);
}

double epsilon_by(const Ledger& ledger, RenyiConversion conversion, double delta) {
  RdpAccountant accountant({}, conversion);
  ledger.replay(ledger.accounts().front(), accountant);
  return accountant.epsilon(delta);
}

/// Shahbazi 2026: 10 clients, half of them in each of 100 rounds, 20 local steps of batches of 50, noise
/// multiplier 2.90, delta 1e-4.
struct Schedule {
  SmallTask small;
  std::unique_ptr<Federation> federation;
  Learner* typical = nullptr;  // who took part in 50 rounds

  Schedule(std::size_t records, const char* draw, BatchDraw kind) : small(10, records) {
    const Json given{{"rounds", 100}, {"fraction", 0.5}, {"local_steps", 20},     {"batch", 50},
                     {"draw", draw},  {"momentum", 0.9}, {"learning_rate", 0.002}};
    const ProtectionUse use{kind, 2000, 100, records, 50, 6};
    const Json noise{{"noise_multiplier", 2.90}, {"delta", 1e-4}};
    federation = std::make_unique<Federation>(
        ProtocolUse{small, fedavg_component(), given, protection("dp_sgd", noise, use)}, 100);
    for (Learner* learner : federation->protocol().learners()) {
      if (learner->participations() == 50) typical = learner;
    }
  }
};

/// The published label is the classical calibration of one release; a client that took part in half of the
/// rounds has made a thousand.
TEST(FederatedPrivacy, APublishedScheduleCostsWhatItsThousandStepsCost) {
  EXPECT_NEAR(GaussianMechanism::classical(promised_terms(Norm::kL2, 1, Adjacency::kAddRemove, "record"), 1.5,
                                           1e-4, true)
                  .noise_deviation(1),
              2.90, 0.005);
  const Schedule real(205, "poisson", BatchDraw::kPoisson);
  ASSERT_NE(real.typical, nullptr);
  EXPECT_EQ(real.typical->steps(), 1000U);
  EXPECT_NEAR(epsilon_by(real.typical->ledger(), RenyiConversion::kClassic, 1e-4), 15.61, 0.01);
  EXPECT_NEAR(epsilon_by(real.typical->ledger(), RenyiConversion::kImproved, 1e-4), 14.48, 0.01);
  const PrivacyStatement statement = real.typical->statement();
  EXPECT_LE(*statement.epsilon, 14.49);
  EXPECT_GE(*statement.epsilon, 13.5);
  EXPECT_EQ(statement.unit, "record");
  EXPECT_THAT(statement.assumptions, ::testing::Contains(::testing::HasSubstr("amplifies nothing")));

  const Schedule whole(293, "poisson", BatchDraw::kPoisson);  // as if the held-out records were sampled too
  ASSERT_NE(whole.typical, nullptr);
  EXPECT_NEAR(epsilon_by(whole.typical->ledger(), RenyiConversion::kClassic, 1e-4), 10.19, 0.01);
  EXPECT_NEAR(epsilon_by(whole.typical->ledger(), RenyiConversion::kImproved, 1e-4), 9.26, 0.01);
}

/// Batches dealt from a shuffle: 1000 steps are 200 passes, each a release without amplification.
TEST(FederatedPrivacy, ShuffledBatchesDoNotGetTheSampledNumber) {
  const Schedule shuffled(205, "shuffled", BatchDraw::kShuffled);
  ASSERT_NE(shuffled.typical, nullptr);
  const auto& entries = shuffled.typical->ledger().entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].count, 200U);
  EXPECT_EQ(kind_name(*entries[0].release), "gaussian");
  EXPECT_GT(*shuffled.typical->statement().epsilon, 60);
}

TEST(FederatedPrivacy, TheSystemPromisesWhatItsBusiestClientIsPromised) {
  const SmallTask small(6, 20);
  const ProtectionUse use{BatchDraw::kPoisson, 30, 10, 20, 5, 6};
  const Json given{{"rounds", 10}, {"clients", 2}, {"batch", 5}, {"draw", "poisson"}};
  const Federation federation(
      {small, fedavg_component(), given, protection("dp_sgd", {{"noise_multiplier", 2.0}}, use)}, 10);
  double worst = 0;
  std::uint64_t most = 0;
  Learner* busiest = nullptr;
  for (Learner* learner : federation.protocol().learners()) {
    worst = std::max(worst, *learner->statement().epsilon);
    EXPECT_EQ(learner->steps(), 4 * learner->participations());
    if (learner->participations() > most) {
      most = learner->participations();
      busiest = learner;
    }
  }
  EXPECT_EQ(*busiest->statement().epsilon, worst);
}

/// Noise on updates: what a client sends is the model plus its clipped change plus noise.
TEST(FederatedPrivacy, UpdatesAreClippedAsOneVector) {
  const SmallTask small(3, 8);
  const ProtectionUse use{BatchDraw::kShuffled, 8, 4, 8, 2, 6};
  const Json quiet{{"noise_multiplier", 1e-9}, {"clip", 0.02}};
  Json given{{"rounds", 4}, {"batch", 2}, {"local_epochs", 2}, {"learning_rate", 1.0}};
  for (const ProtocolComponent* component : {&fedavg_component(), &scaffold_component()}) {
    const Federation federation({small, *component, given, protection("client_update", quiet, use)}, 1);
    Vector change = federation.said_by(1).front();
    change.resize(6);
    if (component == &fedavg_component()) {
      for (std::size_t i = 0; i < 6; ++i) change[i] -= small.start[i];
    }
    EXPECT_NEAR(norm_of(Norm::kL2, change), 0.02, 1e-6);
    EXPECT_EQ(federation.protocol().learners()[1]->statement().unit, "one node's whole data");
  }
  given["control"] = "gradient";
  EXPECT_THROW(Federation({small, scaffold_component(), given, protection("client_update", quiet, use)}, 1),
               Error);
}

TEST(FederatedPrivacy, ClientsFallSilentAtTheirBudget) {
  const SmallTask small(3, 8);
  const ProtectionUse use{BatchDraw::kShuffled, 30, 30, 8, 0, 6};
  for (const ProtocolComponent* component :
       {&fedsgd_component(), &fedavg_component(), &scaffold_component()}) {
    const Json noise{{"noise_multiplier", 4.0}, {"budget", 4.0}};
    const Json given{{"rounds", 30}};
    const Federation federation({small, *component, given, protection("dp_sgd", noise, use)}, 30);
    const std::size_t said = federation.said_by(0).size();
    EXPECT_GT(said, 0U);
    EXPECT_LT(said, 30U);
    EXPECT_EQ(federation.protocol().learners()[0]->steps(), said);
    EXPECT_TRUE(federation.protocol().learners()[0]->exhausted());
    EXPECT_LE(*federation.protocol().learners()[0]->statement().epsilon, 4.0);
  }
}

TEST(FederatedPrivacy, ChoosingAClusterIsNotProtected) {
  const SmallTask small(3, 8);
  const Protection noise =
      protection("dp_sgd", {{"noise_multiplier", 4.0}}, {BatchDraw::kShuffled, 1, 1, 8, 0, 6});
  EXPECT_THROW(Federation({small, fedavg_component(), {{"rounds", 1}, {"clusters", 2}}, noise}, 1), Error);
}

/// Laplace noise of scale 1 / 1.5 on every coordinate of a gradient clipped to length 1: undivided it drowns
/// a model of a thousand parameters, divided by the batch size it does not, and neither keeps the label.
TEST(FederatedPrivacy, ThePublishedLaplaceNoiseDrownsTheModelUnlessDivided) {
  const SmallTask small(4, 50, 1, {"", {2}, {Dense{200}, Activate{ActivationKind::kTanh}, Dense{2}}});
  const ProtectionUse use{BatchDraw::kShuffled, 100, 20, 50, 50, small.start.size()};
  const Json given{
      {"rounds", 20}, {"batch", 50}, {"local_steps", 5}, {"learning_rate", 0.1}, {"momentum", 0.9}};
  const auto loss = [&](bool divided) {
    const Json label{{"label_epsilon", 1.5}, {"divide_by_batch", divided}};
    const Federation federation(
        {small, fedavg_component(), given, protection("laplace_as_published", label, use)}, 20);
    EXPECT_GT(*federation.protocol().learners()[0]->statement().epsilon, 100 * 1.5);
    return small.loss(federation.state());
  };
  EXPECT_LT(loss(true), 0.4);
  EXPECT_GT(loss(false), std::log(2.0));  // guessing
}

}  // namespace
}  // namespace earshot
