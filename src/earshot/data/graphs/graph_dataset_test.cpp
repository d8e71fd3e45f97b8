#include "earshot/data/graphs/graph_dataset.hpp"

#include <set>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(SparseFeatures, LinesOfColumns) {
  const SparseFeatures features = parse_index_lines({"2 0\n\n1\n", "f"}, 3);
  EXPECT_EQ(features.rows(), 3u);
  EXPECT_THAT(features.row_indices(0), ElementsAre(0, 2));
  EXPECT_THAT(features.row_values(0), ElementsAre(1, 1));
  EXPECT_THAT(features.row_indices(1), ElementsAre());
  std::vector<double> row(3, 0.0);
  features.expand(2, row);
  EXPECT_THAT(row, ElementsAre(0, 1, 0));
}

TEST(SparseFeatures, LinesOfValues) {
  const SparseFeatures features = parse_value_lines({"1:0.5 0:-2e3\r\n2:0", "f"}, 3);
  EXPECT_THAT(features.row_indices(0), ElementsAre(0, 1));
  EXPECT_THAT(features.row_values(0), ElementsAre(-2000, 0.5));
  EXPECT_EQ(features.nonzeros(), 2u);
  EXPECT_EQ(features.rows(), 2u);
}

TEST(SparseFeatures, RefuseWhatIsNoRow) {
  const auto index = [](std::string_view text) { return [=] { parse_index_lines({text, "f"}, 3); }; };
  const auto value = [](std::string_view text) { return [=] { parse_value_lines({text, "f"}, 3); }; };
  EXPECT_THAT(index("0\n3"),
              ThrowsMessage<Error>(StrEq("f:2: column \"3\" found, allowed: a whole number from 0 to 2")));
  EXPECT_THAT(index("0 0"), ThrowsMessage<Error>(StrEq("f:1: column 0 is named twice")));
  EXPECT_THAT(index("0  1"), ThrowsMessage<Error>(HasSubstr("f:1: column \"\" found")));
  EXPECT_THAT(index("-1"), ThrowsMessage<Error>(HasSubstr("f:1: column \"-1\" found")));
  EXPECT_THAT(value("0:nan"), ThrowsMessage<Error>(HasSubstr("value \"nan\" found, allowed: a finite")));
  EXPECT_THAT(value("0:1e999"), ThrowsMessage<Error>(HasSubstr("value \"1e999\" found")));
  EXPECT_THAT(value("0"), ThrowsMessage<Error>(HasSubstr("expected column:value")));
}

TEST(GraphDataset, DirectionsLoopsAndRepeatsAreForgotten) {
  const UndirectedEdges edges = undirected({{2, 1}, {0, 1}, {1, 2}, {1, 1}, {1, 2}}, 3);
  EXPECT_THAT(edges.edges, ElementsAre(NodePair{0, 1}, NodePair{1, 2}));
  EXPECT_EQ(edges.self_loops, 1u);
  EXPECT_EQ(edges.repeats, 2u);
  EXPECT_THAT(
      [] {
        undirected({{0, 3}}, 3);
      },
      ThrowsMessage<Error>(StrEq("edge 0-3 of a graph with 3 nodes")));
}

/// Random labels, features and edges.
NodeDataset random_dataset(std::size_t nodes, Stream& stream) {
  NodeDataset dataset;
  dataset.name = "random";
  dataset.nodes = nodes;
  dataset.classes = {"a", "b", "c"};
  dataset.features.columns = 5;
  std::vector<NodePair> pairs;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    dataset.labels.push_back(static_cast<int>(stream.below(4)) - 1);
    append_row(dataset.features, {{static_cast<std::uint32_t>(stream.below(5)), stream.normal()}});
    for (std::uint32_t j = 0; j < i; ++j) {
      if (stream.below(3) == 0) pairs.push_back({i, j});
    }
  }
  dataset.edges = undirected(pairs, nodes).edges;
  dataset.split = NodeSplit{{0, 1}, {2}, {3, 4}};
  return dataset;
}

/// Against the definition: i and j are joined in the part exactly if the chosen nodes are in the whole.
TEST(GraphDataset, InducedSubgraphsKeepExactlyTheEdgesAmongTheChosen) {
  Stream stream({.seed = 1});
  for (int repeat = 0; repeat < 50; ++repeat) {
    const NodeDataset whole = random_dataset(12, stream);
    check(whole);
    const std::vector<std::size_t> chosen = stream.sample_without_replacement(1 + stream.below(12), 12);
    const NodeDataset part = induced_subgraph(whole, chosen);
    check(part);
    const std::set<NodePair> of_whole(whole.edges.begin(), whole.edges.end());
    const std::set<NodePair> of_part(part.edges.begin(), part.edges.end());
    ASSERT_EQ(part.nodes, chosen.size());
    for (std::uint32_t j = 0; j < chosen.size(); ++j) {
      EXPECT_EQ(part.labels[j], whole.labels[chosen[j]]);
      EXPECT_EQ(part.features.row_values(j)[0], whole.features.row_values(chosen[j])[0]);
      for (std::uint32_t i = 0; i < j; ++i) {
        const auto [low, high] = std::minmax(chosen[i], chosen[j]);
        const NodePair old{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)};
        EXPECT_EQ(of_part.contains({i, j}), of_whole.contains(old));
      }
    }
    for (const std::size_t node : part.split->test) EXPECT_THAT(chosen[node], ::testing::AnyOf(3u, 4u));
  }
}

TEST(GraphDataset, NobodyIsChosenTwice) {
  Stream stream({.seed = 2});
  const NodeDataset whole = random_dataset(6, stream);
  const std::vector<std::size_t> twice{1, 1};
  EXPECT_THAT([&] { induced_subgraph(whole, twice); },
              ThrowsMessage<Error>(StrEq("node 1 is chosen twice; choose it once")));
}

TEST(GraphDataset, ChecksFindWhatDoesNotFit) {
  Stream stream({.seed = 3});
  const NodeDataset good = random_dataset(6, stream);
  const auto broken = [&](auto change) {
    return [&good, change] {
      NodeDataset dataset = good;
      change(dataset);
      check(dataset);
    };
  };
  EXPECT_NO_THROW(broken([](NodeDataset&) {})());
  EXPECT_THAT(broken([](NodeDataset& d) { d.labels[0] = 3; }),
              ThrowsMessage<Error>(StrEq("dataset random: class 3 of 3 classes")));
  EXPECT_THAT(broken([](NodeDataset& d) { d.labels[0] = -2; }),
              ThrowsMessage<Error>(HasSubstr("class -2 of 3")));
  EXPECT_THAT(broken([](NodeDataset& d) { d.labels.pop_back(); }),
              ThrowsMessage<Error>(HasSubstr("5 labels for 6 nodes")));
  EXPECT_THAT(broken([](NodeDataset& d) { d.edges.push_back(d.edges.front()); }),
              ThrowsMessage<Error>(HasSubstr("listed twice or out of order")));
  EXPECT_THAT(broken([](NodeDataset& d) {
                d.edges = {{2, 1}};
              }),
              ThrowsMessage<Error>(HasSubstr("the smaller node comes first")));
  EXPECT_THAT(broken([](NodeDataset& d) { d.split->test.push_back(0); }),
              ThrowsMessage<Error>(HasSubstr("test node 0 is in the split twice")));
  EXPECT_THAT(broken([](NodeDataset& d) { d.split->test.push_back(6); }),
              ThrowsMessage<Error>(HasSubstr("test node 6 of 6 nodes")));
  EXPECT_THAT(broken([](NodeDataset& d) { append_row(d.features, {}); }),
              ThrowsMessage<Error>(HasSubstr("7 rows of features for 6 nodes")));
}

}  // namespace
}  // namespace earshot
