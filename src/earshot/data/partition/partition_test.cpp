#include "earshot/data/partition/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/gamma.hpp"
#include "earshot/core/test_settings.hpp"
#include "earshot/core/test_statistics.hpp"
#include "earshot/data/partition/dirichlet.hpp"
#include "earshot/data/partition/graph_partition.hpp"

namespace earshot {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

Partition divide(std::string_view name, const PartitionInput& input, const Json& given = Json::object(),
                 std::uint64_t seed = 1) {
  const PartitionComponent& component = find_partition(name);
  return divide_records(component, testing::valid_settings(component.schema, given), input, seed);
}

std::vector<std::size_t> sizes(const Partition& partition) {
  std::vector<std::size_t> result;
  for (const auto& node : partition.nodes) result.push_back(node.size());
  return result;
}

/// `classes` classes in turn.
std::vector<int> round_robin_labels(std::size_t records, int classes) {
  std::vector<int> labels(records);
  for (std::size_t i = 0; i < records; ++i) labels[i] = static_cast<int>(i) % classes;
  return labels;
}

/// The law of every partition: counted here without the code's own check.
TEST(Partition, EveryRecordIsInExactlyOnePlace) {
  Stream stream({.seed = 6});
  for (int repeat = 0; repeat < 40; ++repeat) {
    const std::size_t records = 40 + stream.below(400);
    const std::size_t nodes = 1 + stream.below(12);
    std::vector<int> labels(records);
    std::vector<std::size_t> groups(records);
    for (std::size_t i = 0; i < records; ++i) {
      labels[i] = static_cast<int>(stream.below(6)) - 1;
      groups[i] = i < 12 ? i : stream.below(30) * 7;
    }
    const PartitionInput input{records, nodes, labels, groups};
    for (const PartitionComponent& component : partition_components()) {
      SCOPED_TRACE(component.schema.name);
      const Settings settings = testing::valid_settings(component.schema, {{"minimum", 0}});
      const Partition partition = divide_records(component, settings, input, stream.bits());
      ASSERT_THAT(partition.nodes, SizeIs(nodes));
      std::vector<int> places(records, 0);
      for (const auto& node : partition.nodes) {
        EXPECT_TRUE(std::ranges::is_sorted(node));
        for (const std::size_t record : node) ++places.at(record);
      }
      for (const std::size_t record : partition.unused) ++places.at(record);
      EXPECT_THAT(places, Each(1));
      const std::vector<std::size_t> size = sizes(partition);
      EXPECT_EQ(std::accumulate(size.begin(), size.end(), partition.unused.size()), records);
      if (component.schema.name != "one_per_node") {
        EXPECT_THAT(partition.unused, IsEmpty());
      }
    }
  }
}

TEST(Partition, TheSeedDecides) {
  const std::vector<int> labels = round_robin_labels(200, 4);
  std::vector<std::size_t> groups(200);
  for (std::size_t i = 0; i < 200; ++i) groups[i] = i / 10;
  const PartitionInput input{200, 7, labels, groups};
  for (const PartitionComponent& component : partition_components()) {
    const std::string& name = component.schema.name;
    EXPECT_EQ(divide(name, input, {}, 5).nodes, divide(name, input, {}, 5).nodes) << name;
    EXPECT_NE(divide(name, input, {}, 5).nodes, divide(name, input, {}, 6).nodes) << name;
  }
}

TEST(Partition, IidSpreadsOrDropsTheRemainder) {
  const PartitionInput input{2931, 10};
  EXPECT_THAT(sizes(divide("iid", input)), ElementsAre(294, 293, 293, 293, 293, 293, 293, 293, 293, 293));
  const Partition dropped = divide("iid", input, {{"remainder", "drop"}});
  EXPECT_THAT(sizes(dropped), Each(293u));
  EXPECT_THAT(dropped.unused, SizeIs(1));
}

/// Where record 0 goes over many seeds is uniform; false alarm below 1e-7.
TEST(Partition, IidIsUniform) {
  std::map<std::size_t, std::uint64_t> counts;
  std::map<std::size_t, double> probability;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const Partition partition = divide("iid", {20, 5}, {}, seed);
    for (std::size_t node = 0; node < 5; ++node) {
      if (std::ranges::count(partition.nodes[node], 0U) == 1) ++counts[node];
    }
  }
  for (std::size_t node = 0; node < 5; ++node) probability[node] = 0.2;
  EXPECT_LT(chi_square_excess(counts, probability), 1);
}

TEST(Partition, ShardsHoldFewClassesAndNoRecordIsLost) {
  const std::vector<int> labels = round_robin_labels(1003, 10);
  const Partition partition = divide("shards", {1003, 10, labels}, {{"shards_per_node", 2}});
  for (const auto& node : partition.nodes) {
    EXPECT_THAT(node.size(), ::testing::AllOf(::testing::Ge(100u), ::testing::Le(102u)));
    std::set<int> seen;
    for (const std::size_t record : node) seen.insert(labels[record]);
    EXPECT_LE(seen.size(), 4u);  // a shard may straddle two classes
  }
  EXPECT_THAT(partition.unused, IsEmpty());
  // One shard per node of a balanced dataset: exactly one class each.
  const std::vector<int> balanced = round_robin_labels(1000, 10);
  for (const auto& node : divide("shards", {1000, 10, balanced}, {{"shards_per_node", 1}}).nodes) {
    std::set<int> seen;
    for (const std::size_t record : node) seen.insert(balanced[record]);
    EXPECT_THAT(seen, SizeIs(1));
  }
  EXPECT_THAT(
      [&] {
        divide("shards", {10, 6, std::span(balanced).first(10)}, {{"shards_per_node", 2}});
      },
      ThrowsMessage<Error>(HasSubstr("12 shards (6 nodes x 2) of 10 records leave some empty")));
}

/// Against Boost's distribution function; false alarm 3e-8 each.
TEST(Dirichlet, GammaVariables) {
  for (const double shape : {0.1, 0.5, 1.0, 3.0, 50.0}) {
    Stream stream({.seed = 7, .round = static_cast<std::uint64_t>(shape * 10)});
    std::vector<double> sample(20000);
    for (double& value : sample) value = std::exp(log_gamma_variable(shape, stream));
    const boost::math::gamma_distribution<> law(shape);
    EXPECT_LT(kolmogorov(sample, [&](double x) { return boost::math::cdf(law, x); }), kKolmogorovLimit)
        << shape;
  }
}

/// One proportion of a symmetric Dirichlet of k parts is Beta(alpha, (k-1) alpha); false alarm 3e-8 each.
TEST(Dirichlet, ProportionsAreBeta) {
  for (const double alpha : {0.1, 0.5, 10.0}) {
    Stream stream({.seed = 8});
    std::vector<double> sample;
    for (int i = 0; i < 5000; ++i) {
      const std::vector<double> proportions = dirichlet(stream, 4, alpha);
      EXPECT_NEAR(std::accumulate(proportions.begin(), proportions.end(), 0.0), 1, 1e-12);
      sample.push_back(proportions[static_cast<std::size_t>(i) % 4]);
    }
    const boost::math::beta_distribution<> law(alpha, 3 * alpha);
    EXPECT_LT(kolmogorov(sample, [&](double x) { return boost::math::cdf(law, x); }), kKolmogorovLimit)
        << alpha;
  }
}

TEST(Dirichlet, TinyConcentrationsStayFinite) {
  Stream stream({.seed = 9});
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> proportions = dirichlet(stream, 5, 1e-4);
    EXPECT_NEAR(std::accumulate(proportions.begin(), proportions.end(), 0.0), 1, 1e-12);
  }
}

/// The share of one class that one node gets, over many seeds: Beta(alpha, (nodes-1) alpha), rounded to whole
/// records of the class. False alarm 3e-8; the rounding is allowed for where the law is densest, at 0.
TEST(Partition, DirichletSharesAreBeta) {
  constexpr std::size_t kOfClass = 400;
  constexpr std::size_t kDraws = 1500;
  const std::vector<int> labels = round_robin_labels(2 * kOfClass, 2);
  for (const double alpha : {1.0, 5.0}) {
    std::vector<double> sample;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const Partition partition =
          divide("dirichlet", {2 * kOfClass, 3, labels}, {{"alpha", alpha}, {"minimum", 0}}, seed);
      const auto share = std::ranges::count_if(partition.nodes[seed % 3],
                                               [&](std::size_t record) { return labels[record] == 1; });
      sample.push_back((static_cast<double>(share) + 0.5) / (kOfClass + 1));
    }
    const boost::math::beta_distribution<> law(alpha, 2 * alpha);
    const double distance = kolmogorov(sample, [&](double x) { return boost::math::cdf(law, x); });
    const double densest = alpha == 1 ? 2 : 3.5;  // the largest density of the law
    EXPECT_LT(distance, kKolmogorovLimit + std::sqrt(static_cast<double>(kDraws)) * densest / kOfClass)
        << alpha;
  }
}

TEST(Partition, SmallerAlphaIsMoreUnequal) {
  const std::vector<int> labels = round_robin_labels(5000, 10);
  double before = 0;
  for (const double alpha : {100.0, 1.0, 0.05}) {
    double spread = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Partition partition =
          divide("dirichlet", {5000, 10, labels}, {{"alpha", alpha}, {"minimum", 0}}, seed);
      for (const auto& node : partition.nodes) {
        std::map<int, double> counts;
        for (const std::size_t record : node) ++counts[labels[record]];
        for (const auto& [label, count] : counts) spread += count * count;
      }
    }
    EXPECT_GT(spread, before) << alpha;
    before = spread;
  }
}

TEST(Partition, AMinimumIsMetOrRefused) {
  const std::vector<int> labels = round_robin_labels(400, 4);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Partition partition =
        divide("dirichlet", {400, 5, labels}, {{"alpha", 0.3}, {"minimum", 20}}, seed);
    EXPECT_THAT(sizes(partition), Each(::testing::Ge(20u)));
  }
  EXPECT_THAT(
      [&] {
        divide("dirichlet", {400, 5, labels}, {{"minimum", 81}});
      },
      ThrowsMessage<Error>(StrEq("400 records cannot give each of 5 nodes 81; take fewer nodes or a lower "
                                 "minimum")));
  EXPECT_THAT(
      [&] {
        divide("dirichlet", {400, 5, labels}, {{"alpha", 1e-3}, {"minimum", 79}});
      },
      ThrowsMessage<Error>(HasSubstr("none of 1000 draws with alpha = 0.001 gave each of 5 nodes 79")));
  const std::vector<std::size_t> groups{0, 0, 0, 1};
  EXPECT_THAT(
      [&] {
        divide("groups", {4, 2, {}, groups}, {{"minimum", 2}});
      },
      ThrowsMessage<Error>(HasSubstr("node 1 has 1 records, fewer than the minimum of 2")));
  EXPECT_THAT([] { divide("iid", {3, 4}); }, ThrowsMessage<Error>(HasSubstr("3 records cannot give each")));
  EXPECT_THAT(sizes(divide("iid", {3, 4}, {{"minimum", 0}})), ElementsAre(1, 1, 1, 0));
}

TEST(Partition, OneRecordPerNode) {
  const Partition partition = divide("one_per_node", {10, 4});
  EXPECT_THAT(sizes(partition), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(partition.unused, SizeIs(6));
  EXPECT_THAT(
      [] {
        divide("one_per_node", {3, 4}, {{"minimum", 0}});
      },
      ThrowsMessage<Error>(HasSubstr("3 records are too few for 4 nodes with one each")));
}

TEST(Partition, GroupsStayTogether) {
  const std::vector<std::size_t> writers{9, 2, 9, 5, 2, 7};
  // As many nodes as writers: in the order of the writers' numbers.
  EXPECT_THAT(divide("groups", {6, 4, {}, writers}).nodes,
              ElementsAre(ElementsAre(1, 4), ElementsAre(3), ElementsAre(5), ElementsAre(0, 2)));
  const Partition two = divide("groups", {6, 2, {}, writers});
  for (const auto& node : two.nodes) {
    for (const std::size_t record : node) {
      for (std::size_t other = 0; other < 6; ++other) {
        if (writers[other] == writers[record]) {
          EXPECT_THAT(node, ::testing::Contains(other));
        }
      }
    }
  }
  EXPECT_THAT(
      [&] {
        divide("groups", {6, 5, {}, writers});
      },
      ThrowsMessage<Error>(HasSubstr("5 nodes but only 4 groups")));
  EXPECT_THAT(groups_of(std::vector{2.5, -1.0, 2.5, 7.0}), ElementsAre(1, 0, 1, 2));
}

TEST(Partition, SaysWhatItLacks) {
  EXPECT_THAT(
      [] {
        divide("shards", {10, 2});
      },
      ThrowsMessage<Error>(HasSubstr("partition shards goes by classes, which this dataset")));
  EXPECT_THAT(
      [] {
        divide("groups", {10, 2});
      },
      ThrowsMessage<Error>(HasSubstr("needs to know whom each record belongs to")));
  EXPECT_THAT(
      [] {
        divide("iid", {10, 0});
      },
      ThrowsMessage<Error>(StrEq("a partition needs at least one node")));
  EXPECT_THAT([] { find_partition("dirichle"); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"dirichlet\"?")));
}

/// Every edge is with exactly one client or cut.
TEST(GraphPartition, ClientsHoldTheEdgesAmongTheirNodes) {
  Stream stream({.seed = 10});
  NodeDataset dataset;
  dataset.name = "random";
  dataset.nodes = 60;
  dataset.classes = {"a", "b"};
  dataset.features.columns = 1;
  std::vector<NodePair> pairs;
  for (std::uint32_t i = 0; i < 60; ++i) {
    dataset.labels.push_back(static_cast<int>(i % 2));
    append_row(dataset.features, {{0, static_cast<double>(i + 1)}});
    for (std::uint32_t j = 0; j < i; ++j) {
      if (stream.below(10) == 0) pairs.push_back({j, i});
    }
  }
  dataset.edges = undirected(pairs, 60).edges;
  const Partition partition = divide("iid", {60, 4, dataset.labels});
  const ClientGraphs result = client_graphs(dataset, partition);
  ASSERT_THAT(result.clients, SizeIs(4));
  std::vector<std::size_t> owner(60);
  for (std::size_t client = 0; client < 4; ++client) {
    check(result.clients[client]);
    for (const std::size_t node : partition.nodes[client]) owner[node] = client;
    // The one feature is the node's old number plus one.
    EXPECT_EQ(result.clients[client].features.values[0], static_cast<double>(partition.nodes[client][0] + 1));
  }
  std::size_t cut = 0;
  for (const auto& [a, b] : dataset.edges) cut += owner[a] != owner[b] ? 1U : 0U;
  EXPECT_EQ(result.cut_edges, cut);
  EXPECT_GT(cut, 0u);
}

}  // namespace
}  // namespace earshot
