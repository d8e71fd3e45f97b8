#include "earshot/threat/view_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAreArray;

Graph named_path() {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}};
  return Graph(4, edges, {"a", "b", "c", "server 1"});
}

PublicKnowledge everything_public(const GossipMatrix& matrix) {
  PublicKnowledge told;
  told.gossip_matrix = &matrix;
  told.mixing = {1, 1.25};
  told.initial_parameters = {0.1, -0.0, 3e-310};
  told.learning_rate = 0.3;
  told.protocol = {{"kind", "dgd"}, {"records", {3, 4}}};
  return told;
}

void expect_equal(std::span<const Unkept> a, std::span<const Unkept> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::tie(a[i].round, a[i].from, a[i].to, a[i].numbers),
              std::tie(b[i].round, b[i].from, b[i].to, b[i].numbers));
}

/// A broadcast, one message to two receivers, a lost one and a late one.
void speak(Recorder& recorder, const Graph& graph) {
  const std::vector<double> first = {1, 2}, second = {0.1};
  recorder.on_broadcast(0, 1, {graph.neighbours(1), graph.neighbours(1)}, first);
  recorder.on_message(1, 2, 1, second);
  recorder.on_message(1, 2, 3, second);
  recorder.on_missed(2, 1, 2, first);
  recorder.on_late(3, 1, 0, 1, second);
}

TEST(ViewFile, ReadsBackWhatWasHeardAndTold) {
  const Graph graph = named_path();
  const GossipMatrix matrix = lazy(metropolis_weights(graph));
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0}),
                                              make_adversary(graph, {3}, {2}, {{1, 2}})};
  Recorder recorder(graph, adversaries, everything_public(matrix), 9);
  recorder.keep_only(1, {{}, {{1, 2, 3}}});
  speak(recorder, graph);
  ASSERT_EQ(recorder.views()[1].messages().size(), 1U);
  ASSERT_EQ(recorder.views()[1].unkept().size(), 3U);
  const std::string bytes = views_to_bytes(graph, recorder);
  const StoredViews read = views_from_bytes(bytes, "test");
  EXPECT_TRUE(views_to_bytes(*read.network, *read.recorder) == bytes);

  EXPECT_EQ(read.network->name(3), "server 1");
  ASSERT_EQ(read.views().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const View& view = read.views()[i];
    EXPECT_EQ(view.adversary(), adversaries[i]);
    EXPECT_EQ(view.told().gossip_matrix, read.gossip_matrix.get());
    EXPECT_EQ(view.told().learning_rate, 0.3);
    EXPECT_EQ(view.told().protocol.dump(), recorder.told().protocol.dump());
    EXPECT_EQ(view.told().network, read.network.get());
    ASSERT_EQ(view.messages().size(), recorder.views()[i].messages().size());
    for (std::size_t m = 0; m < view.messages().size(); ++m) {
      const Overheard& a = view.messages()[m];
      const Overheard& b = recorder.views()[i].messages()[m];
      EXPECT_EQ(std::tie(a.round, a.from, a.to, a.said), std::tie(b.round, b.from, b.to, b.said));
      EXPECT_THAT(a.message, ElementsAreArray(b.message.begin(), b.message.end()));
    }
    expect_equal(view.unkept(), recorder.views()[i].unkept());
    EXPECT_EQ(view.rounds(), recorder.views()[i].rounds());
  }
  for (NodeId node = 0; node < 4; ++node) {
    EXPECT_THAT(read.gossip_matrix->edge_weights(node),
                ElementsAreArray(matrix.edge_weights(node).begin(), matrix.edge_weights(node).end()));
    EXPECT_EQ(read.gossip_matrix->self_weight(node), matrix.self_weight(node));
  }
}

TEST(ViewFile, RefusesDamageAndNonsense) {
  const Graph graph = named_path();
  const std::vector<Adversary> adversaries = {make_adversary(graph, {0})};
  Recorder recorder(graph, adversaries, {}, 9);
  speak(recorder, graph);
  std::string bytes = views_to_bytes(graph, recorder);
  EXPECT_THROW(views_from_bytes(bytes.substr(1), "test"), Error);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(views_from_bytes(bytes, "test"), Error);

  // A seal of its own makes nothing sensible: a node, a message, an adversary that does not exist.
  const auto sealed = [](std::uint64_t member, std::uint64_t from, std::uint64_t payload,
                         const char* name = "b", std::uint64_t end = 1, const char* facts = "{}") {
    StateWriter out;
    out.text("earshot views 3");
    out.number(2);
    out.text("a");
    out.text(name);
    for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{0}, end}) out.number(value);  // a link
    out.number(0);
    out.reals({});
    out.reals({});
    out.number(0);
    out.text(facts);
    out.number(1);
    out.number(1);
    out.number(member);
    out.number(0);
    out.number(0);
    out.number(1);
    out.reals(std::vector<double>{5});
    out.number(0);
    out.number(1);
    const std::uint64_t zero = 0, numbers = 1;
    for (const std::uint64_t value : {zero, zero, from, zero, numbers, payload}) out.number(value);
    out.number(0);
    return out.sealed();
  };
  EXPECT_EQ(views_from_bytes(sealed(0, 1, 0), "test").views()[0].messages().size(), 1U);
  for (const std::string& nonsense :
       {sealed(2, 1, 0), sealed(0, 2, 0), sealed(0, 1, 1), sealed(std::uint64_t{1} << 40U, 1, 0),
        sealed(0, 1, 0, "a"), sealed(0, 1, 0, "b", 0), sealed(0, 1, 0, "b", 2), sealed(0, 1, 0, "b", 1, "{"),
        sealed(0, 1, 0, "b", 1, std::string(1000, '[').c_str())}) {
    EXPECT_THROW(views_from_bytes(nonsense, "test"), Error);
  }
}

TEST(ViewFile, AcceptsAndRefusesTheSamples) {
  testing::check_corpus("view", [](const Bytes& bytes) {
    views_from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "sample");
  });
}

}  // namespace
}  // namespace earshot
