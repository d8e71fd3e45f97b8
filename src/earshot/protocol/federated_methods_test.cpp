#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/protocol/compression.hpp"
#include "earshot/protocol/federated_averaging.hpp"
#include "earshot/protocol/federated_scaffold.hpp"
#include "earshot/protocol/federated_sgd.hpp"
#include "earshot/protocol/federated_test_runs.hpp"
#include "earshot/protocol/model_clusters.hpp"

namespace earshot {
namespace {

using testing::Federation;
using testing::largest_difference;
using testing::SmallTask;

using Vector = std::vector<double>;

/// A client's full-batch training, by hand.
Vector local_training(const SmallTask& small, std::size_t client, Vector w, int steps, double rate,
                      double momentum, double mu) {
  const Vector start = w;
  Vector g(w.size()), u(w.size());
  for (int step = 0; step < steps; ++step) {
    small.task->gradient(w, {small.shards[client]}, g);
    for (std::size_t i = 0; i < w.size(); ++i) {
      u[i] = momentum * u[i] + g[i] + mu * (w[i] - start[i]);
      w[i] -= rate * u[i];
    }
  }
  return w;
}

TEST(FedAvg, EqualsLocalTrainingAndAveragingByHand) {
  const SmallTask small(3, 4);
  Vector w = small.start, velocity(w.size());
  for (int round = 0; round < 4; ++round) {
    Vector mean(w.size());
    for (std::size_t client = 0; client < 3; ++client) {
      const Vector trained = local_training(small, client, w, 5, 0.2, 0.9, 0);
      for (std::size_t i = 0; i < w.size(); ++i) mean[i] += trained[i] / 3;
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      velocity[i] = 0.4 * velocity[i] + (w[i] - mean[i]);
      w[i] -= 0.7 * velocity[i];
    }
  }
  const Json given{{"rounds", 4},     {"local_epochs", 5},           {"learning_rate", 0.2},
                   {"momentum", 0.9}, {"server_learning_rate", 0.7}, {"server_momentum", 0.4}};
  EXPECT_LT(largest_difference(Federation({small, fedavg_component(), given}, 4).state(), w), 1e-12);
}

/// The server learns from what is left of the gradients.
TEST(FedSgd, CompressedGradientsAreWhatTheServerAverages) {
  const SmallTask small(3, 4);
  const Compression compression{0.4, 0.01};
  Vector w = small.start, g(w.size()), scratch;
  for (int round = 0; round < 3; ++round) {
    Vector mean(w.size());
    for (std::size_t client = 0; client < 3; ++client) {
      small.task->gradient(w, {small.shards[client]}, g);
      compress(compression, g, scratch);
      for (std::size_t i = 0; i < w.size(); ++i) mean[i] += g[i] / 3;
    }
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= 0.2 * mean[i];
  }
  const Json given{{"rounds", 3}, {"learning_rate", 0.2}, {"pruned", 0.4}, {"cell", 0.01}};
  EXPECT_LT(largest_difference(Federation({small, fedsgd_component(), given}, 3).state(), w), 1e-12);
  const Json differences{{"rounds", 3}, {"messages", "differential"}, {"pruned", 0.4}};
  EXPECT_THROW(Federation({small, fedsgd_component(), differences}, 3), Error);
}

TEST(FedAvg, CountsLocalStepsOrPasses) {
  const SmallTask small(3, 10);
  const auto steps = [&](const Json& given) {
    const Federation federation({small, fedavg_component(), given}, 2);
    for (Learner* learner : federation.protocol().learners()) EXPECT_EQ(learner->participations(), 2U);
    const std::uint64_t made = federation.protocol().learners().front()->steps();
    EXPECT_EQ(made, fedavg_component().steps(testing::settings_of(fedavg_component(), given), 3, 10));
    return made;
  };
  EXPECT_EQ(steps({{"rounds", 2}, {"batch", 4}, {"local_epochs", 3}}), 18U);
  EXPECT_EQ(steps({{"rounds", 2}, {"batch", 4}, {"local_steps", 7}}), 14U);
}

TEST(FedProx, WithoutPullIsFedAvgAndWithItIsHeldBack) {
  const SmallTask small(3, 6);
  const Json given{{"rounds", 5}, {"batch", 2}, {"local_epochs", 4}};
  Json proximal = given;
  proximal["mu"] = 0.0;
  const Vector plain = Federation({small, fedavg_component(), given}, 5).state();
  EXPECT_EQ(Federation({small, fedprox_component(), proximal}, 5).state(), plain);

  const Json one{{"rounds", 1}, {"local_epochs", 6}, {"learning_rate", 0.2}, {"mu", 1.5}};
  Vector mean(plain.size());
  for (std::size_t client = 0; client < 3; ++client) {
    const Vector trained = local_training(small, client, small.start, 6, 0.2, 0, 1.5);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += trained[i] / 3;
  }
  EXPECT_LT(largest_difference(Federation({small, fedprox_component(), one}, 1).state(), mean), 1e-13);
}

/// Shards by label: what a client alone would learn is to answer its own label always.
struct SkewedTask : SmallTask {
  SkewedTask() : SmallTask(2, 30, 3) {
    for (auto& shard : shards) shard.clear();
    for (std::size_t i = 0; i < 60; ++i) shards[i % 2].push_back(i);
  }
  /// Length of the gradient of the loss over all records.
  double distance_from_optimum(Vector state) const {
    Vector g(state.size());
    std::vector<std::size_t> all(60);
    for (std::size_t i = 0; i < 60; ++i) all[i] = i;
    task->gradient(state, {all}, g);
    return norm_of(Norm::kL2, g);
  }
};

TEST(Scaffold, ReachesTheCommonOptimumWhereAveragingDrifts) {
  const SkewedTask skewed;
  const Json given{{"rounds", 400}, {"local_steps", 10}, {"learning_rate", 0.2}};
  const Vector averaged = Federation({skewed, fedavg_component(), given}, 400).state();
  EXPECT_GT(skewed.distance_from_optimum(averaged), 1e-3);
  for (const char* control : {"change", "gradient"}) {
    Json scaffold = given;
    scaffold["control"] = control;
    const Vector controlled = Federation({skewed, scaffold_component(), scaffold}, 400).state();
    EXPECT_LT(skewed.distance_from_optimum(controlled), 1e-6) << control;
  }
}

/// Karimireddy et al. 2020, Algorithm 1, written down again.
TEST(Scaffold, FollowsItsAlgorithm) {
  const SmallTask small(3, 4);
  for (const bool gradient_control : {false, true}) {
    Vector x = small.start, c(x.size());
    std::vector<Vector> controls(3, c);
    for (int round = 0; round < 4; ++round) {
      Vector x_sum(x.size()), c_sum(x.size());
      for (std::size_t client = 0; client < 3; ++client) {
        Vector y = x, g(x.size()), next(x.size());
        for (int step = 0; step < 5; ++step) {
          small.task->gradient(y, {small.shards[client]}, g);
          for (std::size_t i = 0; i < y.size(); ++i) y[i] -= 0.1 * (g[i] - controls[client][i] + c[i]);
        }
        small.task->gradient(x, {small.shards[client]}, g);
        for (std::size_t i = 0; i < y.size(); ++i) {
          next[i] = gradient_control ? g[i] : controls[client][i] - c[i] + (x[i] - y[i]) / (5 * 0.1);
          x_sum[i] += y[i] - x[i];
          c_sum[i] += next[i] - controls[client][i];
        }
        controls[client] = next;
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += 0.8 * x_sum[i] / 3;
        c[i] += c_sum[i] / 3;
      }
    }
    const Json given{{"rounds", 4},
                     {"local_epochs", 5},
                     {"learning_rate", 0.1},
                     {"server_learning_rate", 0.8},
                     {"control", gradient_control ? "gradient" : "change"}};
    const Federation federation({small, scaffold_component(), given}, 4);
    EXPECT_LT(largest_difference(federation.state(), x), 1e-12);
    EXPECT_EQ(federation.protocol().learners()[0]->steps(),
              scaffold_component().steps(testing::settings_of(scaffold_component(), given), 3, 4));
    EXPECT_THAT(federation.protocol().warnings(), ::testing::IsEmpty());
  }
}

TEST(FedSgd, DifferencesGiveTheSameModelAndKeepTheFirstGradientFromTheWire) {
  const SmallTask small(4, 5);
  Json given{{"rounds", 8}, {"learning_rate", 0.4}, {"momentum", 0.3}};
  const Federation plain({small, fedsgd_component(), given}, 8);
  given["messages"] = "differential";
  const Federation differential({small, fedsgd_component(), given}, 8);
  EXPECT_LT(largest_difference(plain.state(), differential.state()), 1e-12);

  const auto gradients = plain.said_by(2);
  const auto differences = differential.said_by(2);
  ASSERT_EQ(differences.size(), 8U);
  EXPECT_EQ(differences[0], Vector(small.start.size()));
  for (std::size_t t = 1; t < 8; ++t) {
    for (std::size_t i = 0; i < small.start.size(); ++i) {
      EXPECT_NEAR(differences[t][i], gradients[t][i] - gradients[t - 1][i], 1e-12);
    }
  }
  // Adding up backwards from the end finds the gradient up to the last one, which is the floor of that
  // attack.
  Vector recovered(small.start.size());
  for (std::size_t t = 7; t > 2; --t) {
    for (std::size_t i = 0; i < recovered.size(); ++i) recovered[i] -= differences[t][i];
  }
  for (std::size_t i = 0; i < recovered.size(); ++i) {
    EXPECT_NEAR(recovered[i] + gradients[7][i], gradients[2][i], 1e-12);
  }
}

TEST(FedSgd, DifferentialMessagesGoOnFromABreakAndTellWhatIsMissing) {
  const SmallTask small(4, 5);
  const ProtocolUse use{small, fedsgd_component(), {{"rounds", 8}, {"messages", "differential"}}};
  const Federation whole(use, 8);
  for (const Round rounds : {1, 5}) {
    const Federation resumed(use, Federation(use, rounds).sealed(), 8 - rounds);
    EXPECT_EQ(resumed.state(), whole.state());
  }
  FaultOptions faults;
  faults.loss = 0.2;
  EXPECT_THAT(Federation(use, 8, faults).protocol().warnings(),
              ::testing::Contains(::testing::HasSubstr("differences never reached the server")));
  const Json sampled{{"rounds", 8}, {"messages", "differential"}, {"fraction", 0.5}};
  EXPECT_THROW(Federation({small, fedsgd_component(), sampled}, 1), Error);
}

/// Clients of two kinds: labels as they are, and exchanged. No one model serves both.
struct TwoKinds : SmallTask {
  TwoKinds() : SmallTask(8, 20, 5) {
    Vector inputs, labels;
    Stream stream({5, Purpose::kTest});
    for (std::size_t i = 0; i < 160; ++i) {
      const bool exchanged = i / 20 % 2 == 1;
      const std::size_t side = i % 2;
      labels.push_back(static_cast<double>(exchanged ? 1 - side : side));
      for (int k = 0; k < 2; ++k) inputs.push_back(stream.normal() + (side == 0 ? -1.5 : 1.5));
    }
    examples = record_examples({2}, inputs, {2, labels});
    task = std::make_unique<LearningTask>(*model, *examples, Precision::kDouble);
  }
  double accuracy(const Vector& state, std::size_t kind) const {
    std::vector<std::size_t> records;
    for (std::size_t i = 0; i < 160; ++i) {
      if (i / 20 % 2 == kind) records.push_back(i);
    }
    return task->scores(state, records).accuracy;
  }
};

TEST(Clusters, SeparateTwoKindsOfClients) {
  const TwoKinds kinds;
  for (const char* choice : {"told", "nearest"}) {
    Json given{{"rounds", 30}, {"clusters", 2}, {"local_epochs", 5}, {"cluster_choice", choice}};
    const Federation federation({kinds, fedavg_component(), given}, 30);
    EXPECT_EQ(federation.protocol().public_facts().at("cluster_weights"), Json({80.0, 80.0})) << choice;
    const Vector found = federation.state();
    const double here = kinds.accuracy(found, 0);
    EXPECT_GT(std::max(here, 1 - here), 0.9) << choice;
    EXPECT_NEAR(here + kinds.accuracy(found, 1), 1, 0.1);
    if (std::string(choice) == "told") {
      std::vector<double> named;
      for (NodeId client = 0; client < 8; ++client) named.push_back(federation.said_by(client).back().back());
      for (NodeId client = 2; client < 8; ++client) EXPECT_EQ(named[client], named[client % 2]);
      EXPECT_NE(named[0], named[1]);
    }
  }
  const Json one{{"rounds", 30}, {"local_epochs", 5}};
  const Vector middle = Federation({kinds, fedavg_component(), one}, 30).state();
  EXPECT_LT(kinds.accuracy(middle, 0), 0.8);
}

TEST(Clusters, GoOnFromABreak) {
  const TwoKinds kinds;
  const ProtocolUse use{
      kinds, fedavg_component(), {{"rounds", 6}, {"clusters", 3}, {"server_momentum", 0.5}}};
  const Federation whole(use, 6);
  const Federation resumed(use, Federation(use, 2).sealed(), 4);
  EXPECT_EQ(resumed.sealed(), whole.sealed());
}

TEST(Clusters, KeepTheModelNobodyTrained) {
  ModelClusters server({1, 2, 10, 20}, 2, 2, {1, 0, 0}, {});
  EXPECT_TRUE(server.add(Vector{3, 4, 1}, 2));
  EXPECT_TRUE(server.add(Vector{6, 7, 1}, 1));
  EXPECT_FALSE(server.add(Vector{6, 7, 2}, 1));
  EXPECT_FALSE(server.add(Vector{6, 7, -1}, 1));
  server.apply();
  const auto models = server.request();
  EXPECT_EQ(Vector(models.begin(), models.end()), (Vector{1, 2, 4, 5}));
  Vector state(2);
  server.result(state);
  EXPECT_EQ(state, (Vector{4, 5}));
  EXPECT_EQ(nearest_model(Vector{1, 2, 4, 5}, Vector{3, 4}), 1U);
}

}  // namespace
}  // namespace earshot
