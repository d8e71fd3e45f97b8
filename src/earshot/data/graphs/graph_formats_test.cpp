// The file formats of graph datasets: what each accepts, and what it says of the rest.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/graphs/graph_corpus.hpp"
#include "earshot/data/graphs/musae.hpp"
#include "earshot/data/graphs/planetoid.hpp"
#include "earshot/data/graphs/tu_dataset.hpp"
#include "earshot/data/graphs/webkb.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(Citation, ReadsWhatItIsGiven) {
  const NodeDataset graph = read_citation_graph(
      {{"src,dst\n0,1\n2,1\n1,0\n", "e"}, {"0\n\n0 2", "f"}, {"1\n-1\n0\n", "l"}, std::nullopt},
      {"small", 3, false, {"a", "b"}});
  EXPECT_EQ(graph.nodes, 3u);
  EXPECT_THAT(graph.edges, ElementsAre(NodePair{0, 1}, NodePair{1, 2}));
  EXPECT_EQ(graph.repeats, 1u);
  EXPECT_THAT(graph.labels, ElementsAre(1, kNoLabel, 0));
}

TEST(Citation, RefusesWhatDoesNotFit) {
  const auto read = [](std::string_view edges, std::string_view features, std::string_view labels) {
    return [=] {
      read_citation_graph({{edges, "e"}, {features, "f"}, {labels, "l"}, std::nullopt},
                          {"small", 3, false, {"a", "b"}});
    };
  };
  EXPECT_THAT(read("src,dst\n0,2\n", "\n\n", "0\n1\n"),
              ThrowsMessage<Error>(StrEq("e:2: node \"2\" found, allowed: a whole number from 0 to 1")));
  EXPECT_THAT(read("a,b\n", "\n\n", "0\n1\n"),
              ThrowsMessage<Error>(StrEq("e:1: the first line is \"a,b\", expected \"src,dst\"")));
  EXPECT_THAT(read("src,dst\n0\n", "\n\n", "0\n1\n"), ThrowsMessage<Error>(HasSubstr("e:2: \"0\" found")));
  EXPECT_THAT(read("src,dst\n", "\n", "0\n1\n"),
              ThrowsMessage<Error>(StrEq("dataset small: 1 rows of features for 2 nodes")));
  EXPECT_THAT(read("src,dst\n", "\n", "2\n"), ThrowsMessage<Error>(HasSubstr("l:1: class \"2\" found")));
  EXPECT_THAT(read("src,dst\n", "", ""), ThrowsMessage<Error>(HasSubstr("l: is empty")));
}

TEST(Citation, ThePlanetoidSplitNeedsEnoughNodes) {
  const NodeSplit split = planetoid_split({"541\n540\n", "t"}, 542, 2);
  EXPECT_EQ(split.train.size(), 40u);
  EXPECT_EQ(split.validation.front(), 40u);
  EXPECT_EQ(split.validation.back(), 539u);
  EXPECT_THAT(split.test, ElementsAre(541, 540));
  EXPECT_THAT(
      [] {
        planetoid_split({"", "t"}, 539, 2);
      },
      ThrowsMessage<Error>(HasSubstr("539 nodes are too few for the Planetoid split")));
}

TEST(Webkb, Linqs) {
  const NodeDataset pages =
      read_webkb_linqs({"u\t0\t1\tstaff\nv\t1\t1\tcourse\n", "c"}, {"v u\nu v\nu u\n", "l"}, 2);
  EXPECT_THAT(pages.edges, ElementsAre(NodePair{0, 1}));
  EXPECT_EQ(pages.self_loops, 1u);
  EXPECT_EQ(pages.repeats, 1u);
  EXPECT_THAT(pages.labels, ElementsAre(3, 0));
  EXPECT_THAT(pages.features.row_indices(0), ElementsAre(1));
  const auto read = [](std::string_view content, std::string_view cites) {
    return [=] { read_webkb_linqs({content, "c"}, {cites, "l"}, 2); };
  };
  EXPECT_THAT(read("u\t0\t1\tstaff\nu\t0\t1\tstaff\n", ""),
              ThrowsMessage<Error>(StrEq("c:2: page \"u\" is listed twice")));
  EXPECT_THAT(read("u\t0\tstaff\n", ""), ThrowsMessage<Error>(StrEq("c:1: 1 words found, expected 2")));
  EXPECT_THAT(read("u\t0\t2\tstaff\n", ""),
              ThrowsMessage<Error>(StrEq("c:1: word 2 is \"2\", allowed: 0, 1")));
  EXPECT_THAT(read("u\t0\t1\tdean\n", ""), ThrowsMessage<Error>(HasSubstr("the kind of page is \"dean\"")));
  EXPECT_THAT(read("u\t0\t1\tstaff\n", "u w\n"),
              ThrowsMessage<Error>(StrEq("l:1: page \"w\" has no content")));
}

TEST(Webkb, GeomGcn) {
  const auto read = [](std::string_view nodes, std::string_view edges) {
    return read_webkb_geom_gcn({nodes, "n"}, {edges, "e"}, 2);
  };
  const NodeDataset pages =
      read("node_id\tfeature\tlabel\n0\t0,1\t4\n1\t0,0\t0\n", "node_id\tnode_id\n1\t0\n");
  EXPECT_THAT(pages.labels, ElementsAre(4, 0));
  EXPECT_THAT(pages.edges, ElementsAre(NodePair{0, 1}));
  EXPECT_THAT([&] { read("node_id\tfeature\tlabel\n1\t0,1\t4\n", "node_id\tnode_id\n"); },
              ThrowsMessage<Error>(HasSubstr("n:2: node 1 found, expected node 0")));
  EXPECT_THAT([&] { read("node_id\tfeature\tlabel\n0\t0,1\t5\n", "node_id\tnode_id\n"); },
              ThrowsMessage<Error>(HasSubstr("n:2: class \"5\" found")));
}

constexpr std::string_view kTarget =
    "id,facebook_id,page_name,page_type\n0,12,\"a, b\",company\n1,13,c,tvshow\n";

TEST(Musae, FacebookPagePage) {
  const NodeDataset pages = read_facebook_page_page(
      {{"id_1,id_2\n1,0\n1,1\n", "e"}, {"{\"1\": [2, 0], \"0\": []}", "f"}, {kTarget, "t"}}, 3);
  EXPECT_THAT(pages.edges, ElementsAre(NodePair{0, 1}));
  EXPECT_EQ(pages.self_loops, 1u);
  EXPECT_THAT(pages.features.row_indices(1), ElementsAre(0, 2));
  EXPECT_THAT(pages.labels, ElementsAre(0, 3));
}

TEST(Musae, FeaturesAreListsOfColumnsAndNothingElse) {
  const auto read = [](std::string_view features) {
    return [=] { read_facebook_page_page({{"id_1,id_2\n", "e"}, {features, "f"}, {kTarget, "t"}}, 3); };
  };
  EXPECT_NO_THROW(read("{\"1\": [2], \"0\": []}")());
  EXPECT_THAT(read("{\"1\": [2]}"), ThrowsMessage<Error>(StrEq("f: page 0 has no list of features")));
  EXPECT_THAT(read("{\"1\": [], \"1\": []}"), ThrowsMessage<Error>(StrEq("f: id 1 is listed twice")));
  EXPECT_THAT(read("{\"2\": []}"), ThrowsMessage<Error>(StrEq("f: id \"2\" found, allowed: 0 to 1")));
  EXPECT_THAT(read("{\"01\": []}"), ThrowsMessage<Error>(StrEq("f: id \"01\" found, allowed: 0 to 1")));
  EXPECT_THAT(read("{\"1\": [3]}"),
              ThrowsMessage<Error>(StrEq("f: column 3 of page 1 found, allowed: 0 to 2")));
  EXPECT_THAT(read("{\"1\": [2, 2], \"0\": []}"),
              ThrowsMessage<Error>(StrEq("f: page 1: column 2 is named twice")));
  for (const std::string_view odd :
       {"[]", "3", "{\"1\": 2}", "{\"1\": [[2]]}", "{\"1\": [1.5]}", "{\"1\": [-1]}", "{\"1\": [null]}",
        "{\"1\": {\"a\": 1}}", "{\"1\": \"2\"}", "null"})
    EXPECT_THAT(read(odd), ThrowsMessage<Error>(HasSubstr("expected one object"))) << odd;
  EXPECT_THAT(read("{\"1\": [2"), ThrowsMessage<Error>(HasSubstr("f: is not JSON")));
}

TEST(Musae, PagesAreNumberedInOrder) {
  const auto read = [](std::string_view target) {
    return [=] { read_facebook_page_page({{"id_1,id_2\n", "e"}, {"{\"0\": []}", "f"}, {target, "t"}}, 3); };
  };
  EXPECT_THAT(read("id,facebook_id,page_name,page_type\n1,12,a,company\n"),
              ThrowsMessage<Error>(StrEq("t:2: id \"1\" found, expected 0: the ids count from 0")));
  EXPECT_THAT(read("id,facebook_id,page_name,page_type\n0,12,a,shop\n"),
              ThrowsMessage<Error>(HasSubstr("t:2: page_type is \"shop\"")));
  EXPECT_THAT(read("id,facebook_id,page_name,page_type\n"), ThrowsMessage<Error>(StrEq("t: lists no page")));
  EXPECT_THAT(read("id\n"), ThrowsMessage<Error>(HasSubstr("t:1: expected the header")));
}

/// Two graphs: a path of three nodes and a pair.
struct TuSample {
  std::string adjacency = "1, 2\n2, 1\n3, 2\n2, 3\n4, 5\n5, 4\n";
  std::string indicator = "1\n1\n1\n2\n2\n";
  std::string graph_labels = "7\n-1\n";
  std::string node_labels = "4\n0\n4\n9\n0\n";
  std::string attributes = "1, 2\n3, 4\n5, 6\n 7,8\n9, 1e1\n";
  std::string edge_labels = "1\n1\n2\n2\n3\n3\n";

  GraphsDataset read(TuFeatures features = TuFeatures::kBoth) const {
    return read_tu_dataset("tu",
                           {{adjacency, "A"},
                            {indicator, "I"},
                            {graph_labels, "G"},
                            TextFile{node_labels, "N"},
                            TextFile{attributes, "T"},
                            TextFile{edge_labels, "E"}},
                           features);
  }
};

TEST(TuDataset, ReadsEveryFileOfTheFormat) {
  const GraphsDataset dataset = TuSample().read();
  EXPECT_THAT(dataset.classes, ElementsAre("-1", "7"));
  ASSERT_EQ(dataset.graphs.size(), 2u);
  EXPECT_EQ(dataset.graphs[0].label, 1);
  EXPECT_THAT(dataset.graphs[0].edges, ElementsAre(NodePair{0, 1}, NodePair{1, 2}));
  EXPECT_THAT(dataset.graphs[0].edge_labels, ElementsAre(1, 2));
  EXPECT_THAT(dataset.graphs[1].edges, ElementsAre(NodePair{0, 1}));
  EXPECT_THAT(dataset.graphs[1].node_labels, ElementsAre(9, 0));
  EXPECT_THAT(dataset.graphs[1].features, ElementsAre(0, 0, 1, 7, 8, 1, 0, 0, 9, 10));
  EXPECT_EQ(TuSample().read(TuFeatures::kLabels).feature_names.size(), 3u);
  EXPECT_THAT(TuSample().read(TuFeatures::kAttributes).graphs[1].features, ElementsAre(7, 8, 9, 10));
}

TEST(TuDataset, RefusesWhatIsNotASetOfUndirectedGraphs) {
  const auto broken = [](auto change) {
    return [change] {
      TuSample sample;
      change(sample);
      sample.read();
    };
  };
  EXPECT_THAT(broken([](TuSample& s) { s.adjacency = "1, 2\n2, 1\n3, 2\n2, 3\n4, 5\n1, 2\n"; }),
              ThrowsMessage<Error>(StrEq("A: the edge of nodes 1 and 2 is not listed exactly once in each "
                                         "direction")));
  EXPECT_THAT(broken([](TuSample& s) { s.adjacency = "1, 4\n4, 1\n1, 2\n2, 1\n2, 3\n3, 2\n"; }),
              ThrowsMessage<Error>(StrEq("A: the edge of nodes 1 and 4 joins two graphs")));
  EXPECT_THAT(broken([](TuSample& s) { s.adjacency = "1, 1\n"; }),
              ThrowsMessage<Error>(StrEq("A:1: an edge from a node to itself")));
  EXPECT_THAT(broken([](TuSample& s) { s.adjacency = "0, 1\n"; }),
              ThrowsMessage<Error>(HasSubstr("A:1: node \"0\" found, allowed: a whole number from 1 to 5")));
  EXPECT_THAT(broken([](TuSample& s) { s.indicator = "1\n1\n2\n1\n2\n"; }),
              ThrowsMessage<Error>(HasSubstr("I:4: graph 1 after graph 2")));
  EXPECT_THAT(broken([](TuSample& s) { s.indicator = "1\n1\n1\n3\n3\n"; }),
              ThrowsMessage<Error>(HasSubstr("I:4: graph 3 after graph 1")));
  EXPECT_THAT(broken([](TuSample& s) { s.graph_labels = "1\n"; }),
              ThrowsMessage<Error>(StrEq("G: 1 lines, expected 2")));
  EXPECT_THAT(
      broken([](TuSample& s) { s.edge_labels = "1\n1\n2\n1\n3\n3\n"; }),
      ThrowsMessage<Error>(StrEq("A: the edge of nodes 2 and 3 has another label in each direction")));
  EXPECT_THAT(broken([](TuSample& s) { s.attributes = "1\n2,3\n4\n5\n6\n"; }),
              ThrowsMessage<Error>(StrEq("T:2: 2 attributes found, expected 1")));
  EXPECT_THAT(broken([](TuSample& s) { s.attributes = "1\n2\n4\n5\ninf\n"; }),
              ThrowsMessage<Error>(StrEq("T:5: attribute \"inf\" found, allowed: a finite number")));
}

TEST(GraphFormats, Corpus) {
  for (const std::string_view format : {"citation", "linqs", "geom_gcn", "musae", "tu"}) {
    SCOPED_TRACE(format);
    testing::check_corpus(std::string(format), [&](const Bytes& bytes) {
      parse_graph_sample(format, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    });
  }
}

}  // namespace
}  // namespace earshot
