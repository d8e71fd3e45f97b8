#include "earshot/attack/gossip/exposure.hpp"

#include <gtest/gtest.h>

#include "earshot/attack/gossip/knowledge_span.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/graph/rational_matrix.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/graph/testing.hpp"
#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {
namespace {

using testing::RationalMatrix;

/// The oracle: Algorithm 1 of El Mrini et al. 2024 written out over the rationals, unit rows of the full
/// RREF.
std::vector<NodeId> brute_force(const GossipMatrix& matrix, const Adversary& adversary, std::size_t rounds) {
  const std::size_t n = matrix.node_count();
  const auto heard = heard_nodes(matrix.graph(), adversary);
  const RationalMatrix w = testing::dense(matrix);
  RationalMatrix power = testing::identity(n);
  RationalMatrix knowledge(adversary.colluding.size() + rounds * heard.size(), n);
  std::size_t row = 0;
  for (const NodeId a : adversary.colluding) fmpq_one(knowledge.at(row++, a));
  for (std::size_t t = 0; t < rounds; ++t) {
    for (const NodeId v : heard) {
      for (std::size_t j = 0; j < n; ++j) fmpq_set(knowledge.at(row, j), power.at(v, j));
      ++row;
    }
    power = testing::product(power, w);
  }
  fmpq_mat_rref(knowledge.get(), knowledge.get());
  std::vector<NodeId> reconstructible;
  for (std::size_t i = 0; i < row; ++i) {
    std::vector<NodeId> support;
    for (NodeId j = 0; j < n; ++j) {
      if (!fmpq_is_zero(knowledge.at(i, j))) support.push_back(j);
    }
    if (support.size() == 1) reconstructible.push_back(support[0]);
  }
  std::sort(reconstructible.begin(), reconstructible.end());
  return reconstructible;
}

void expect_equals_brute_force(const GossipMatrix& matrix, const Adversary& adversary, std::size_t rounds) {
  const Exposure exposure = analyse_exposure(matrix, adversary, {rounds});
  EXPECT_EQ(exposure.reconstructible(), brute_force(matrix, adversary, rounds))
      << "attackers " << adversary_name(matrix.graph(), adversary) << ", T = " << rounds;
}

TEST(Exposure, EqualsBruteForceOn200RandomGraphs) {
  Stream stream({2024, Purpose::kTest});
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::size_t n = 3 + stream.below(10);
    const double p = 0.25 + 0.4 * stream.uniform();
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", n}, {"p", p}, {"connected", false}}, i);
    const GossipMatrix matrix = i % 3 == 0   ? max_degree_weights(graph)
                                : i % 3 == 1 ? metropolis_weights(graph)
                                             : uniform_neighbour_weights(graph);
    std::vector<NodeId> members, tapped;
    for (std::size_t k = 0; k < 1 + stream.below(2); ++k)
      members.push_back(static_cast<NodeId>(stream.below(n)));
    if (i % 4 == 0) tapped.push_back(static_cast<NodeId>(stream.below(n)));
    expect_equals_brute_force(matrix, make_adversary(graph, members, tapped), 1 + stream.below(n + 2));
  }
}

TEST(Exposure, EqualsBruteForceOnNamedGraphsForEveryAttackerAndRound) {
  for (const auto& [name, given] : std::vector<std::pair<std::string, Json>>{{"florentine", Json::object()},
                                                                             {"line", {{"nodes", 8}}},
                                                                             {"ring", {{"nodes", 9}}},
                                                                             {"star", {{"nodes", 7}}}}) {
    const Graph graph = testing::make_graph(name, given);
    for (const GossipMatrix& matrix : {metropolis_weights(graph), max_degree_weights(graph)}) {
      for (NodeId attacker = 0; attacker < graph.node_count(); ++attacker) {
        for (const std::size_t rounds :
             {std::size_t{1}, std::size_t{3}, std::size_t{5}, graph.node_count()}) {
          expect_equals_brute_force(matrix, make_adversary(graph, {attacker}), rounds);
        }
      }
    }
  }
}

TEST(Exposure, WorkedExampleOfThePaper) {
  // El Mrini et al. 2024, Figure 1: attackers {0, 1} learn everyone but the twin leaves 3 and 4 within three
  // rounds.
  const Graph graph = testing::make_graph("gossip_attack_example");
  for (const GossipMatrix& matrix : {metropolis_weights(graph), max_degree_weights(graph)}) {
    const Adversary adversary = make_adversary(graph, {0, 1});
    const Exposure exposure = analyse_exposure(matrix, adversary, {3});
    EXPECT_EQ(exposure.reconstructible(), (std::vector<NodeId>{0, 1, 2, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(exposure.rank, 11U);
    const auto relations = hidden_relations(matrix, adversary, {3}, 8);
    ASSERT_EQ(relations.size(), 1U);
    EXPECT_EQ(relations[0].nodes, (std::vector<NodeId>{3, 4}));
    EXPECT_EQ(relations[0].coefficients, (std::vector<std::string>{"1", "1"}));
  }
}

TEST(Exposure, FlorentineCountsOfDecentralisedDescent) {
  // Targets (of 14) identified within 7 and 5 rounds under max-degree weights, by exact elimination.
  const Graph graph = testing::make_graph("florentine");
  const GossipMatrix matrix = max_degree_weights(graph);
  const auto others = [&](const std::string& name, std::size_t rounds) {
    const Exposure exposure =
        analyse_exposure(matrix, make_adversary(graph, {graph.require(name)}), {rounds});
    return exposure.reconstructible().size() - 1;
  };
  for (const char* name : {"Medici", "Strozzi", "Guadagni", "Castellani", "Peruzzi", "Ridolfi", "Tornabuoni",
                           "Albizzi", "Bischeri", "Barbadori"}) {
    EXPECT_EQ(others(name, 7), 14U) << name;
  }
  EXPECT_EQ(others("Acciaiuoli", 7), 1U);
  EXPECT_EQ(others("Ginori", 7), 1U);
  EXPECT_EQ(others("Lamberteschi", 7), 1U);
  EXPECT_EQ(others("Pazzi", 7), 2U);
  EXPECT_EQ(others("Salviati", 7), 2U);
  EXPECT_EQ(others("Castellani", 5), 9U);
  EXPECT_EQ(others("Albizzi", 5), 3U);
  EXPECT_EQ(others("Medici", 4), 14U);
  for (NodeId node = 0; node < 15; ++node) EXPECT_EQ(others(graph.name(node), 14), 14U);
}

TEST(Exposure, LineFromItsEndRevealsOneNodePerRound) {
  const Graph graph = testing::make_graph("line", {{"nodes", 30}});
  const Exposure exposure = analyse_exposure(max_degree_weights(graph), make_adversary(graph, {0}), {});
  EXPECT_TRUE(exposure.saturated);
  for (std::size_t v = 0; v < 30; ++v) EXPECT_EQ(exposure.first_round[v], v);
}

TEST(Exposure, MoreRoundsAndMoreAttackersNeverHideAnybody) {
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 25}, {"mean_degree", 3.5}}, trial);
    const GossipMatrix matrix = metropolis_weights(graph);
    const Exposure one = analyse_exposure(matrix, make_adversary(graph, {0}), {});
    const Exposure two = analyse_exposure(matrix, make_adversary(graph, {0, 1}), {});
    EXPECT_TRUE(std::is_sorted(one.by_round.begin(), one.by_round.end()));
    for (std::size_t v = 0; v < 25; ++v) {
      if (one.first_round[v]) {
        EXPECT_TRUE(two.first_round[v]);
        EXPECT_LE(two.first_round[v], one.first_round[v]);
      }
    }
  }
}

TEST(Exposure, ManyAdversariesAtOnceEqualOneByOne) {
  // The complete part {0..3} gives twins with equal closed neighbourhoods, which share one analysis.
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                   {2, 3}, {3, 4}, {4, 5}, {5, 6}, {5, 7}};
  const Graph graph(8, edges);
  const GossipMatrix matrix = metropolis_weights(graph);
  std::vector<Adversary> all;
  for (NodeId v = 0; v < 8; ++v) all.push_back(make_adversary(graph, {v}));
  for (const std::size_t rounds : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const auto together = analyse_exposures(matrix, all, {rounds});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Exposure alone = analyse_exposure(matrix, all[i], {rounds});
      EXPECT_EQ(together[i].first_round, alone.first_round);
      EXPECT_EQ(together[i].by_round, alone.by_round);
      EXPECT_EQ(together[i].rank, alone.rank);
    }
  }
}

TEST(Exposure, IsolatedAttackerLearnsNothing) {
  const std::vector<Edge> edges = {{1, 2}};
  const Graph graph(3, edges);
  const Exposure exposure = analyse_exposure(metropolis_weights(graph), make_adversary(graph, {0}), {});
  EXPECT_EQ(exposure.reconstructible(), (std::vector<NodeId>{0}));
  EXPECT_TRUE(exposure.saturated);
}

TEST(HiddenRelations, CoefficientsHoldOnRandomValues) {
  // A relation is a linear form known to the adversary, so it must lie in the rational row space: adding it
  // to the span over a prime that took no part in the reconstruction must not raise the rank.
  const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 14}, {"mean_degree", 2.6}}, 3);
  const GossipMatrix matrix = metropolis_weights(graph);
  const Adversary adversary = make_adversary(graph, {0});
  const auto relations = hidden_relations(matrix, adversary, {4}, 12);
  ASSERT_FALSE(relations.empty());
  const PrimeField field(audit_prime(40));
  const ModularGossipMatrix modular(matrix, field);
  KnowledgeSpan span(modular, adversary);
  for (int t = 0; t < 4; ++t) span.add_round();
  for (const Relation& relation : relations) {
    ASSERT_EQ(relation.coefficients.size(), relation.nodes.size());
    std::vector<Residue> row(graph.node_count(), 0);
    for (std::size_t i = 0; i < relation.nodes.size(); ++i) {
      fmpq_t value;
      fmpq_init(value);
      ASSERT_EQ(fmpq_set_str(value, relation.coefficients[i].c_str(), 10), 0);
      const Residue numerator = fmpz_fdiv_ui(fmpq_numref(value), field.prime());
      const Residue denominator = fmpz_fdiv_ui(fmpq_denref(value), field.prime());
      row[relation.nodes[i]] = field.multiply(numerator, field.inverse(denominator));
      fmpq_clear(value);
    }
    EchelonBasis basis = span.basis();
    EXPECT_FALSE(basis.insert(row));
    row[relation.nodes[0]] = field.add(row[relation.nodes[0]], 1);
    EXPECT_TRUE(basis.insert(row)) << "a wrong coefficient must be noticed";
  }
}

/// Chebyshev gossip over the prime field: a double is a dyadic rational, so its recurrence is exact there
/// too.
std::vector<NodeId> accelerated_reconstructible(const GossipMatrix& matrix, const Adversary& adversary,
                                                std::size_t rounds) {
  const PrimeField field(audit_prime(5));
  const ModularGossipMatrix modular(matrix, field);
  const auto residue = [&](double value) {
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    Residue power = 1;
    const Residue step = exponent - 53 < 0 ? field.inverse(2) : 2;
    for (int i = 0; i < std::abs(exponent - 53); ++i) power = field.multiply(power, step);
    return field.multiply(field.from_rational({mantissa, 1}), power);
  };
  const auto mixing = chebyshev_mixing(second_eigenvalue_modulus(matrix), rounds);
  const std::size_t n = matrix.node_count();
  EchelonBasis basis(field, n);
  for (const NodeId member : adversary.colluding) {
    std::vector<Residue> unit(n, 0);
    unit[member] = 1;
    basis.insert(unit);
  }
  for (const NodeId heard : heard_nodes(matrix.graph(), adversary)) {
    std::vector<Residue> now(n, 0), before(n, 0), mixed(n);
    now[heard] = before[heard] = 1;
    for (std::size_t t = 0; t < rounds; ++t) {
      basis.insert(now);
      modular.advance(now, mixed);
      const Residue omega = residue(mixing[t]);
      for (std::size_t j = 0; j < n; ++j) {
        mixed[j] = field.add(field.multiply(omega, mixed[j]),
                             field.multiply(field.add(1, field.negate(omega)), before[j]));
      }
      before.swap(now);
      now.swap(mixed);
    }
  }
  std::vector<NodeId> out;
  for (NodeId v = 0; v < n; ++v) {
    if (basis.contains_unit(v)) out.push_back(v);
  }
  return out;
}

TEST(Exposure, AccelerationRevealsExactlyTheSame) {
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 12}, {"mean_degree", 3.0}}, trial);
    const GossipMatrix matrix = metropolis_weights(graph);
    const Adversary adversary = make_adversary(graph, {0});
    for (const std::size_t rounds : {2, 3, 5, 8}) {
      EXPECT_EQ(analyse_exposure(matrix, adversary, {rounds}).reconstructible(),
                accelerated_reconstructible(matrix, adversary, rounds));
    }
  }
}

TEST(Exposure, FacebookEgo414SharesByRound) {
  EARSHOT_NEEDS_DATASET("facebook-ego");
  const Graph graph = testing::make_graph("facebook_ego", {{"ego", 414}});
  std::vector<Adversary> all;
  for (NodeId v = 0; v < graph.node_count(); ++v) all.push_back(make_adversary(graph, {v}));
  // Mean and largest share over all 148 attackers, from an independent exact elimination.
  for (const auto& [rounds, mean, largest] : std::vector<std::tuple<std::size_t, double, double>>{
           {2, .198, .547}, {5, .364, .845}, {7, .422, .845}, {10, .522, .845}}) {
    double sum = 0;
    double best = 0;
    for (const Exposure& exposure : analyse_exposures(metropolis_weights(graph), all, {rounds})) {
      sum += exposure.share();
      best = std::max(best, exposure.share());
    }
    EXPECT_NEAR(sum / 148, mean, 6e-4);
    EXPECT_NEAR(best, largest, 6e-4);
  }
}

}  // namespace
}  // namespace earshot
