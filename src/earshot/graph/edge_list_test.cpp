#include "earshot/graph/edge_list.hpp"

#include <zlib.h>

#include "earshot/core/files.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

EdgeList parse(std::string_view text, const EdgeListOptions& options = {}) {
  return parse_edge_list(text, "g.edges", options);
}

std::string error_of(std::string_view text, const EdgeListOptions& options = {}) {
  return testing::error_of(Fault::kData, [&] { parse(text, options); });
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < graph.node_count(); ++node) names.push_back(graph.name(node));
  return names;
}

TEST(EdgeList, ReadsEverySeparatorAndSkipsComments) {
  const Graph graph =
      parse("\xef\xbb\xbf# title\r\n% matrix market style\n\n1 2\r\n2\t3\n3,4\n 4 , 1 \n  # indented\n1   3")
          .graph;
  EXPECT_THAT(names_of(graph), ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(graph.edge_count(), 5U);
}

TEST(EdgeList, OrdersIntegersByValueAndWordsByAppearance) {
  EXPECT_THAT(names_of(parse("10 9\n9 100\n").graph), ElementsAre("9", "10", "100"));
  EXPECT_THAT(names_of(parse("b a\na 10\n").graph), ElementsAre("b", "a", "10"));
  EXPECT_THAT(names_of(parse("18446744073709551617 18446744073709551616\n").graph),
              ElementsAre("18446744073709551616", "18446744073709551617"));
  const Graph graph = parse("10 9\n9 100\n").graph;
  EXPECT_TRUE(graph.has_edge(graph.require("9"), graph.require("100")));
  EXPECT_FALSE(graph.has_edge(graph.require("10"), graph.require("100")));
}

TEST(EdgeList, ReportsWhatItLeavesOut) {
  const EdgeList list = parse("1 2\n2 1\n1 2\n3 3\n2 3\n8 9\n", {.disconnected = OnDisconnected::kLargest});
  EXPECT_EQ(list.report.listed, 6U);
  EXPECT_EQ(list.report.self_loops, 1U);
  EXPECT_EQ(list.report.duplicates, 2U);
  EXPECT_EQ(list.report.components, 2U);
  EXPECT_EQ(list.report.nodes_dropped, 2U);
  EXPECT_EQ(list.report.edges_dropped, 1U);
  EXPECT_THAT(names_of(list.graph), ElementsAre("1", "2", "3"));
}

TEST(EdgeList, DoesWhatItIsToldWithOddities) {
  EXPECT_THAT(error_of("1 2\n2 2\n", {.self_loops = OnSelfLoop::kError}),
              StartsWith("g.edges:2: node 2 is linked to itself"));
  EXPECT_THAT(error_of("1 2\n2 1\n", {.duplicates = OnDuplicate::kError}),
              HasSubstr("already listed on line 1"));
  EXPECT_THAT(error_of("1 2\n3 4\n4 5\n"), HasSubstr("2 parts, the largest of 3 of 5 nodes"));
  EXPECT_EQ(parse("1 2\n3 4\n", {.disconnected = OnDisconnected::kKeep}).graph.node_count(), 4U);
}

TEST(EdgeList, ASelfLoopAloneMakesAnIsolatedNode) {
  EXPECT_THAT(error_of("1 2\n3 3\n"), HasSubstr("2 parts"));
  EXPECT_EQ(parse("1 2\n3 3\n", {.disconnected = OnDisconnected::kLargest}).graph.node_count(), 2U);
}

TEST(EdgeList, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(error_of("1 2\n\n1 2 3\n"), StartsWith("g.edges:3: expected two node names, found 3 fields"));
  EXPECT_THAT(error_of("7\n"), HasSubstr("found 1 field"));
  EXPECT_THAT(error_of("1,,2\n"), HasSubstr("empty"));
  EXPECT_THAT(error_of("1,\n"), HasSubstr("empty"));
  EXPECT_THAT(error_of(",1\n"), HasSubstr("empty"));
  EXPECT_THAT(error_of(std::string_view("1 \0", 3)), HasSubstr("control character 0x00"));
  EXPECT_THAT(error_of("1 \xff\n"), HasSubstr("byte 0xff is not UTF-8"));
  EXPECT_THAT(error_of(std::string(200, 'x') + " y\n"), HasSubstr("longer than 128 bytes"));
  EXPECT_THAT(error_of("source,target\n1,2\n2,3\n"),
              StartsWith("g.edges:1: \"source target\" looks like a header"));
  EXPECT_THAT(error_of(""), HasSubstr("holds no edge"));
  EXPECT_THAT(error_of("1 1\n"), HasSubstr("holds no edge"));
}

TEST(EdgeList, AcceptsNamesBeyondAscii) {
  EXPECT_THAT(names_of(parse("Médicis Strozzi\n").graph), ElementsAre("Médicis", "Strozzi"));
  EXPECT_THAT(names_of(parse("𝔸 東\n").graph), ElementsAre("𝔸", "東"));
  for (const char* wrong :
       {"\xc0\x80 b", "\xed\xa0\x80 b", "\xf4\x90\x80\x80 b", "\xe2\x82 b", "\x80 b", "\xf0\x80\x80\x80 b"})
    EXPECT_THAT(error_of(wrong), HasSubstr("not UTF-8"));
}

TEST(EdgeList, RoundTripsRandomGraphs) {
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    const Graph graph = testing::make_graph("erdos_renyi", {{"nodes", 25}, {"mean_degree", 4}}, trial);
    std::string text;
    for (const auto& [a, b] : graph.edges()) text += graph.name(b) + "\t" + graph.name(a) + "\n";
    const Graph back = parse(text).graph;
    EXPECT_EQ(back.edges(), graph.edges());
    EXPECT_THAT(names_of(back), ::testing::ElementsAreArray(names_of(graph)));
  }
}

TEST(EdgeList, ReadsGzip) {
  const auto path = std::filesystem::temp_directory_path() / "earshot_edge_list_test.edges.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzputs(file, "0 1\n1 2\n");
  gzclose(file);
  EXPECT_EQ(read_edge_list(path).graph.edge_count(), 2U);
  const Graph graph = testing::make_graph("file", {{"path", path.string()}});
  EXPECT_EQ(graph.edge_count(), 2U);
  std::filesystem::remove(path);
  testing::error_of(Fault::kData, [&] { read_edge_list(path); });
}

TEST(EdgeList, FileComponentPassesItsOptionsOn) {
  const auto path = std::filesystem::temp_directory_path() / "earshot_edge_list_options.edges";
  write_atomically(path, "0 1\n1 0\n1 2\n2 2\n5 6\n");
  const auto make = [&](Json given) {
    given["path"] = path.string();
    return testing::make_graph("file", given);
  };
  EXPECT_EQ(make({{"disconnected", "largest"}}).node_count(), 3U);
  EXPECT_EQ(make({{"disconnected", "keep"}}).node_count(), 5U);
  testing::error_of(Fault::kData, [&] { make(Json::object()); });
  EXPECT_THAT(testing::error_of(Fault::kData, [&] { make({{"self_loops", "error"}}); }), HasSubstr(":4: "));
  EXPECT_THAT(testing::error_of(Fault::kData, [&] { make({{"duplicates", "error"}}); }), HasSubstr(":2: "));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace earshot
