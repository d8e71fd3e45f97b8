#include "earshot/accounting/network/gaussian_view.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/accounting/network/leverage.hpp"
#include "earshot/accounting/network/rational_oracle.hpp"
#include "earshot/accounting/network/trust_models.hpp"
#include "earshot/core/error.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

Eigen::MatrixXd random_matrix(Stream& stream, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (double& x : matrix.reshaped()) x = stream.normal();
  return matrix;
}

TEST(GaussianGram, IsThePseudoInverseOfTheJointCovariance) {
  Stream stream({31, Purpose::kTest});
  for (int trial = 0; trial < 40; ++trial) {
    // 9 messages carrying noise of rank 5, signals inside its range.
    const Eigen::MatrixXd noise = random_matrix(stream, 9, 5) * random_matrix(stream, 5, 7);
    const Eigen::MatrixXd signal = noise * random_matrix(stream, 7, 4);
    const GaussianGram found = gaussian_gram({signal, noise, std::nullopt});
    const Eigen::MatrixXd covariance = noise * noise.transpose();
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse;
    inverse.setThreshold(1e-9);
    inverse.compute(covariance);
    const Eigen::MatrixXd expected = signal.transpose() * inverse.pseudoInverse() * signal;
    EXPECT_LT((found.gram - expected).cwiseAbs().maxCoeff(), 1e-6 * (1 + expected.cwiseAbs().maxCoeff()));
    EXPECT_EQ(found.uncovered, std::vector<bool>(4, false));
  }
}

TEST(GaussianGram, AComponentWithoutNoiseIsNotProtected) {
  // Two messages with the same noise: their difference is free of it.
  Eigen::MatrixXd signal(2, 2), noise(2, 1);
  signal << 1, 1, 1, 0;
  noise << 1, 1;
  const GaussianGram gram = gaussian_gram({signal, noise, std::nullopt});
  EXPECT_EQ(gram.uncovered, (std::vector<bool>{false, true}));
  const std::vector<std::size_t> covered = {0}, both = {0, 1};
  EXPECT_DOUBLE_EQ(squared_loss(gram, covered).bound, 1);
  EXPECT_TRUE(std::isinf(squared_loss(gram, both).bound));
  EXPECT_TRUE(std::isinf(squared_loss(gram, both).attained));
}

TEST(SquaredLoss, BoundsEveryChangeAndIsAttainedWhereItSaysSo) {
  Stream stream({32, Purpose::kTest});
  int exact = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index steps = 1 + trial % 5;
    Eigen::MatrixXd factor = random_matrix(stream, 6, steps);
    if (trial % 2 == 0) factor = factor.cwiseAbs().eval();  // then H is non-negative and the sum is attained
    GaussianGram gram{factor.transpose() * factor, std::vector<bool>(static_cast<std::size_t>(steps))};
    std::vector<std::size_t> all(static_cast<std::size_t>(steps));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const SquaredLoss loss = squared_loss(gram, all);
    EXPECT_LE(loss.attained, loss.bound);
    if (trial % 2 == 0 || steps == 1) {
      EXPECT_TRUE(loss.exact());
      EXPECT_NEAR(loss.bound, gram.gram.cwiseAbs().sum(), 1e-9);
    }
    exact += loss.exact() ? 1 : 0;
    double best_signs = 0;
    for (unsigned pattern = 0; pattern < (1U << steps); ++pattern) {
      Eigen::VectorXd signs(steps);
      for (Eigen::Index i = 0; i < steps; ++i) signs[i] = (pattern >> i & 1U) != 0 ? 1 : -1;
      best_signs = std::max(best_signs, signs.dot(gram.gram * signs));
    }
    EXPECT_LE(loss.attained, best_signs * (1 + 1e-12)) << "attained must be the loss of a real change";
    EXPECT_LE(best_signs, loss.bound * (1 + 1e-12));
    for (int draw = 0; draw < 50; ++draw) {
      Eigen::MatrixXd change = random_matrix(stream, steps, 3);
      change.rowwise().normalize();
      EXPECT_LE((change.transpose() * gram.gram * change).trace(), loss.bound * (1 + 1e-12));
    }
  }
  EXPECT_LT(exact, 60) << "some bounds must be loose, or nothing was tested";
}

/// On a ring far nodes' losses cancel to rounding, where flipping signs while that helps would never end.
TEST(SquaredLoss, EndsWhereChangesGainNothingButRounding) {
  std::vector<Edge> edges;
  for (NodeId v = 0; v < 10; ++v)
    edges.emplace_back(std::min<NodeId>(v, (v + 1) % 10), std::max<NodeId>(v, (v + 1) % 10));
  const GossipMatrix ring = metropolis_weights(Graph(10, edges));
  for (NodeId listener = 0; listener < 10; ++listener) {
    const ParticipantView view =
        network_view({&ring, 1}, make_adversary(ring.graph(), {listener}), InjectionPlan{6, 2});
    const GaussianGram gram = gaussian_gram(view.view);
    for (const NodeId node : view.participants) {
      const SquaredLoss loss = squared_loss(gram, view.participation(node));
      EXPECT_LE(loss.attained, loss.bound);
    }
  }
}

TEST(LocalView, FreshNoiseComposesAndCorrelatedNoiseInverts) {
  const ParticipantView fresh = local_view(Eigen::MatrixXd::Identity(7, 7));
  EXPECT_DOUBLE_EQ(squared_loss(gaussian_gram(fresh.view), fresh.participation(0)).bound, 7);
  EXPECT_DOUBLE_EQ(squared_loss(gaussian_gram(fresh.view), fresh.participation(0, 1, 3)).bound, 2);
  // Noise differences (anti-correlated): the sum of all releases carries one noise only.
  Eigen::MatrixXd mixing = Eigen::MatrixXd::Identity(4, 4);
  for (Eigen::Index i = 1; i < 4; ++i) mixing(i, i - 1) = -1;
  const ParticipantView correlated = local_view(mixing);
  const Eigen::MatrixXd expected = (mixing * mixing.transpose()).inverse();
  EXPECT_LT((gaussian_gram(correlated.view).gram - expected).cwiseAbs().maxCoeff(), 1e-12);
  // (N N^T)^-1 = S^T S with S the prefix sums: entries 4 - max(s, t), all positive, sum 30.
  const SquaredLoss loss = squared_loss(gaussian_gram(correlated.view), correlated.participation(0));
  EXPECT_NEAR(loss.bound, 30, 1e-10);
  EXPECT_TRUE(loss.exact());
}

/// Muffliato or D-GD as it runs, over the rationals: the state of all nodes, members included, as a function
/// of all contributions; the coalition knows its own contributions and hears its neighbours.
testing::RationalMatrix injections_gram(const std::vector<const GossipMatrix*>& matrix_of_step,
                                        std::size_t gossip_rounds, const Adversary& adversary) {
  const std::size_t n = matrix_of_step.front()->node_count();
  const std::size_t columns = n * matrix_of_step.size();
  testing::RationalView view(columns);
  testing::RationalMatrix state(n, columns);
  for (std::size_t step = 0; step < matrix_of_step.size(); ++step) {
    for (const NodeId member : adversary.colluding) view.add_unit(step * n + member);
    for (std::size_t u = 0; u < n; ++u) fmpq_one(state.at(u, step * n + u));
    for (std::size_t round = 0; round < gossip_rounds; ++round) {
      for (const NodeId heard : heard_nodes(matrix_of_step[step]->graph(), adversary))
        view.add_row(state, heard);
      state = product(testing::dense(*matrix_of_step[step]), state);
    }
  }
  return view.gram();
}

TEST(NetworkView, EqualsTheRationalLossOfEveryPairOfContributions) {
  Stream stream({33, Purpose::kTest});
  for (std::uint64_t i = 0; i < 24; ++i) {
    const std::size_t n = 4 + stream.below(4);
    const InjectionPlan plan{1 + i % 4, 1 + i % 3};
    std::vector<GossipMatrix> matrices;
    for (std::size_t k = 0; k < (i % 2 == 0 ? 1 : plan.steps); ++k) {
      const Graph graph =
          testing::make_graph("erdos_renyi", {{"nodes", n}, {"p", 0.5}, {"connected", false}}, 50 * i + k);
      matrices.push_back(i % 3 == 0 ? uniform_neighbour_weights(graph) : metropolis_weights(graph));
    }
    std::vector<NodeId> members = {static_cast<NodeId>(stream.below(n))};
    if (i % 3 == 1) members.push_back(static_cast<NodeId>(stream.below(n)));
    const Adversary adversary = make_adversary(matrices[0].graph(), members);
    std::vector<const GossipMatrix*> matrix_of_step;
    for (std::size_t step = 0; step < plan.steps; ++step)
      matrix_of_step.push_back(&matrices[matrices.size() == 1 ? 0 : step]);
    const testing::RationalMatrix expected = injections_gram(matrix_of_step, plan.gossip_rounds, adversary);
    const ParticipantView network = network_view(matrices, adversary, plan);
    const GaussianGram found = gaussian_gram(network.view);
    for (std::size_t s = 0; s < plan.steps; ++s) {
      for (std::size_t t = 0; t < plan.steps; ++t) {
        for (const NodeId u : network.participants) {
          const auto row = static_cast<Eigen::Index>(network.column(s, u));
          const auto column = static_cast<Eigen::Index>(network.column(t, u));
          EXPECT_NEAR(found.gram(row, column), expected.value(s * n + u, t * n + u), 1e-10)
              << "case " << i << ", node " << u << ", steps " << s << ", " << t;
        }
      }
    }
    for (const bool uncovered : found.uncovered) EXPECT_FALSE(uncovered);
  }
}

TEST(NetworkView, OneInjectionIsTheLeverage) {
  const Graph graph = testing::make_graph("florentine");
  const std::vector<GossipMatrix> matrices = {metropolis_weights(graph)};
  for (const char* name : {"Medici", "Ginori", "Pazzi"}) {
    const Adversary adversary = make_adversary(graph, {graph.require(name)});
    const ParticipantView network = network_view(matrices, adversary, {1, 4});
    const GaussianGram gram = gaussian_gram(network.view);
    const LeverageScores scores = leverage_scores(matrices[0], adversary, {4});
    for (const NodeId u : network.participants) {
      const SquaredLoss loss = squared_loss(gram, network.participation(u));
      EXPECT_NEAR(loss.bound, scores.leverage[u], 1e-10) << name;
      EXPECT_TRUE(loss.exact());
    }
  }
}

TEST(NetworkView, NeverCostsMoreThanLocalReleases) {
  const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 14}, {"mean_degree", 3.0}}, 4);
  const std::vector<GossipMatrix> matrices = {metropolis_weights(graph)};
  const ParticipantView network = network_view(matrices, make_adversary(graph, {0}), {6, 2});
  const GaussianGram gram = gaussian_gram(network.view);
  for (const NodeId u : network.participants) {
    const SquaredLoss all = squared_loss(gram, network.participation(u));
    EXPECT_LE(all.bound, 6 * (1 + 1e-12));
    const SquaredLoss some = squared_loss(gram, network.participation(u, 0, 2));
    EXPECT_LE(some.attained, all.bound * (1 + 1e-12)) << "contributing less often never costs more";
  }
  // A neighbour's first release is heard as it is; later ones arrive mixed with what others sent it.
  const NodeId neighbour = graph.neighbours(0)[0];
  const std::vector<std::size_t> first = {network.column(0, neighbour)},
                                 last = {network.column(5, neighbour)};
  EXPECT_NEAR(squared_loss(gram, first).bound, 1, 1e-12);
  EXPECT_LT(squared_loss(gram, last).bound, 1 - 1e-4);
}

/// Everything the coalition sees and knows of DECOR, members' columns and all, with the joint covariance.
double secret_sharing_brute_force(const Graph& graph, const Adversary& adversary, const SecretNoise& noise,
                                  NodeId target) {
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  const auto edges = graph.edges();
  const auto noises = n + static_cast<Eigen::Index>(edges.size());
  Eigen::MatrixXd releases = Eigen::MatrixXd::Zero(n, noises);
  releases.leftCols(n).diagonal().setConstant(noise.local);
  std::vector<Eigen::Index> known;
  for (const NodeId member : adversary.colluding) known.push_back(member);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Eigen::Index column = n + static_cast<Eigen::Index>(e);
    releases(edges[e].first, column) = noise.pairwise;
    releases(edges[e].second, column) = -noise.pairwise;
    for (const NodeId member : adversary.colluding) {
      if (edges[e].first == member || edges[e].second == member) known.push_back(column);
    }
  }
  Eigen::MatrixXd view(n + static_cast<Eigen::Index>(known.size()), noises);
  view.topRows(n) = releases;
  for (std::size_t i = 0; i < known.size(); ++i)
    view.row(n + static_cast<Eigen::Index>(i)) = Eigen::VectorXd::Unit(noises, known[i]).transpose();
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(view.rows());
  shift[target] = 1;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse;
  inverse.setThreshold(1e-10);
  inverse.compute(view * view.transpose());
  return shift.dot(inverse.pseudoInverse() * shift);
}

TEST(SecretSharing, EqualsTheJointCovarianceAndTheClosedForm) {
  Stream stream({34, Purpose::kTest});
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Graph graph =
        testing::make_graph("erdos_renyi", {{"nodes", 9}, {"p", 0.4}, {"connected", false}}, i);
    const Adversary adversary =
        make_adversary(graph, {static_cast<NodeId>(stream.below(9)), static_cast<NodeId>(stream.below(9))});
    const SecretNoise noise{0.5 + stream.uniform(), 3 * stream.uniform()};
    const ParticipantView shared = secret_sharing_view(graph, adversary, noise, 2);
    const GaussianGram gram = gaussian_gram(shared.view);
    for (const NodeId u : shared.participants) {
      const SquaredLoss loss = squared_loss(gram, shared.participation(u));
      EXPECT_NEAR(loss.bound, 2 * secret_sharing_brute_force(graph, adversary, noise, u), 1e-8);
      EXPECT_TRUE(loss.exact()) << "steps are independent";
    }
  }
  // m honest nodes all linked: 1/m of the loss sees local noise alone, the rest m pairwise secrets too.
  const Graph complete = testing::make_graph("complete", {{"nodes", 8}});
  const ParticipantView shared =
      secret_sharing_view(complete, make_adversary(complete, {0, 1, 2}), {2, 3}, 1);
  const double expected = 0.2 / 4 + 0.8 / (4 + 5 * 9);
  EXPECT_NEAR(squared_loss(gaussian_gram(shared.view), shared.participation(7)).bound, expected, 1e-12);
}

TEST(SecretSharing, SecretsAloneLeaveTheSumBare) {
  const Graph graph = testing::make_graph("complete", {{"nodes", 5}});
  const ParticipantView shared = secret_sharing_view(graph, make_adversary(graph, {0}), {0, 1}, 1);
  EXPECT_TRUE(std::isinf(squared_loss(gaussian_gram(shared.view), shared.participation(3)).bound));
}

TEST(TrustModels, RefuseWhatMakesNoSense) {
  const Graph graph = testing::make_graph("ring", {{"nodes", 5}});
  const std::vector<GossipMatrix> two = {metropolis_weights(graph), metropolis_weights(graph)};
  const Adversary adversary = make_adversary(graph, {0});
  const auto refuse = [](auto action) { return testing::error_of(Fault::kConfig, action); };
  refuse([&] { network_view(two, adversary, {3, 1}); });
  refuse([&] { network_view(two, adversary, {2, 0}); });
  refuse([&] { network_view({}, adversary, {1, 1}); });
  refuse([&] { secret_sharing_view(graph, adversary, {-1, 1}, 1); });
  refuse([&] { secret_sharing_view(graph, adversary, {1, NAN}, 1); });
  const ParticipantView view = network_view(two, adversary, {2, 1});
  refuse([&] { view.column(2, 1); });
  refuse([&] { view.column(0, 0); });
  refuse([&] { view.participation(1, 0, 0); });
  refuse([&] {
    const std::vector<std::size_t> columns = {99};
    squared_loss(gaussian_gram(view.view), columns);
  });
  refuse([&] { gaussian_gram({Eigen::MatrixXd(2, 1), Eigen::MatrixXd(3, 1), std::nullopt}); });
  testing::error_of(Fault::kNumeric, [&] {
    gaussian_gram({Eigen::MatrixXd::Constant(1, 1, NAN), Eigen::MatrixXd::Ones(1, 1), std::nullopt});
  });
}

}  // namespace
}  // namespace earshot
