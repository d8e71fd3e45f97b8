#include "earshot/data/graphs/graph_datasets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/test_settings.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

template <class Components>
auto load(const Components& components, std::string_view name, const Json& given = Json::object()) {
  const auto found =
      std::ranges::find_if(components, [&](const auto& component) { return component.schema.name == name; });
  EXPECT_NE(found, components.end());
  return found->load(testing::valid_settings(found->schema, given), data_directory());
}

NodeDataset load_nodes(std::string_view name) {
  return load(node_dataset_components(), name);
}

GraphsDataset load_graphs(std::string_view name, const Json& given = Json::object()) {
  return load(graphs_dataset_components(), name, given);
}

/// How many nodes have each class, those without first.
std::vector<std::size_t> class_counts(const NodeDataset& dataset) {
  std::vector<std::size_t> counts(dataset.classes.size() + 1, 0);
  for (const int label : dataset.labels) ++counts[static_cast<std::size_t>(label + 1)];
  return counts;
}

std::vector<std::size_t> class_counts(const GraphsDataset& dataset) {
  std::vector<std::size_t> counts(dataset.classes.size(), 0);
  for (const LabelledGraph& graph : dataset.graphs) ++counts.at(static_cast<std::size_t>(graph.label));
  return counts;
}

std::size_t total(const GraphsDataset& dataset, auto count) {
  std::size_t sum = 0;
  for (const LabelledGraph& graph : dataset.graphs) sum += count(graph);
  return sum;
}

TEST(GraphDatasets, Cora) {
  EARSHOT_NEEDS_DATASET("cora");
  const NodeDataset cora = load_nodes("cora");
  EXPECT_EQ(cora.nodes, 2708u);
  EXPECT_EQ(cora.edges.size(), 5278u);
  EXPECT_EQ(cora.features.columns, 1433u);
  EXPECT_EQ(cora.features.nonzeros(), 49216u);
  EXPECT_THAT(cora.features.values, Each(1.0));
  EXPECT_THAT(class_counts(cora), ElementsAre(0, 351, 217, 418, 818, 426, 298, 180));
  EXPECT_EQ(isolated_nodes(cora), 0u);
  EXPECT_EQ(cora.self_loops, 0u);
  EXPECT_EQ(cora.repeats, 0u);
  EXPECT_EQ(cora.split->train.size(), 140u);
  EXPECT_EQ(cora.split->validation.size(), 500u);
  EXPECT_EQ(cora.split->test.size(), 1000u);
  EXPECT_EQ(cora.split->train.back(), 139u);
  EXPECT_EQ(cora.split->validation.front(), 140u);
  EXPECT_EQ(cora.split->test.front(), 2692u);
}

/// What makes it the Planetoid split: twenty training papers of every class.
TEST(GraphDatasets, PlanetoidTrainsOnTwentyNodesOfEveryClass) {
  EARSHOT_NEEDS_DATASET("cora");
  EARSHOT_NEEDS_DATASET("citeseer");
  for (const std::string_view name : {"cora", "citeseer"}) {
    const NodeDataset dataset = load_nodes(name);
    std::map<int, int> trained;
    for (const std::size_t node : dataset.split->train) ++trained[dataset.labels[node]];
    EXPECT_EQ(trained.size(), dataset.classes.size());
    for (const auto& [label, count] : trained) EXPECT_EQ(count, 20) << name << ' ' << label;
  }
}

TEST(GraphDatasets, Citeseer) {
  EARSHOT_NEEDS_DATASET("citeseer");
  const NodeDataset citeseer = load_nodes("citeseer");
  EXPECT_EQ(citeseer.nodes, 3327u);
  EXPECT_EQ(citeseer.edges.size(), 4552u);
  EXPECT_EQ(citeseer.features.columns, 3703u);
  EXPECT_EQ(citeseer.features.nonzeros(), 105165u);
  EXPECT_THAT(class_counts(citeseer), ElementsAre(15, 249, 590, 668, 701, 596, 508));
  EXPECT_EQ(isolated_nodes(citeseer), 48u);
  EXPECT_EQ(citeseer.split->train.size(), 120u);
  EXPECT_EQ(citeseer.split->test.size(), 1000u);
  for (std::size_t node = 0; node < citeseer.nodes; ++node) {
    if (citeseer.labels[node] == kNoLabel) {
      EXPECT_THAT(citeseer.features.row_indices(node), IsEmpty());
    }
  }
  const auto labelled = [&](std::size_t node) { return citeseer.labels[node] != kNoLabel; };
  EXPECT_TRUE(std::ranges::all_of(citeseer.split->train, labelled));
  EXPECT_TRUE(std::ranges::all_of(citeseer.split->validation, labelled));
  EXPECT_TRUE(std::ranges::all_of(citeseer.split->test, labelled));
  EXPECT_THAT(citeseer.note, HasSubstr("15 papers"));
}

TEST(GraphDatasets, Dblp) {
  EARSHOT_NEEDS_DATASET("dblp");
  const NodeDataset dblp = load_nodes("dblp");
  EXPECT_EQ(dblp.nodes, 17716u);
  EXPECT_EQ(dblp.edges.size(), 52867u);
  EXPECT_EQ(dblp.repeats, 52867u);  // 105,734 rows: both directions of every edge
  EXPECT_EQ(dblp.self_loops, 0u);
  EXPECT_EQ(dblp.features.columns, 1639u);
  EXPECT_EQ(dblp.features.nonzeros(), 92192u);
  EXPECT_THAT(class_counts(dblp), ElementsAre(0, 7920, 5645, 1982, 2169));
  EXPECT_FALSE(dblp.split.has_value());
  EXPECT_EQ(dblp.features.row_values(0)[0], 0.255247265);
}

TEST(GraphDatasets, CornellOfLinqs) {
  EARSHOT_NEEDS_DATASET("webkb-cornell");
  const NodeDataset cornell = load_nodes("cornell");
  EXPECT_EQ(cornell.nodes, 195u);
  EXPECT_EQ(cornell.features.columns, 1703u);
  EXPECT_EQ(cornell.edges.size(), 283u);
  EXPECT_EQ(cornell.edges.size() + cornell.self_loops + cornell.repeats, 304u);
  EXPECT_THAT(cornell.classes, ElementsAre("course", "faculty", "project", "staff", "student"));
  EXPECT_THAT(class_counts(cornell), ElementsAre(0, 42, 32, 19, 19, 83));
  EXPECT_THAT(cornell.note, IsEmpty());
}

TEST(GraphDatasets, CornellOfGeomGcnIsTexasAndSaysSo) {
  EARSHOT_NEEDS_DATASET("webkb-cornell");
  const NodeDataset geom = load_nodes("cornell_geom_gcn");
  EXPECT_EQ(geom.nodes, 183u);
  EXPECT_EQ(geom.edges.size(), 277u);
  EXPECT_EQ(geom.self_loops, 3u);
  EXPECT_EQ(geom.edges.size() + geom.self_loops + geom.repeats, 298u);
  EXPECT_THAT(class_counts(geom), ElementsAre(0, 33, 1, 18, 101, 30));
  EXPECT_THAT(geom.note, HasSubstr("not pages of Cornell"));
  EXPECT_THAT(geom.note, HasSubstr("Texas"));
  // No page of it is one of the 195 of Cornell, which is what the note claims.
  const NodeDataset linqs = load_nodes("cornell");
  std::set<std::vector<std::uint32_t>> pages;
  for (std::size_t i = 0; i < linqs.nodes; ++i) {
    const auto row = linqs.features.row_indices(i);
    pages.emplace(row.begin(), row.end());
  }
  for (std::size_t i = 0; i < geom.nodes; ++i) {
    const auto row = geom.features.row_indices(i);
    EXPECT_FALSE(pages.contains({row.begin(), row.end()})) << i;
  }
}

TEST(GraphDatasets, FacebookPagePage) {
  EARSHOT_NEEDS_DATASET("facebook-page-page");
  const NodeDataset pages = load_nodes("facebook_page_page");
  EXPECT_EQ(pages.nodes, 22470u);
  EXPECT_EQ(pages.edges.size(), 170823u);
  EXPECT_EQ(pages.self_loops, 179u);
  EXPECT_EQ(pages.repeats, 0u);
  EXPECT_EQ(pages.features.columns, 4714u);
  EXPECT_EQ(*std::ranges::max_element(pages.features.indices), 4713u);
  EXPECT_THAT(pages.features.values, Each(1.0));
  EXPECT_THAT(class_counts(pages), ElementsAre(0, 6495, 6880, 5768, 3327));
  EXPECT_THAT(pages.note, HasSubstr("128 columns"));
}

TEST(GraphDatasets, Proteins) {
  EARSHOT_NEEDS_DATASET("tudataset-PROTEINS");
  const GraphsDataset proteins = load_graphs("proteins");
  EXPECT_EQ(proteins.graphs.size(), 1113u);
  EXPECT_THAT(proteins.classes, ElementsAre("1", "2"));
  EXPECT_THAT(class_counts(proteins), ElementsAre(663, 450));
  EXPECT_EQ(total(proteins, [](const LabelledGraph& graph) { return graph.nodes; }), 43471u);
  EXPECT_EQ(total(proteins, [](const LabelledGraph& graph) { return graph.edges.size(); }), 81044u);
  EXPECT_EQ(proteins.feature_names.size(), 3u);
  for (const LabelledGraph& graph : proteins.graphs) {
    const double sum = std::accumulate(graph.features.begin(), graph.features.end(), 0.0);
    EXPECT_EQ(sum, static_cast<double>(graph.nodes));
  }
  const GraphsDataset both = load_graphs("proteins", {{"features", "both"}});
  EXPECT_THAT(both.feature_names, ElementsAre("node label 0", "node label 1", "node label 2", "attribute 0"));
  // The first node has label 0 and attribute 23, the second label 0 and attribute 10.
  EXPECT_THAT(std::vector(both.graphs[0].features.begin(), both.graphs[0].features.begin() + 8),
              ElementsAre(1, 0, 0, 23, 1, 0, 0, 10));
  EXPECT_THAT(load_graphs("proteins", {{"features", "attributes"}}).feature_names,
              ElementsAre("attribute 0"));
}

TEST(GraphDatasets, Mutag) {
  EARSHOT_NEEDS_DATASET("tudataset-MUTAG");
  const GraphsDataset mutag = load_graphs("mutag");
  EXPECT_EQ(mutag.graphs.size(), 188u);
  EXPECT_THAT(mutag.classes, ElementsAre("-1", "1"));
  EXPECT_THAT(class_counts(mutag), ElementsAre(63, 125));
  EXPECT_EQ(total(mutag, [](const LabelledGraph& graph) { return graph.nodes; }), 3371u);
  EXPECT_EQ(total(mutag, [](const LabelledGraph& graph) { return graph.edges.size(); }), 3721u);
  EXPECT_EQ(mutag.feature_names.size(), 7u);
  // Every compound has a nitro group: a nitrogen (label 1) with two oxygens (label 2) and three bonds.
  for (const LabelledGraph& graph : mutag.graphs) {
    EXPECT_EQ(graph.edge_labels.size(), graph.edges.size());
    const bool nitro = std::ranges::any_of(graph.edges, [&](const NodePair& edge) {
      return graph.node_labels[edge[0]] + graph.node_labels[edge[1]] == 3 &&
             graph.node_labels[edge[0]] * graph.node_labels[edge[1]] == 2;
    });
    EXPECT_TRUE(nitro);
  }
}

TEST(GraphDatasets, EveryComponentNamesACataloguedDatasetsPaper) {
  for (const NodeDatasetComponent& component : node_dataset_components())
    EXPECT_THAT(component.schema.reference, Not(IsEmpty()));
  for (const GraphsDatasetComponent& component : graphs_dataset_components())
    EXPECT_THAT(component.schema.reference, Not(IsEmpty()));
  EXPECT_THAT([] { load_molecules("tox12", "."); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"tox21\"?")));
}

}  // namespace
}  // namespace earshot
