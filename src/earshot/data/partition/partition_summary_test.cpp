#include "earshot/data/partition/partition_summary.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Node 0 has classes a a b b, node 1 only c, node 2 nothing; one record of class c is unused.
PartitionSummary sample() {
  const std::vector<int> labels{0, 1, 0, 1, 2, 2};
  return summarise({{{0, 1, 2, 3}, {4}, {}}, {5}}, labels, {"a", "b", "c<&"});
}

TEST(PartitionSummary, CountsEntropyAndDistance) {
  const PartitionSummary summary = sample();
  EXPECT_EQ(summary.records, 6u);
  EXPECT_EQ(summary.unused, 1u);
  EXPECT_THAT(summary.histogram, ElementsAre(2, 2, 2));
  EXPECT_NEAR(summary.entropy, std::log2(3.0), 1e-12);
  EXPECT_THAT(summary.nodes[0].histogram, ElementsAre(2, 2, 0));
  EXPECT_NEAR(summary.nodes[0].entropy, 1, 1e-12);
  EXPECT_NEAR(*summary.nodes[0].total_variation, 1.0 / 3, 1e-12);
  EXPECT_EQ(summary.nodes[1].entropy, 0);
  EXPECT_NEAR(*summary.nodes[1].total_variation, 2.0 / 3, 1e-12);
  EXPECT_EQ(summary.nodes[2].records, 0u);
  EXPECT_FALSE(summary.nodes[2].total_variation.has_value());
}

TEST(PartitionSummary, RecordsWithoutClassAreAClass) {
  const std::vector<int> labels{0, -1};
  const PartitionSummary summary = summarise({{{0, 1}}, {}}, labels, {"a"});
  EXPECT_THAT(summary.classes, ElementsAre("a", "no class"));
  EXPECT_THAT(summary.nodes[0].histogram, ElementsAre(1, 1));
  EXPECT_THAT(summarise({{{0, 1}}, {}}, {}, {}).classes, ElementsAre("records"));
}

TEST(PartitionSummary, Json) {
  const earshot::Json document = to_json(sample());
  EXPECT_EQ(document.at("nodes").at(1).at("histogram"), (earshot::Json{0, 0, 1}));
  EXPECT_TRUE(document.at("nodes").at(2).at("total_variation").is_null());
}

TEST(PartitionSummary, BarsAreAsLongAsTheNodesAreLarge) {
  EXPECT_EQ(terminal_picture(sample(), 8, 2),
            " node  records entropy     TV\n"
            "    0        4   1.000  0.333 00001111\n"
            "    1        1   0.000  0.667 22\n"
            "      … and 1 more nodes\n"
            "      0: a (2)\n"
            "      1: b (2)\n"
            "      2: c<& (2)\n");
}

TEST(PartitionSummary, TheDrawingHasOneBarPerNodeAndClass) {
  const std::string svg = svg_picture(sample(), "a \"test\"");
  std::size_t bars = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) ++bars;
  EXPECT_EQ(bars, 3u + 3u);  // three classes on nodes, three in the legend
  EXPECT_THAT(svg, HasSubstr("c&lt;&amp;"));
  EXPECT_THAT(svg, Not(HasSubstr("c<")));
  EXPECT_THAT(svg, HasSubstr("<title>a &quot;test&quot;</title>"));
  // Node 0 has four records: its bars are 280 wide each, node 1's is 140.
  EXPECT_THAT(svg, HasSubstr("x=\"110.00\" y=\"48\" width=\"280.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"390.00\" y=\"48\" width=\"280.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"110.00\" y=\"66\" width=\"140.00\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace earshot
