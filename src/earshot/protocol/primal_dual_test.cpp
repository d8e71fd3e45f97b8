#include "earshot/protocol/primal_dual.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/primal_dual_node.hpp"
#include "earshot/protocol/primal_dual_test_setting.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A task on a graph, and protocols over it.
struct Scene {
  Scene(const Graph& graph, std::size_t per_node, const Architecture& architecture = testing::logistic())
      : matrix(metropolis_weights(graph)), small(graph.node_count(), per_node, 1, architecture) {}

  std::unique_ptr<Protocol> make(const ProtocolComponent& component, Json given,
                                 Protection protection = no_protection()) const {
    if (!given.contains("rounds")) given["rounds"] = 1;
    return component.make(testing::settings_of(component, given),
                          small.parts(std::move(protection), &matrix));
  }
  std::string refusal(const ProtocolComponent& component, const Json& given,
                      Protection protection = no_protection()) const {
    try {
      make(component, given, std::move(protection));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kConfig);
      return error.what();
    }
    return "accepted";
  }

  /// Shards of these sizes instead of equal ones.
  void deal(const std::vector<std::size_t>& sizes) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      small.shards[i].resize(sizes[i]);
      for (std::size_t& record : small.shards[i]) record = next++;
    }
  }

  GossipMatrix matrix;
  testing::SmallTask small;
};

/// Root mean square distance of the nodes from a point, from the seam alone.
double distance(const Protocol& protocol, const Eigen::VectorXd& from) {
  Eigen::VectorXd state(from.size());
  protocol.result({state.data(), static_cast<std::size_t>(state.size())});
  return std::hypot((state - from).norm(), protocol.disagreement().value());
}

/// Of a straight line through the logarithms of errors: slope per round, and the share of variance it
/// explains.
struct Line {
  double slope = 0;
  double fit = 0;
};
Line log_line(const std::vector<double>& errors) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double t = static_cast<double>(i), e = std::log(errors[i]);
    n += 1, x += t, y += e, xx += t * t, xy += t * e, yy += e * e;
  }
  const double covariance = xy - x * y / n, variance = xx - x * x / n;
  return {covariance / variance, covariance * covariance / (variance * (yy - y * y / n))};
}

struct Way {
  std::string name;
  const ProtocolComponent& component;
  Json settings;
  Graph graph;
  Round rounds;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class PrimalDualConvergence : public ::testing::TestWithParam<Way> {};

/// The optimum comes from Newton's method on all records at once.
TEST_P(PrimalDualConvergence, IsLinearToTheCentralisedOptimum) {
  const Way& way = GetParam();
  const Scene scene(way.graph, 10);
  const Eigen::Vector3d optimum = testing::centralised_optimum(scene.small);
  const auto protocol = scene.make(way.component, way.settings);
  LocalNetwork network(protocol->topology(), protocol->participants());
  std::vector<double> errors;  // until rounding and solvers show
  bool falling = true;
  for (Round t = 0; t < way.rounds; ++t) {
    network.run(protocol->exchanges());
    const double error = distance(*protocol, optimum);
    falling = falling && error > 1e-7;
    if (t >= 5 && falling) errors.push_back(error);
  }
  EXPECT_LT(distance(*protocol, optimum), 1e-7);
  ASSERT_GT(errors.size(), 10U);
  const Line line = log_line(errors);
  EXPECT_LT(line.slope, -0.005);
  EXPECT_GT(line.fit, 0.95) << "slope " << line.slope;
}

std::vector<Way> ways() {
  const Json exact{{"update", "exact"}};
  const Json gradient{{"update", "gradient"}, {"k_max", 3}, {"alpha", 0.1}};
  const auto with = [](Json one, const Json& other) {
    one.update(other);
    return one;
  };
  const Graph geometric = testing::geometric(12, 0.45), ring = testing::ring(7);
  return {
      {"PdmmGeometric", pdmm_component(), exact, geometric, 400},
      {"PdmmRing", pdmm_component(), exact, ring, 400},
      {"PdmmComplete", pdmm_component(), exact, testing::complete(6), 400},
      {"AdmmGeometric", admm_component(), exact, geometric, 700},
      {"AdmmRing", admm_component(), exact, ring, 700},
      {"PdmmGradient", pdmm_component(), gradient, geometric, 600},
      {"PdmmQuadratic", pdmm_component(), {{"update", "quadratic"}, {"mu", 6}}, geometric, 600},
      {"PdmmHidden", pdmm_component(), with(exact, {{"messages", "differential"}, {"z_deviation", 1}}), ring,
       400},
      {"PdmmShrinkingCells", pdmm_component(),
       with(exact, {{"messages", "differential"}, {"cell_width", 0.5}, {"cell_shrink", 0.95}}), geometric,
       600},
      {"AsynchronousOne", pdmm_component(), with(exact, {{"activation", "random_one"}}), geometric, 400},
      {"AsynchronousSome", pdmm_component(),
       with(exact,
            {{"activation", "probability"}, {"activation_probability", 0.4}, {"messages", "differential"}}),
       geometric, 700},
      {"Server", server_pdmm_component(), with(exact, {{"rho", 2}}), testing::complete(6), 500}};
}
INSTANTIATE_TEST_SUITE_P(All, PrimalDualConvergence, ::testing::ValuesIn(ways()),
                         [](const auto& info) { return info.param.name; });

/// 0 = grad f_i(w_i) + sum_j B_{i|j} z_{i|j} + rho d_i w_i after every exact update.
TEST(PrimalDual, ExactUpdatesMeetTheOptimalityCondition) {
  const Scene scene(testing::ring(5), 3);
  const auto protocol = scene.make(pdmm_component(), {{"update", "exact"}, {"rho", 0.3}, {"z_deviation", 1}});
  LocalNetwork network(protocol->topology(), protocol->participants());
  for (int t = 0; t < 30; ++t) {
    std::vector<std::vector<double>> linear;
    for (Participant* one : protocol->participants()) {
      linear.emplace_back(3);
      dynamic_cast<PrimalDualNode&>(*one).edges().signed_sum(linear.back());
    }
    network.run(1);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto w = dynamic_cast<PrimalDualNode&>(*protocol->participants()[i]).state();
      std::vector<double> point(w.begin(), w.end()), gradient(3);
      scene.small.task->gradient(point, {scene.small.shards[i]}, gradient);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(3 * gradient[k] + linear[i][k] + 0.3 * 2 * w[k], 0, 1e-9);
      }
    }
  }
}

/// Least squares as quadratic forms, one 3 x 3 block of H and b per node: f_i = w^T H w / 2 + b^T w + ...
struct Quadratic {
  explicit Quadratic(const Scene& scene) {
    const auto nodes = static_cast<Eigen::Index>(scene.small.shards.size());
    hessian = Eigen::MatrixXd::Zero(3 * nodes, 3 * nodes);
    linear.resize(3 * nodes);
    const Eigen::MatrixXd x = testing::inputs_with_one(scene.small);
    for (Eigen::Index i = 0; i < nodes; ++i) {
      Eigen::Matrix3d h = Eigen::Matrix3d::Zero();
      Eigen::Vector3d b = Eigen::Vector3d::Zero();
      for (const std::size_t r : scene.small.shards[static_cast<std::size_t>(i)]) {
        const Eigen::Vector3d row = x.row(static_cast<Eigen::Index>(r)).transpose();
        h += 2 * row * row.transpose();
        b -= 2 * scene.small.examples->targets().values[r] * row;
      }
      hessian.block<3, 3>(3 * i, 3 * i) = h;
      linear.segment<3>(3 * i) = b;
    }
  }
  /// Of the sum over all nodes, repeated for every node.
  Eigen::VectorXd optimum() const {
    Eigen::Matrix3d h = Eigen::Matrix3d::Zero();
    Eigen::Vector3d b = Eigen::Vector3d::Zero();
    for (Eigen::Index i = 0; i < linear.size(); i += 3) {
      h += hessian.block<3, 3>(i, i);
      b += linear.segment<3>(i);
    }
    return (-h.ldlt().solve(b)).replicate(linear.size() / 3, 1);
  }
  Eigen::VectorXd extremes() const {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(hessian).eigenvalues();
  }
  Eigen::MatrixXd hessian;
  Eigen::VectorXd linear;
};

Eigen::VectorXd states(Protocol& protocol) {
  const auto participants = protocol.participants();
  Eigen::VectorXd all(3 * static_cast<Eigen::Index>(participants.size()));
  for (std::size_t i = 0; i < participants.size(); ++i) {
    const auto w = dynamic_cast<PrimalDualNode&>(*participants[i]).state();
    for (std::size_t k = 0; k < 3; ++k) all[static_cast<Eigen::Index>(3 * i + k)] = w[k];
  }
  return all;
}

/// z^(0) in the stacked order: first what the larger node of each edge chose.
Eigen::VectorXd first_values(const Graph& graph, double deviation) {
  const auto edges = graph.edges();
  Eigen::VectorXd z(6 * static_cast<Eigen::Index>(edges.size()));
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [i, j] = edges[e];
    Stream({1, Purpose::kDual, 0, j, i}).fill_normal({z.data() + 3 * e, 3}, deviation);
    Stream({1, Purpose::kDual, 0, i, j}).fill_normal({z.data() + 3 * (e + edges.size()), 3}, deviation);
  }
  return z;
}

/// w = argmin f(w) + w^T C^T z + rho/2 |C w|^2, z <- (1 - theta) z + theta P (z + 2 rho C w), as matrices.
TEST(PrimalDual, EqualsTheStackedMatrices) {
  const Graph graph = testing::geometric(6, 0.6);
  const Scene scene(graph, 5, testing::least_squares());
  const Quadratic quadratic(scene);
  const testing::StackedEdges stacked(graph, 3);
  const double rho = 0.8;
  for (const double theta : {1.0, 0.5, 0.3}) {
    for (const char* messages : {"plain", "differential"}) {
      const auto protocol = scene.make(pdmm_component(), {{"update", "exact"},
                                                          {"tolerance", 1e-12},
                                                          {"rho", rho},
                                                          {"theta", theta},
                                                          {"messages", messages},
                                                          {"z_deviation", 2}});
      LocalNetwork network(protocol->topology(), protocol->participants());
      Eigen::VectorXd z = first_values(graph, 2);
      const Eigen::MatrixXd system = quadratic.hessian + rho * stacked.c.transpose() * stacked.c;
      for (int t = 0; t < 12; ++t) {
        const Eigen::VectorXd w = -system.ldlt().solve(quadratic.linear + stacked.c.transpose() * z);
        z = (1 - theta) * z + theta * stacked.p * (z + 2 * rho * stacked.c * w);
        network.run(1);
        EXPECT_LT((states(*protocol) - w).norm(), 1e-9) << theta << ' ' << messages << ' ' << t;
      }
    }
  }
}

/// 4 rho (m - beta^2 / (2 mu)) sum_l |w^(l) - w*|^2 <= 2 rho mu |w^(0) - w*|^2 + |z^(0) - z*|^2 for every
/// fixed point z*, here the shortest (Yu 2026, Theorem 2).
TEST(PrimalDual, QuadraticUpdatesObeyTheirBound) {
  const Graph graph = testing::ring(5);
  const Scene scene(graph, 8, testing::least_squares());
  const Quadratic quadratic(scene);
  const testing::StackedEdges stacked(graph, 3);
  const Eigen::VectorXd values = quadratic.extremes();
  const double m = values[0], beta = values[values.size() - 1], rho = 0.6;
  const double mu = 1.5 * beta * beta / (2 * m);
  const Eigen::VectorXd optimum = quadratic.optimum();
  const Eigen::Index rows = stacked.c.rows(), columns = stacked.c.cols();
  Eigen::MatrixXd fixed(columns + rows, rows);
  fixed << stacked.c.transpose(), Eigen::MatrixXd::Identity(rows, rows) - stacked.p;
  Eigen::VectorXd right(columns + rows);
  right << -(quadratic.hessian * optimum + quadratic.linear) -
               rho * stacked.c.transpose() * stacked.c * optimum,
      2 * rho * stacked.p * stacked.c * optimum;
  const Eigen::VectorXd z = fixed.completeOrthogonalDecomposition().solve(right);
  ASSERT_LT((fixed * z - right).norm(), 1e-8);

  const auto protocol = scene.make(pdmm_component(), {{"update", "quadratic"}, {"mu", mu}, {"rho", rho}});
  EXPECT_THAT(protocol->warnings(), IsEmpty());
  const double bound = 2 * rho * mu * (states(*protocol) - optimum).squaredNorm() + z.squaredNorm();
  LocalNetwork network(protocol->topology(), protocol->participants());
  double sum = 0;
  for (int t = 0; t < 1500; ++t) {
    network.run(1);
    sum += (states(*protocol) - optimum).squaredNorm();
    ASSERT_LE(4 * rho * (m - beta * beta / (2 * mu)) * sum, bound) << t;
  }
  EXPECT_LT((states(*protocol) - optimum).norm(), 0.1 * optimum.norm());
}

TEST(PrimalDual, TooFlatAParabolaIsWarnedOfAndDiverges) {
  const Scene scene(testing::ring(5), 8, testing::least_squares());
  const auto protocol = scene.make(pdmm_component(), {{"update", "quadratic"}, {"mu", 0.1}, {"rho", 0.01}});
  EXPECT_THAT(protocol->warnings(), ElementsAre(HasSubstr("mu = 0.1 is not above beta^2 / (2 m)")));
  LocalNetwork network(protocol->topology(), protocol->participants());
  try {
    network.run(5000);
    FAIL() << "no divergence";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kNumeric);
    EXPECT_THAT(error.what(), HasSubstr("training diverges"));
  }
}

TEST(PrimalDual, WarnsOfConditionsThatDoNotHold) {
  const Scene scene(testing::ring(5), 1);
  EXPECT_THAT(scene.make(pdmm_component(), {{"update", "quadratic"}, {"mu", 1e9}})->warnings(),
              ElementsAre(HasSubstr("not strongly convex")));
  EXPECT_THAT(scene.make(pdmm_component(), {{"alpha", 5}})->warnings(),
              ElementsAre(HasSubstr("is not below 2")));
  EXPECT_THAT(scene.make(pdmm_component(), {{"alpha", 0.1}})->warnings(), IsEmpty());
  EXPECT_THAT(scene.make(pdmm_component(), {{"messages", "differential"}})->warnings(),
              ElementsAre(HasSubstr("z^(0) = 0")));
  const Scene tree(testing::path(5), 1);
  EXPECT_THAT(tree.make(pdmm_component(), {{"messages", "differential"}, {"z_deviation", 1}})->warnings(),
              ElementsAre(HasSubstr("tree")));
  const Scene large(testing::ring(3), 2, {"", {2}, {Dense{40}, Activate{}, Dense{2}}});
  EXPECT_THAT(large.make(pdmm_component(), {{"update", "quadratic"}})->warnings(),
              ElementsAre(HasSubstr("not checked")));
}

/// z_{i|s} = 2 w_i - z_{s|i}, w_s the mean of the z_{i|s}, z_{s|i} = 2 w_s - z_{i|s} (Zhang, Niwa & Kleijn
/// 2022), in primal units; our messages are these times -rho B.
TEST(ServerPdmm, IsThePublishedIteration) {
  const std::size_t nodes = 4;
  const Scene scene(testing::complete(nodes), 3);
  const double rho = 0.5;
  const auto protocol = scene.make(server_pdmm_component(), {{"update", "exact"}, {"rho", rho}});
  LocalNetwork network(protocol->topology(), protocol->participants());
  std::vector<Eigen::Vector3d> z(nodes, Eigen::Vector3d::Zero());
  for (int t = 0; t < 15; ++t) {
    Eigen::Vector3d server = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < nodes; ++i) {
      Eigen::VectorXd own = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * nodes));
      own.segment<3>(static_cast<Eigen::Index>(3 * i)).setOnes();
      const Eigen::Vector3d w = testing::newton(scene.small, own, -rho * z[i], rho);
      z[i] = 2 * w - z[i];
      server += z[i] / nodes;
    }
    for (auto& one : z) one = 2 * server - one;
    network.run(protocol->exchanges());
    Eigen::Vector3d state;
    protocol->result({state.data(), 3});
    EXPECT_LT((state - server).norm(), 1e-8) << t;
  }
}

TEST(ServerPdmm, WeighsMeansByRecords) {
  Scene scene(testing::complete(4), 10);
  scene.deal({20, 4, 6, 10});
  const auto protocol =
      scene.make(server_pdmm_component(), {{"update", "exact"}, {"loss", "mean"}, {"rho", 0.2}});
  LocalNetwork(protocol->topology(), protocol->participants()).run(600 * protocol->exchanges());
  EXPECT_LT(distance(*protocol, testing::centralised_optimum(scene.small)), 1e-6);
}

/// Without a server a mean is what it says: nodes weigh the same, whatever they hold.
TEST(PrimalDual, MeansWeighNodesAlike) {
  Scene scene(testing::ring(3), 14);
  scene.deal({25, 12, 5});
  Eigen::VectorXd weights(42);
  weights << Eigen::VectorXd::Constant(25, 1.0 / 25), Eigen::VectorXd::Constant(12, 1.0 / 12),
      Eigen::VectorXd::Constant(5, 1.0 / 5);
  const auto protocol = scene.make(pdmm_component(), {{"update", "exact"}, {"loss", "mean"}, {"rho", 0.2}});
  LocalNetwork(protocol->topology(), protocol->participants()).run(600);
  EXPECT_LT(distance(*protocol, testing::newton(scene.small, weights)), 1e-6);
}

TEST(PrimalDual, DifferencesAndZThemselvesTrainAlike) {
  const Scene scene(testing::geometric(9, 0.5), 3);
  for (const char* activation : {"all", "random_one", "probability"}) {
    Json settings{{"k_max", 2}, {"z_deviation", 1}, {"theta", 0.7}, {"activation", activation}};
    const auto plain = scene.make(pdmm_component(), settings);
    settings["messages"] = "differential";
    const auto differential = scene.make(pdmm_component(), settings);
    const auto a = testing::train(*plain, 3, 60), b = testing::train(*differential, 3, 60);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-11) << activation;
  }
}

/// Fixed cells stop short of the optimum by an error that grows with them; errors that add up are far worse.
TEST(PrimalDual, QuantisedMessagesStayNearTheOptimumUnlessTheirErrorsAddUp) {
  const Scene scene(testing::geometric(9, 0.5), 10);
  const Eigen::Vector3d optimum = testing::centralised_optimum(scene.small);
  const auto error = [&](double width, bool as_published) {
    const auto protocol = scene.make(pdmm_component(), {{"update", "exact"},
                                                        {"tolerance", 1e-8},
                                                        {"messages", "differential"},
                                                        {"cell_width", width},
                                                        {"as_published", as_published}});
    testing::train(*protocol, 3, 300);
    return distance(*protocol, optimum);
  };
  EXPECT_LT(error(1e-4, false), 1e-3);
  EXPECT_LT(error(1e-2, false), 0.1);
  EXPECT_GT(error(1e-2, true), 3 * error(1e-2, false));
}

/// On one edge, fixed points with c of the differences lost have w_0 - w_1 = (c_{0|1} + c_{1|0}) / (2 rho).
TEST(PrimalDual, LostDifferencesPartTheNodesByWhatWasLost) {
  const Scene scene(testing::path(2), 8);
  const double rho = 0.4;
  const auto protocol =
      scene.make(pdmm_component(), {{"update", "exact"}, {"messages", "differential"}, {"rho", rho}});
  std::vector<double> lost(3);
  /// Loses one difference, in exchange 2, on its way to node 1.
  class Losing : public Participant {
   public:
    Losing(Participant& inside, std::vector<double>& lost) : inside_(inside), lost_(lost) {}
    void speak(Round round, Outbox& out) override { inside_.speak(round, out); }
    void listen(Round round, const Inbox& in) override {
      if (round != 2) return inside_.listen(round, in);
      std::ranges::copy(in.from(0), lost_.begin());
      const std::vector<std::span<const double>> silence(1);
      inside_.listen(round, Inbox(silence));
    }
    void save(StateWriter&) const override {}
    void load(StateReader&) override {}

   private:
    Participant& inside_;
    std::vector<double>& lost_;
  } losing(*protocol->participants()[1], lost);
  LocalNetwork(protocol->topology(), {protocol->participants()[0], &losing}).run(800);
  const Eigen::VectorXd w = states(*protocol);
  for (Eigen::Index k = 0; k < 3; ++k) {
    EXPECT_GT(std::abs(lost[static_cast<std::size_t>(k)]), 1e-4);
    EXPECT_NEAR(w[k] - w[3 + k], lost[static_cast<std::size_t>(k)] / (2 * rho), 1e-7);
  }
}

Protection noisy(ProtectedScope scope, double deviation, std::optional<double> budget = {}) {
  Protection protection = no_protection();
  protection.scope = scope;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "one node's whole data"), deviation, 1e-5);
  protection.budget = budget;
  return protection;
}

class PrimalDualState : public ::testing::TestWithParam<Json> {};

TEST_P(PrimalDualState, IsTheSameForAnyThreadsAndAfterABreak) {
  const Scene scene(testing::geometric(9, 0.5), 4);
  const Json settings = GetParam();
  const auto& component = settings.contains("theta") ? pdmm_component() : server_pdmm_component();
  const auto protection = [&] {
    return settings.at("update") == "exact" ? no_protection() : noisy(ProtectedScope::kBatch, 0.1);
  };
  const auto whole = scene.make(component, settings, protection());
  set_thread_count(1);
  const auto expected = testing::train(*whole, 3, 7);
  set_thread_count(4);
  const auto threads = scene.make(component, settings, protection());
  EXPECT_EQ(testing::train(*threads, 3, 7), expected);

  const auto first = scene.make(component, settings, protection());
  LocalNetwork before(first->topology(), first->participants());
  before.run(4 * first->exchanges());
  StateWriter out;
  first->save(out);
  before.save(out);
  const std::string sealed = out.sealed();
  const auto second = scene.make(component, settings, protection());
  LocalNetwork after(second->topology(), second->participants());
  StateReader in(sealed, "memory");
  second->load(in);
  after.load(in);
  in.finish();
  after.run(3 * second->exchanges());
  set_thread_count(0);
  std::vector<double> state(3);
  second->result(state);
  EXPECT_EQ(state, expected);
  EXPECT_EQ(second->disagreement(), whole->disagreement());
}
INSTANTIATE_TEST_SUITE_P(
    All, PrimalDualState,
    ::testing::Values(
        Json{{"theta", 1}, {"update", "exact"}, {"z_deviation", 1}},
        Json{{"theta", 0.6}, {"update", "gradient"}, {"messages", "differential"}, {"cell_width", 0.01}},
        Json{{"theta", 0.6}, {"update", "quadratic"}, {"activation", "random_one"}},
        Json{{"theta", 1}, {"update", "gradient"}, {"batch", 2}, {"activation", "probability"}},
        Json{{"update", "exact"}}));

TEST(PrimalDualPrivacy, EveryInnerStepIsARelease) {
  const Scene scene(testing::ring(4), 5);
  const Json settings{{"rounds", 6}, {"k_max", 3}};
  const auto protocol = scene.make(pdmm_component(), settings, noisy(ProtectedScope::kBatch, 2));
  testing::train(*protocol, 3, 6);
  EXPECT_EQ(pdmm_component().steps(testing::settings_of(pdmm_component(), settings), 4, 5), 18U);
  for (Learner* learner : protocol->learners()) EXPECT_EQ(learner->ledger().entries().at(0).count, 18U);
  const Json alone{{"rounds", 6}, {"k_max", 3}, {"activation", "random_one"}};
  EXPECT_EQ(pdmm_component().steps(testing::settings_of(pdmm_component(), alone), 4, 5), 72U);

  const auto updates = scene.make(pdmm_component(), settings, noisy(ProtectedScope::kUpdate, 2));
  testing::train(*updates, 3, 6);
  for (Learner* learner : updates->learners()) EXPECT_EQ(learner->ledger().entries().at(0).count, 6U);
}

/// With all budgets used up nobody has a loss any more: the nodes agree on something and stay there.
TEST(PrimalDualPrivacy, NodesGoOnAveragingAfterTheirBudget) {
  for (const ProtectedScope scope : {ProtectedScope::kBatch, ProtectedScope::kUpdate}) {
    const Scene scene(testing::ring(5), 5);
    const auto protocol =
        scene.make(admm_component(), {{"update", "quadratic"}, {"mu", 1}}, noisy(scope, 20, 4.0));
    LocalNetwork network(protocol->topology(), protocol->participants());
    network.run(300);
    for (Learner* learner : protocol->learners()) {
      EXPECT_TRUE(learner->exhausted());
      EXPECT_LE(learner->statement().epsilon, 4);
    }
    const std::uint64_t steps = protocol->learners()[0]->steps();
    network.run(1000);
    EXPECT_EQ(protocol->learners()[0]->steps(), steps);
    EXPECT_LT(protocol->disagreement().value(), 1e-6);
  }
}

/// A release the budget does not allow must leave no trace: other records, the same states.
TEST(PrimalDualPrivacy, WithoutBudgetNothingDependsOnTheRecords) {
  for (const ProtectedScope scope : {ProtectedScope::kBatch, ProtectedScope::kUpdate}) {
    Scene scene(testing::ring(5), 5);
    const Json settings{{"update", "quadratic"}, {"z_deviation", 1}};
    const auto one = scene.make(pdmm_component(), settings, noisy(scope, 2, 1e-3));
    const testing::SmallTask others(5, 5, 2, testing::logistic());
    ProtocolParts parts = others.parts(noisy(scope, 2, 1e-3), &scene.matrix);
    parts.start = scene.small.start;
    Json given = settings;
    given["rounds"] = 1;
    const auto other = pdmm_component().make(testing::settings_of(pdmm_component(), given), std::move(parts));
    testing::train(*one, 3, 4);
    testing::train(*other, 3, 4);
    EXPECT_EQ(states(*one), states(*other));
    EXPECT_TRUE(one->learners()[0]->exhausted());
  }
}

TEST(PrimalDual, TellsWhatIsPublic) {
  const Scene scene(testing::ring(4), 2);
  const Json open = scene.make(pdmm_component(), {{"alpha", 0.2}})->public_facts();
  EXPECT_EQ(open.at("alpha"), 0.2);
  EXPECT_EQ(open.at("hidden_dimension"), 2);
  EXPECT_FALSE(scene.make(pdmm_component(), {{"private_step", true}})->public_facts().contains("alpha"));
  const Json hidden =
      scene.make(pdmm_component(), {{"update", "quadratic"}, {"private_step", true}})->public_facts();
  EXPECT_FALSE(hidden.contains("mu"));
  EXPECT_EQ(hidden.at("rho"), 0.4);
}

/// Both ends learn z^(0), once; one that is 0 need not be told.
TEST(PrimalDual, TellsRandomStartsToTheEndsOfEveryEdge) {
  const Scene scene(testing::ring(4), 2);
  const auto told = [&](double deviation) {
    std::map<Edge, std::vector<double>> starts;
    const auto protocol = scene.make(pdmm_component(), {{"z_deviation", deviation}});
    protocol->start_encrypted([&](NodeId from, NodeId to, std::span<const double> message) {
      EXPECT_TRUE(starts.emplace(Edge(from, to), std::vector(message.begin(), message.end())).second);
    });
    return starts;
  };
  EXPECT_TRUE(told(0).empty());
  const auto starts = told(2);
  EXPECT_EQ(starts.size(), 8U);
  EXPECT_NE(starts.at({0, 1}), starts.at({1, 0}));
  for (const auto& [link, z] : starts) EXPECT_EQ(z.size(), 3U);
}

TEST(PrimalDual, RefusesWhatCannotWork) {
  const Scene scene(testing::ring(4), 2);
  EXPECT_THAT(scene.refusal(pdmm_component(), {{"update", "exact"}, {"batch", 1}}), HasSubstr("all records"));
  EXPECT_THAT(scene.refusal(pdmm_component(), {{"update", "exact"}}, noisy(ProtectedScope::kBatch, 1)),
              HasSubstr("exact update"));
  EXPECT_THAT(scene.refusal(pdmm_component(), {{"cell_width", 0.1}}), HasSubstr("differential"));
  EXPECT_THAT(scene.refusal(pdmm_component(), {{"as_published", true}}), HasSubstr("width of a cell"));
  const Scene parts(Graph(4, std::vector<Edge>{{0, 1}, {2, 3}}), 2);
  EXPECT_THAT(parts.refusal(pdmm_component(), Json::object()), HasSubstr("connected"));
}

/// Networks with hidden layers train too.
TEST(PrimalDual, TrainsAPerceptron) {
  const Scene scene(testing::ring(4), 10, {"", {2}, {Dense{6}, Activate{ActivationKind::kTanh}, Dense{2}}});
  const auto protocol =
      scene.make(pdmm_component(), {{"update", "exact"}, {"tolerance", 1e-6}, {"loss", "mean"}});
  const auto state = testing::train(*protocol, scene.small.start.size(), 60);
  EXPECT_LT(scene.small.loss(state), 0.5 * scene.small.loss(scene.small.start));
}

}  // namespace
}  // namespace earshot
