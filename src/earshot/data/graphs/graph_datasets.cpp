#include "earshot/data/graphs/graph_datasets.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/graphs/musae.hpp"
#include "earshot/data/graphs/planetoid.hpp"
#include "earshot/data/graphs/tu_dataset.hpp"
#include "earshot/data/graphs/webkb.hpp"

namespace earshot {
namespace {

using Path = std::filesystem::path;

constexpr std::size_t kCoraWords = 1433;
constexpr std::size_t kCiteseerWords = 3703;
constexpr std::size_t kDblpWords = 1639;
constexpr std::size_t kCornellWords = 1703;
constexpr std::size_t kPageWords = 4714;

TextFile file_of(const CataloguedText& catalogued) {
  return {catalogued.text, catalogued.origin};
}

std::optional<TextFile> file_of(const std::optional<CataloguedText>& catalogued) {
  return catalogued ? std::optional(file_of(*catalogued)) : std::nullopt;
}

NodeDataset load_planetoid(const CitationFormat& format, const Path& directory) {
  const std::string stem = fmt::format("{0}/{0}", format.name);
  const CataloguedText edges = read_catalogued(format.name, stem + "_edges.csv", directory);
  const CataloguedText features = read_catalogued(format.name, stem + "_features.txt", directory);
  const CataloguedText labels = read_catalogued(format.name, stem + "_labels.txt", directory);
  const CataloguedText test =
      read_catalogued(format.name, fmt::format("{0}/ind.{0}.test.index", format.name), directory);
  return read_citation_graph({file_of(edges), file_of(features), file_of(labels), file_of(test)}, format);
}

/// Planetoid numbers the classes without naming them; each number's count of papers is that of exactly one
/// named class of the LINQS original.
NodeDataset load_cora(const Settings&, const Path& directory) {
  return load_planetoid({"cora",
                         kCoraWords,
                         false,
                         {"Theory", "Reinforcement Learning", "Genetic Algorithms", "Neural Networks",
                          "Probabilistic Methods", "Case Based", "Rule Learning"}},
                        directory);
}

NodeDataset load_citeseer(const Settings&, const Path& directory) {
  NodeDataset dataset = load_planetoid(
      {"citeseer", kCiteseerWords, false, {"AI", "ML", "IR", "DB", "Agents", "HCI"}}, directory);
  dataset.note = "15 papers have neither words nor class; they are in no part of the split";
  return dataset;
}

NodeDataset load_dblp(const Settings&, const Path& directory) {
  const CataloguedText edges = read_catalogued("dblp", "dblp/dblp_edges.csv", directory);
  const CataloguedText features = read_catalogued("dblp", "dblp/dblp_features.txt", directory);
  const CataloguedText labels = read_catalogued("dblp", "dblp/dblp_labels.txt", directory);
  return read_citation_graph({file_of(edges), file_of(features), file_of(labels), std::nullopt},
                             {"dblp", kDblpWords, true, {"class 0", "class 1", "class 2", "class 3"}});
}

NodeDataset load_cornell(const Settings&, const Path& directory) {
  const CataloguedText content = read_catalogued("webkb-cornell", "webkb-cornell/cornell.content", directory);
  const CataloguedText cites = read_catalogued("webkb-cornell", "webkb-cornell/cornell.cites", directory);
  return read_webkb_linqs(file_of(content), file_of(cites), kCornellWords);
}

NodeDataset load_cornell_geom_gcn(const Settings&, const Path& directory) {
  const std::string folder = "webkb-cornell/geom-gcn/";
  const CataloguedText nodes =
      read_catalogued("webkb-cornell", folder + "out1_node_feature_label.txt", directory);
  const CataloguedText edges = read_catalogued("webkb-cornell", folder + "out1_graph_edges.txt", directory);
  return read_webkb_geom_gcn(file_of(nodes), file_of(edges), kCornellWords);
}

NodeDataset load_facebook_page_page(const Settings&, const Path& directory) {
  const std::string stem = "facebook-page-page/musae_facebook_";
  const CataloguedText edges = read_catalogued("facebook-page-page", stem + "edges.csv", directory);
  const CataloguedText features = read_catalogued("facebook-page-page", stem + "features.json", directory);
  const CataloguedText target = read_catalogued("facebook-page-page", stem + "target.csv", directory);
  return read_facebook_page_page({file_of(edges), file_of(features), file_of(target)}, kPageWords);
}

TuFeatures tu_features(const Settings& settings) {
  const std::string text = settings.text("features");
  if (text == "labels") return TuFeatures::kLabels;
  return text == "attributes" ? TuFeatures::kAttributes : TuFeatures::kBoth;
}

/// The files a dataset of that collection may lack.
struct TuExtras {
  bool attributes = false;
  bool edge_labels = false;
};

GraphsDataset load_tu(std::string_view name, std::string_view original, TuExtras extras, TuFeatures features,
                      const Path& directory) {
  const std::string dataset = fmt::format("tudataset-{}", original);
  const auto open = [&](std::string_view part) {
    return read_catalogued(dataset, fmt::format("{}/{}_{}.txt", dataset, original, part), directory);
  };
  const auto open_if = [&](bool there, std::string_view part) {
    return there ? std::optional(open(part)) : std::nullopt;
  };
  const CataloguedText adjacency = open("A");
  const CataloguedText indicator = open("graph_indicator");
  const CataloguedText graph_labels = open("graph_labels");
  const CataloguedText node_labels = open("node_labels");
  const std::optional<CataloguedText> attributes = open_if(extras.attributes, "node_attributes");
  const std::optional<CataloguedText> edge_labels = open_if(extras.edge_labels, "edge_labels");
  return read_tu_dataset(std::string(name),
                         {file_of(adjacency), file_of(indicator), file_of(graph_labels), file_of(node_labels),
                          file_of(attributes), file_of(edge_labels)},
                         features);
}

GraphsDataset load_proteins(const Settings& settings, const Path& directory) {
  return load_tu("proteins", "PROTEINS", {.attributes = true}, tu_features(settings), directory);
}

GraphsDataset load_mutag(const Settings&, const Path& directory) {
  return load_tu("mutag", "MUTAG", {.edge_labels = true}, TuFeatures::kLabels, directory);
}

struct MoleculeSource {
  std::string name;
  std::string path;
  std::vector<std::string> tasks;
  std::vector<std::string> ignored;
};

const std::vector<MoleculeSource>& molecule_sources() {
  static const std::vector<MoleculeSource> sources{
      {"bbbp", "molecules/BBBP.csv", {"p_np"}, {"num", "name"}},
      {"tox21",
       "molecules/tox21.csv",
       {"NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma", "SR-ARE",
        "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"},
       {"mol_id"}},
      {"clintox", "molecules/clintox.csv", {"FDA_APPROVED", "CT_TOX"}, {}}};
  return sources;
}

GraphsDataset load_bbbp(const Settings&, const Path& directory) {
  return molecule_graphs(load_molecules("bbbp", directory), "p_np");
}

GraphsDataset load_tox21(const Settings& settings, const Path& directory) {
  return molecule_graphs(load_molecules("tox21", directory), settings.text("task"));
}

GraphsDataset load_clintox(const Settings& settings, const Path& directory) {
  return molecule_graphs(load_molecules("clintox", directory), settings.text("task"));
}

/// A component cites the paper of the catalogued dataset it reads.
Schema schema(std::string role, std::string name, std::string_view dataset, std::string summary,
              std::vector<Parameter> parameters = {}) {
  return {std::move(role), std::move(name), std::move(summary), std::string(find_dataset(dataset).citation),
          std::move(parameters)};
}

NodeDatasetComponent nodes(std::string name, std::string_view dataset, std::string summary,
                           decltype(NodeDatasetComponent::load) load) {
  return {schema("node_data", std::move(name), dataset, std::move(summary)), load};
}

GraphsDatasetComponent graphs(std::string name, std::string_view dataset, std::string summary,
                              decltype(GraphsDatasetComponent::load) load,
                              std::vector<Parameter> parameters = {}) {
  return {schema("graphs_data", std::move(name), dataset, std::move(summary), std::move(parameters)), load};
}

Parameter task_parameter(std::size_t source) {
  const std::vector<std::string>& tasks = molecule_sources()[source].tasks;
  return choice_parameter("task", tasks.front(), tasks, "the question asked of each molecule");
}

}  // namespace

std::span<const NodeDatasetComponent> node_dataset_components() {
  static const std::vector<NodeDatasetComponent> components{
      nodes("cora", "cora", "2,708 papers that cite each other, 1,433 words, 7 topics, Planetoid split",
            load_cora),
      nodes("citeseer", "citeseer",
            "3,327 papers that cite each other, 3,703 words, 6 topics, Planetoid split", load_citeseer),
      nodes("dblp", "dblp", "17,716 papers that cite each other, 1,639 weighted words, 4 fields", load_dblp),
      nodes("cornell", "webkb-cornell", "195 web pages of Cornell that link to each other, 5 kinds (LINQS)",
            load_cornell),
      nodes("cornell_geom_gcn", "webkb-cornell",
            "183 web pages that papers call Cornell, which are Texas (Geom-GCN)", load_cornell_geom_gcn),
      nodes("facebook_page_page", "facebook-page-page",
            "22,470 Facebook pages that like each other, 4,714 words, 4 kinds (MUSAE)",
            load_facebook_page_page)};
  return components;
}

std::span<const GraphsDatasetComponent> graphs_dataset_components() {
  static const std::vector<GraphsDatasetComponent> components{
      graphs(
          "proteins", "tudataset-PROTEINS", "1,113 proteins as graphs, enzyme or not", load_proteins,
          {choice_parameter("features", "labels", {"labels", "attributes", "both"},
                            "what is known of a node: its label as one of three, its attribute, or both")}),
      graphs("mutag", "tudataset-MUTAG", "188 nitro compounds as graphs, mutagenic or not", load_mutag),
      graphs("bbbp", "molecules", "2,050 drugs as graphs: does it pass from blood to brain?", load_bbbp),
      graphs("tox21", "molecules", "7,831 compounds as graphs: does it disturb one of 12 pathways?",
             load_tox21, {task_parameter(1)}),
      graphs("clintox", "molecules", "1,484 drugs as graphs: approved, or failed for toxicity?", load_clintox,
             {task_parameter(2)})};
  return components;
}

MoleculeTable load_molecules(std::string_view name, const Path& directory) {
  std::vector<std::string> names;
  for (const MoleculeSource& source : molecule_sources()) {
    if (source.name == name) {
      const CataloguedText text = read_catalogued("molecules", source.path, directory);
      return read_molecule_table(file_of(text), source.name, source.tasks, source.ignored);
    }
    names.push_back(source.name);
  }
  fail(Fault::kConfig, fmt::format("no table of molecules \"{}\"; {}", name, suggest(name, names)));
}

}  // namespace earshot
