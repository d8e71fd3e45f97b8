#include "earshot/training/examples.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

using Indices = std::vector<std::size_t>;

TEST(Examples, TargetsAreOneHotOrNumbers) {
  const Targets classes{3, {2, 0, 1}};
  std::vector<double> row(3, 9);
  classes.write(0, row);
  EXPECT_THAT(row, ElementsAre(0, 0, 1));
  const Targets two{2, {1, 0}};
  std::vector<double> one(1);
  two.write(0, one);
  EXPECT_THAT(one, ElementsAre(1));
  const Targets numbers{0, {2.5}};
  numbers.write(0, one);
  EXPECT_THAT(one, ElementsAre(2.5));
  EXPECT_THROW(classes.write(0, one), Error);
  EXPECT_THROW(numbers.write(0, row), Error);
  std::vector<double> pair(2);
  EXPECT_THROW(classes.write(0, pair), Error);
}

TEST(Examples, RecordsComeInTheOrderAsked) {
  ExampleMemory memory;
  const auto examples = record_examples({2}, {1, 2, 3, 4, 5, 6}, {2, {0, 1, 1}});
  const auto problem = examples->gather(Indices{2, 0}, 2, 0, memory);
  EXPECT_EQ(problem.rows, 2U);
  EXPECT_THAT(problem.inputs, ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(problem.targets, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(examples->gather(Indices{}, 2, 0, memory).rows, 0U);
  EXPECT_THROW(record_examples({2}, {1, 2, 3}, {2, {0, 1}}), Error);
}

ImageDataset two_pictures() {
  return {"", {2, 1, 3}, 2, {0, 51, 255, 10, 20, 30, 1, 2, 3, 4, 5, 6}, {1, 0}, {{0.5, 0}, {0.5, 1}}};
}

TEST(Examples, PicturesAreNormalisedPerChannel) {
  ExampleMemory memory;
  const auto examples = image_examples(two_pictures(), {});
  const auto problem = examples->gather(Indices{0}, 2, 0, memory);
  EXPECT_THAT(problem.inputs,
              ElementsAre(-1, ::testing::DoubleEq((0.2 - 0.5) / 0.5), 1, 10 / 255.0, 20 / 255.0, 30 / 255.0));
  EXPECT_THAT(problem.targets, ElementsAre(0, 1));
  const auto plain = image_examples(two_pictures(), {.normalise = false});
  EXPECT_THAT(plain->gather(Indices{0}, 2, 0, memory).inputs[2], 1);
}

/// Half of 200 passes show the mirror image: 100 +- 5 deviations of 7.
TEST(Examples, PicturesAreMirroredAnewInEveryPass) {
  ExampleMemory memory;
  const auto examples = image_examples(two_pictures(), {.normalise = false, .flip = true, .flip_seed = 3});
  int mirrored = 0;
  for (std::uint64_t pass = 0; pass < 200; ++pass) {
    const auto inputs = examples->gather(Indices{0}, 2, pass, memory).inputs;
    const bool flipped = inputs[0] == 1;
    mirrored += flipped;
    EXPECT_EQ(inputs[3] * 255, flipped ? 30 : 10);
    EXPECT_EQ(examples->gather(Indices{0}, 2, pass, memory).inputs[0], flipped ? 1 : 0);
  }
  EXPECT_GT(mirrored, 64);
  EXPECT_LT(mirrored, 136);
}

TEST(Examples, PatternsHaveBothDirections) {
  const std::vector<NodePair> edges{{0, 2}, {1, 2}, {2, 3}};
  const GraphPattern pattern = pattern_of(5, edges);
  EXPECT_THAT(pattern.row_starts, ElementsAre(0, 1, 2, 5, 6, 6));
  EXPECT_THAT(pattern.columns, ElementsAre(2, 2, 0, 1, 3, 2));
  EXPECT_THAT(pattern.graph_starts, ElementsAre(0, 5));
}

TEST(Examples, NodesAreChosenByWeight) {
  ExampleMemory memory;
  NodeDataset graph;
  graph.nodes = 3;
  graph.edges = {{0, 1}};
  graph.features.columns = 2;
  append_row(graph.features, {{0, 1.0}, {1, 3.0}});
  append_row(graph.features, {});
  append_row(graph.features, {{1, 2.0}});
  graph.labels = {1, kNoLabel, 0};
  graph.classes = {"a", "b"};
  const auto examples = node_examples(graph, true);
  EXPECT_TRUE(examples->connected());
  const auto problem = examples->gather(Indices{2}, 2, 0, memory);
  EXPECT_EQ(problem.rows, 3U);
  EXPECT_THAT(problem.inputs, ElementsAre(0.25, 0.75, 0, 0, 0, 1));
  EXPECT_THAT(problem.targets, ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(problem.row_weights, ElementsAre(0, 0, 1));
  EXPECT_EQ(problem.graph->edges(), 2U);
  EXPECT_EQ(node_examples(graph, false)->gather(Indices{2}, 2, 0, memory).inputs[5], 2);
}

TEST(Examples, GraphsStandSideBySide) {
  ExampleMemory memory;
  GraphsDataset graphs;
  graphs.feature_names = {"f"};
  graphs.classes = {"a", "b"};
  graphs.graphs.push_back({2, {{0, 1}}, {}, {}, {1, 2}, 0});
  graphs.graphs.push_back({3, {{0, 2}, {1, 2}}, {}, {}, {3, 4, 5}, 1});
  const auto examples = graph_examples(graphs);
  const auto problem = examples->gather(Indices{1, 0, 1}, 2, 0, memory);
  EXPECT_EQ(problem.rows, 8U);
  EXPECT_THAT(problem.inputs, ElementsAre(3, 4, 5, 1, 2, 3, 4, 5));
  EXPECT_THAT(problem.targets, ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(problem.graph->graph_starts, ElementsAre(0, 3, 5, 8));
  EXPECT_THAT(problem.graph->row_starts, ElementsAre(0, 1, 2, 4, 5, 6, 7, 8, 10));
  EXPECT_THAT(problem.graph->columns, ElementsAre(2, 2, 0, 1, 4, 3, 7, 7, 5, 6));
}

}  // namespace
}  // namespace earshot
