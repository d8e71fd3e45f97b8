#include "earshot/graph/gossip_matrix.hpp"

#include <cmath>
#include <numeric>

#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

std::vector<double> test_values(std::size_t count) {
  std::vector<double> values(count);
  Stream stream = testing::test_stream(99);
  stream.fill_normal(values, 1);
  return values;
}

/// The dense matrix entry by entry, straight from the definition.
std::vector<std::vector<double>> dense(const GossipMatrix& matrix) {
  std::vector<std::vector<double>> full(matrix.node_count(), std::vector<double>(matrix.node_count(), 0));
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    full[u][u] = matrix.self_weight(u);
    for (std::size_t i = 0; i < matrix.graph().degree(u); ++i)
      full[u][matrix.graph().neighbours(u)[i]] = matrix.edge_weights(u)[i].value();
  }
  return full;
}

TEST(GossipMatrix, MetropolisOnAStar) {
  const GossipMatrix matrix = metropolis_weights(testing::make_graph("star", {{"nodes", 5}}));
  for (NodeId leaf = 1; leaf < 5; ++leaf) {
    EXPECT_EQ(matrix.edge_weights(leaf)[0], (Rational{1, 5}));
    EXPECT_DOUBLE_EQ(matrix.self_weight(leaf), 0.8);
  }
  EXPECT_DOUBLE_EQ(matrix.self_weight(0), 0.2);
}

TEST(GossipMatrix, MaxDegreeIsIdentityMinusLaplacian) {
  for (const auto& [name, graph] : testing::sample_graphs()) {
    const auto full = dense(max_degree_weights(graph));
    const auto largest = static_cast<double>(graph.max_degree());
    for (NodeId u = 0; u < graph.node_count(); ++u) {
      for (NodeId v = 0; v < graph.node_count(); ++v) {
        const double laplacian = u == v                 ? static_cast<double>(graph.degree(u))
                                 : graph.has_edge(u, v) ? -1
                                                        : 0;
        EXPECT_NEAR(full[u][v], (u == v ? 1 : 0) - laplacian / largest, 1e-15) << name;
      }
    }
  }
}

TEST(GossipMatrix, ANodeOfLargestDegreeKeepsExactlyNothing) {
  const GossipMatrix matrix = max_degree_weights(testing::make_graph("line", {{"nodes", 6}}));
  for (NodeId inner = 1; inner < 5; ++inner) EXPECT_EQ(matrix.self_weight(inner), 0.0);
  EXPECT_EQ(matrix.self_weight(0), 0.5);
}

TEST(GossipMatrix, UniformNeighbourGivesAllTheSame) {
  const GossipMatrix matrix = uniform_neighbour_weights(testing::make_graph("florentine"));
  const NodeId medici = matrix.graph().require("Medici");
  EXPECT_EQ(matrix.exact_diagonal(medici), (Rational{1, 7}));
  for (const Rational& weight : matrix.edge_weights(medici)) EXPECT_EQ(weight, (Rational{1, 7}));
}

TEST(GossipMatrix, LazyIsHalfwayToTheIdentity) {
  for (const char* name : {"metropolis", "max_degree", "uniform_neighbour"}) {
    const Graph graph = testing::make_graph("karate");
    const auto plain = dense(testing::make_weights(name, graph));
    const auto halved = dense(testing::make_weights(std::string("lazy_") + name, graph));
    for (std::size_t u = 0; u < plain.size(); ++u) {
      for (std::size_t v = 0; v < plain.size(); ++v)
        EXPECT_NEAR(halved[u][v], (plain[u][v] + (u == v ? 1 : 0)) / 2, 1e-15) << name;
    }
  }
}

TEST(GossipMatrix, ProductsMatchTheDenseMatrix) {
  for (const char* name : {"metropolis", "uniform_neighbour"}) {
    const GossipMatrix matrix = testing::make_weights(name, testing::make_graph("barabasi_albert"));
    const auto full = dense(matrix);
    const std::size_t nodes = matrix.node_count();
    const std::vector<double> in = test_values(nodes);
    std::vector<double> out(nodes);
    std::vector<double> transposed(nodes);
    matrix.multiply(in, out);
    matrix.multiply_transposed(in, transposed);
    for (std::size_t u = 0; u < nodes; ++u) {
      double row = 0;
      double column = 0;
      for (std::size_t v = 0; v < nodes; ++v) {
        row += full[u][v] * in[v];
        column += full[v][u] * in[v];
      }
      EXPECT_NEAR(out[u], row, 1e-13);
      EXPECT_NEAR(transposed[u], column, 1e-13);
    }
  }
}

TEST(GossipMatrix, AveragingKeepsTheMeanAndShrinksTheDisagreement) {
  for (const auto& [graph_name, graph] : testing::sample_graphs()) {
    for (const char* name : {"metropolis", "max_degree", "lazy_metropolis", "lazy_max_degree"}) {
      const GossipMatrix matrix = testing::make_weights(name, graph);
      std::vector<double> values = test_values(graph.node_count());
      std::vector<double> next(values.size());
      const double sum = std::reduce(values.begin(), values.end());
      const auto spread = [](const std::vector<double>& v) {
        const auto [low, high] = std::minmax_element(v.begin(), v.end());
        return *high - *low;
      };
      for (int round = 0; round < 20; ++round) {
        matrix.multiply(values, next);
        EXPECT_NEAR(std::reduce(next.begin(), next.end()), sum, 1e-11) << graph_name << ' ' << name;
        EXPECT_LE(spread(next), spread(values) + 1e-12) << graph_name << ' ' << name;
        std::swap(values, next);
      }
    }
  }
}

TEST(GossipMatrix, RefusesTheWrongNumberOfWeights) {
  testing::error_of(Fault::kInternal, [] { GossipMatrix(testing::make_graph("ring"), {Rational{1, 3}}); });
}

TEST(WeightsComponents, EveryNameIsDescribed) {
  std::vector<std::string> names;
  for (const WeightsComponent& one : weights_components()) {
    names.push_back(one.schema.name);
    EXPECT_EQ(one.schema.role, "weights");
    EXPECT_FALSE(one.schema.summary.empty());
    EXPECT_FALSE(one.schema.reference.empty());
  }
  EXPECT_THAT(names,
              ::testing::ElementsAre("metropolis", "max_degree", "uniform_neighbour", "lazy_metropolis",
                                     "lazy_max_degree", "lazy_uniform_neighbour", "file"));
}

}  // namespace
}  // namespace earshot
