#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/threat/adversary.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {
namespace {

Graph path(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
  return Graph(nodes, edges);
}

TEST(Adversary, HearsNeighboursOfMembersAndTappedNodes) {
  const Graph graph = path(8);
  const Adversary adversary = make_adversary(graph, {3, 2, 3}, {6, 2});
  EXPECT_EQ(adversary.colluding, (std::vector<NodeId>{2, 3}));
  EXPECT_EQ(adversary.tapped, (std::vector<NodeId>{6}));
  EXPECT_EQ(heard_nodes(graph, adversary), (std::vector<NodeId>{1, 4, 6}));
  EXPECT_EQ(target_nodes(graph, adversary), (std::vector<NodeId>{0, 1, 4, 5, 6, 7}));
  EXPECT_EQ(adversary_name(graph, adversary), "2+3 (tapping 6)");
}

TEST(Adversary, RefusesNobodyAndStrangers) {
  EXPECT_THROW(make_adversary(path(3), {}), Error);
  EXPECT_THROW(make_adversary(path(3), {3}), Error);
}

TEST(Adversary, RandomCoalitionsAreReproducibleAndOfTheAskedSize) {
  for (const AdversaryComponent& component : adversary_components()) {
    if (component.schema.name != "random") continue;
    Stream a({5, Purpose::kCoalition, 2}), b({5, Purpose::kCoalition, 2});
    const Settings settings(Json{{"size", 3}});
    const auto first = component.make(settings, path(9), a);
    EXPECT_EQ(first, component.make(settings, path(9), b));
    EXPECT_EQ(first.at(0).colluding.size(), 3U);
    Stream c({5, Purpose::kCoalition, 2});
    EXPECT_THROW(component.make(Settings(Json{{"size", 10}}), path(9), c), Error);
  }
}

TEST(Recorder, KeepsExactlyTheWiresEachAdversaryHears) {
  const Graph graph = path(5);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0}), make_adversary(graph, {4}, {2})};
  Recorder recorder(graph, adversaries, {}, 2);
  for (Round round = 0; round < 3; ++round) {
    for (NodeId from = 0; from < 5; ++from)
      recorder.on_broadcast(round, from, {}, std::vector<double>{1.0 * from, 1.0 * round});
  }
  recorder.on_message(1, 1, 0, std::vector<double>{7});
  recorder.on_message(1, 3, 2, std::vector<double>{8});
  auto heard = [&](std::size_t view) {
    std::vector<std::pair<Round, NodeId>> out;
    for (const Overheard& m : recorder.views()[view].messages()) out.emplace_back(m.round, m.from);
    return out;
  };
  // Round 2 lies outside the window; 3 -> 2 is heard by nobody.
  EXPECT_EQ(heard(0), (std::vector<std::pair<Round, NodeId>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 1}}));
  EXPECT_EQ(heard(1),
            (std::vector<std::pair<Round, NodeId>>{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}}));
  EXPECT_EQ(recorder.views()[0].rounds(), 2U);
  EXPECT_EQ(recorder.views()[0].messages().back().to, std::optional<NodeId>(0));
}

}  // namespace
}  // namespace earshot
