#include <array>

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
    const Settings settings(Json{{"size", 3}, {"taps_all", false}});
    const auto first = component.make(settings, path(9), a);
    EXPECT_EQ(first, component.make(settings, path(9), b));
    EXPECT_EQ(first.at(0).colluding.size(), 3U);
    Stream c({5, Purpose::kCoalition, 2});
    EXPECT_THROW(component.make(Settings(Json{{"size", 10}, {"taps_all", false}}), path(9), c), Error);
  }
}

TEST(Recorder, KeepsExactlyTheWiresEachAdversaryHears) {
  const Graph graph = path(5);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0}), make_adversary(graph, {4}, {2})};
  Recorder recorder(graph, adversaries, {}, 2);
  for (Round round = 0; round < 3; ++round) {
    for (NodeId from = 0; from < 5; ++from) {
      const auto everyone = graph.neighbours(from);
      recorder.on_broadcast(round, from, {everyone, everyone}, std::vector<double>{1.0 * from, 1.0 * round});
    }
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

TEST(Recorder, OfWhatIsNotChosenKeepsOnlyThatItWasSaid) {
  const Graph graph = path(3);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0}), make_adversary(graph, {}, {1})};
  Recorder recorder(graph, adversaries, {}, 9);
  recorder.keep_only(1, {{2, 3}, {{0, 1, 0}}});
  for (Round round = 0; round < 4; ++round) {
    for (const NodeId to : graph.neighbours(1)) recorder.on_message(round, 1, to, std::vector<double>{1, 2});
  }
  EXPECT_EQ(recorder.views()[0].messages().size(), 4U);  // another's choice
  EXPECT_TRUE(recorder.views()[0].unkept().empty());
  const View& view = recorder.views()[1];
  ASSERT_EQ(view.messages().size(), 3U);  // one of round 0, all of round 2
  EXPECT_EQ(view.messages()[0].round, 0U);
  EXPECT_EQ(view.messages()[0].to, std::optional<NodeId>(0));
  EXPECT_EQ(view.messages()[2].round, 2U);
  ASSERT_EQ(view.unkept().size(), 5U);
  EXPECT_EQ(view.unkept()[0].to, std::optional<NodeId>(2));
  EXPECT_EQ(view.unkept()[0].numbers, 2U);
  EXPECT_EQ(view.unkept()[4].round, 3U);
  EXPECT_EQ(view.rounds(), 4U);
}

/// Nobody wants it, so it takes no memory.
TEST(Recorder, WhatNobodyKeepsIsNotHeld) {
  const Graph graph = path(3);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {}, {1})};
  Recorder recorder(graph, adversaries, {}, 9);
  recorder.keep_only(0, {{}, {{0, 1, 0}}});
  for (Round round = 0; round < 4; ++round)
    for (const NodeId to : graph.neighbours(1))
      recorder.on_message(round, 1, to, std::vector<double>{1.0 * round, 1.0 * to});
  EXPECT_EQ(recorder.kept_numbers(), 2U);
}

std::vector<Adversary> made(std::string_view name, const Json& settings, const Graph& graph) {
  for (const AdversaryComponent& component : adversary_components()) {
    Stream stream({5, Purpose::kCoalition, 2});
    if (component.schema.name == name) return component.make(Settings(settings), graph, stream);
  }
  return {};
}

TEST(Adversary, ServerIsTheNodeOfThatName) {
  const std::vector<Edge> edges = {{0, 2}, {1, 2}};
  const Graph star(3, edges, {"a", "b", "server"});
  EXPECT_EQ(made("server", Json::object(), star).at(0).colluding, std::vector<NodeId>{2});
  EXPECT_THROW(made("server", Json::object(), path(3)), Error);
}

TEST(Adversary, EavesdropperReadsAllWiresOrSome) {
  const Graph graph = path(4);
  EXPECT_EQ(made("eavesdropper", Json{{"wires", Json::array()}}, graph).at(0).tapped,
            (std::vector<NodeId>{0, 1, 2, 3}));
  const Adversary some = made("eavesdropper", Json{{"wires", {"2--1", "1--2"}}}, graph).at(0);
  EXPECT_EQ(some.wires, (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(heard_nodes(graph, some), (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(adversary_name(graph, some), "tapping 1--2");
  EXPECT_EQ(adversary_name(graph, made("eavesdropper", Json{{"wires", Json::array()}}, graph).at(0)),
            "tapping everybody");
  EXPECT_THROW(made("eavesdropper", Json{{"wires", {"0--2"}}}, graph), Error);
  EXPECT_THROW(made("eavesdropper", Json{{"wires", {"01"}}}, graph), Error);
  EXPECT_THROW(make_adversary(graph, {}, {}, {{1, 1}}), Error);
  EXPECT_THROW(make_adversary(graph, {}, {}, {{1, 4}}), Error);
}

TEST(Adversary, MembersMayHaveTapsOnEverybodyElse) {
  const Graph graph = path(4);
  const Adversary inside = made("first", Json{{"size", 2}, {"taps_all", false}}, graph).at(0);
  EXPECT_EQ(inside, (Adversary{{0, 1}, {}, {}}));
  const Adversary both = made("first", Json{{"size", 2}, {"taps_all", true}}, graph).at(0);
  EXPECT_EQ(both, (Adversary{{0, 1}, {2, 3}, {}}));
  EXPECT_EQ(made("random", Json{{"size", 1}, {"taps_all", true}}, graph).at(0).tapped.size(), 3U);
}

/// (round, from, said) of everything in a view.
std::vector<std::array<Round, 3>> heard_in(const View& view) {
  std::vector<std::array<Round, 3>> out;
  for (const Overheard& m : view.messages()) out.push_back({m.round, m.from, m.said});
  return out;
}

TEST(Recorder, TapsHearWhatIsLostAndMembersHearWhatArrives) {
  const Graph graph = path(4);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {2}), make_adversary(graph, {}, {1}),
                                              make_adversary(graph, {}, {}, {{1, 2}}),
                                              make_adversary(graph, {}, {}, {{2, 3}})};
  Recorder recorder(graph, adversaries, {}, 9);
  const std::vector<NodeId> both = {0, 2}, one = {0};
  const std::vector<double> message = {1};
  recorder.on_broadcast(0, 1, {both, one}, message);  // does not reach the member
  recorder.on_missed(1, 1, 2, message);
  recorder.on_late(3, 1, 2, 0, message);
  EXPECT_EQ(heard_in(recorder.views()[0]), (std::vector<std::array<Round, 3>>{{3, 1, 0}}));
  EXPECT_EQ(heard_in(recorder.views()[1]), (std::vector<std::array<Round, 3>>{{0, 1, 0}, {1, 1, 1}}));
  EXPECT_EQ(heard_in(recorder.views()[2]), (std::vector<std::array<Round, 3>>{{0, 1, 0}, {1, 1, 1}}));
  EXPECT_TRUE(recorder.views()[3].messages().empty());
}

TEST(Recorder, KeepsNothingOutsideItsWindow) {
  const Graph graph = path(3);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0})};
  Recorder recorder(3, adversaries, {}, RoundWindow{2, 4});
  for (Round round = 0; round < 6; ++round) recorder.on_message(round, 1, 0, std::vector<double>{1, 2, 3});
  EXPECT_EQ(heard_in(recorder.views()[0]), (std::vector<std::array<Round, 3>>{{2, 1, 2}, {3, 1, 3}}));
  EXPECT_EQ(recorder.kept_numbers(), 6U);
}

TEST(Recorder, KeepsOnceWhatIsSentToSeveral) {
  const Graph graph = path(3);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {1}), make_adversary(graph, {}, {1})};
  Recorder recorder(graph, adversaries, {}, 9);
  std::vector<double> message = {1, 2, 3};
  recorder.on_message(0, 1, 0, message);
  recorder.on_message(0, 1, 2, message);
  EXPECT_EQ(recorder.kept_numbers(), 3U);
  message[0] = 4;  // the next round may use the same memory
  recorder.on_message(1, 1, 0, message);
  EXPECT_EQ(recorder.kept_numbers(), 6U);
  for (const View& view : recorder.views()) {
    ASSERT_EQ(view.messages().size(), 3U);
    EXPECT_EQ(view.messages()[1].to, std::optional<NodeId>(2));
    EXPECT_EQ(view.messages()[1].message[0], 1);
    EXPECT_EQ(view.messages()[2].message[0], 4);
  }
}

TEST(Recorder, GoesOnFromWhatWasSaved) {
  const Graph graph = path(4);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0}), make_adversary(graph, {2})};
  const auto say = [&](Recorder& recorder, Round round) {
    recorder.on_broadcast(round, 1, {graph.neighbours(1), graph.neighbours(1)},
                          std::vector<double>{7.0 + round});
    recorder.on_message(round, 3, 2, std::vector<double>{0.5 + round});
  };
  Recorder whole(graph, adversaries, {}, 9), first(graph, adversaries, {}, 9),
      second(graph, adversaries, {}, 9);
  for (Round round = 0; round < 4; ++round) say(whole, round);
  for (Round round = 0; round < 2; ++round) say(first, round);
  StateWriter out;
  first.save(out);
  const std::string sealed = out.sealed();
  StateReader in(sealed, "test");
  second.load(in);
  in.finish();
  for (Round round = 2; round < 4; ++round) say(second, round);
  for (std::size_t view = 0; view < 2; ++view) {
    EXPECT_EQ(heard_in(second.views()[view]), heard_in(whole.views()[view]));
    EXPECT_EQ(second.views()[view].rounds(), 4U);
    for (std::size_t i = 0; i < whole.views()[view].messages().size(); ++i) {
      const Overheard& a = whole.views()[view].messages()[i];
      const Overheard& b = second.views()[view].messages()[i];
      EXPECT_EQ(a.to, b.to);
      EXPECT_EQ(a.message[0], b.message[0]);
    }
  }
}

/// What an encrypted channel carried is known at its ends only, also after a break.
TEST(Recorder, OnlyMembersKnowWhatWasEncrypted) {
  const Graph graph = path(3);
  const std::vector<Adversary> adversaries = {make_adversary(graph, {1}),
                                              make_adversary(graph, {}, {0, 1, 2})};
  Recorder recorder(graph, adversaries, {}, 5), second(graph, adversaries, {}, 5);
  recorder.on_encrypted(0, 1, std::vector<double>{0.25});
  recorder.on_encrypted(1, 2, std::vector<double>{0.75});
  StateWriter out;
  recorder.save(out);
  const std::string sealed = out.sealed();
  StateReader in(sealed, "test");
  second.load(in);
  in.finish();
  for (const Recorder* one : {&recorder, &second}) {
    const auto known = one->views()[0].encrypted();
    ASSERT_EQ(known.size(), 2U);
    EXPECT_EQ(known[0].from, 0U);
    EXPECT_EQ(known[1].to, std::optional<NodeId>(2));
    EXPECT_EQ(known[1].message[0], 0.75);
    EXPECT_TRUE(one->views()[0].messages().empty());
    EXPECT_TRUE(one->views()[1].encrypted().empty());
  }
}

}  // namespace
}  // namespace earshot
