#include "earshot/data/graphs/webkb.hpp"

#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr PairFormat kGeomGcnPairs{"node_id\tnode_id", '\t', "two nodes separated by a tab"};

/// The kinds of page, in alphabetical order.
const std::vector<std::string> kKinds{"course", "faculty", "project", "staff", "student"};

using NodeByAddress = std::unordered_map<std::string_view, std::uint32_t>;

std::vector<SparseEntry> read_words(const TextLines& lines, std::span<const std::string_view> cells,
                                    std::size_t words) {
  if (cells.size() != words) lines.refuse(fmt::format("{} words found, expected {}", cells.size(), words));
  std::vector<SparseEntry> row;
  for (std::size_t word = 0; word < words; ++word) {
    if (cells[word] != "0" && cells[word] != "1")
      lines.refuse(fmt::format("word {} is {}, allowed: 0, 1", word + 1, in_quotes(cells[word])));
    if (cells[word] == "1") row.emplace_back(static_cast<std::uint32_t>(word), 1.0);
  }
  return row;
}

int read_kind(const TextLines& lines, std::string_view text) {
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    if (kKinds[kind] == text) return static_cast<int>(kind);
  }
  lines.refuse(fmt::format("the kind of page is {}, allowed: course, faculty, project, staff, student",
                           in_quotes(text)));
}

NodeByAddress read_content(const TextFile& file, std::size_t words, NodeDataset& dataset) {
  TextLines lines(file);
  NodeByAddress node;
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() < 2 || cells.front().empty())
      lines.refuse(
          fmt::format("{} found, expected an address, {} words and the kind of page, separated by "
                      "tabs",
                      in_quotes(line), words));
    if (!node.emplace(cells.front(), static_cast<std::uint32_t>(node.size())).second)
      lines.refuse(fmt::format("page {} is listed twice", in_quotes(cells.front())));
    append_row(dataset.features, read_words(lines, std::span(cells).subspan(1, cells.size() - 2), words));
    dataset.labels.push_back(read_kind(lines, cells.back()));
  }
  return node;
}

std::vector<NodePair> read_cites(const TextFile& file, const NodeByAddress& node) {
  TextLines lines(file);
  const auto find = [&](std::string_view address) {
    const auto found = node.find(address);
    if (found == node.end()) lines.refuse(fmt::format("page {} has no content", in_quotes(address)));
    return found->second;
  };
  std::vector<NodePair> pairs;
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> ends = split(line, ' ');
    if (ends.size() != 2)
      lines.refuse(fmt::format("{} found, expected two addresses separated by a blank", in_quotes(line)));
    pairs.push_back({find(ends[0]), find(ends[1])});
  }
  return pairs;
}

NodeDataset finished(NodeDataset dataset, std::vector<NodePair> pairs) {
  UndirectedEdges edges = undirected(std::move(pairs), dataset.nodes);
  dataset.edges = std::move(edges.edges);
  dataset.self_loops = edges.self_loops;
  dataset.repeats = edges.repeats;
  check(dataset);
  return dataset;
}

/// Rows in the order of their numbers, whatever the order of the file.
void read_geom_gcn_nodes(const TextFile& file, std::size_t words, NodeDataset& dataset) {
  TextLines lines(file);
  lines.expect_header("node_id\tfeature\tlabel");
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() != 3)
      lines.refuse(
          fmt::format("{} found, expected number, words and class, separated by tabs", in_quotes(line)));
    const std::size_t next = dataset.labels.size();
    if (lines.whole_number(cells[0], "node", 0, INT32_MAX) != static_cast<std::int64_t>(next))
      lines.refuse(fmt::format("node {} found, expected node {}: the nodes are numbered in order from 0",
                               cells[0], next));
    append_row(dataset.features, read_words(lines, split(cells[1], ','), words));
    dataset.labels.push_back(static_cast<int>(
        lines.whole_number(cells[2], "class", 0, static_cast<std::int64_t>(dataset.classes.size()) - 1)));
  }
}

}  // namespace

NodeDataset read_webkb_linqs(const TextFile& content, const TextFile& cites, std::size_t words) {
  NodeDataset dataset;
  dataset.name = "cornell";
  dataset.classes = kKinds;
  dataset.features.columns = words;
  const NodeByAddress node = read_content(content, words, dataset);
  dataset.nodes = node.size();
  return finished(std::move(dataset), read_cites(cites, node));
}

NodeDataset read_webkb_geom_gcn(const TextFile& nodes, const TextFile& edges, std::size_t words) {
  NodeDataset dataset;
  dataset.name = "cornell_geom_gcn";
  for (std::size_t i = 0; i < kKinds.size(); ++i) dataset.classes.push_back(fmt::format("class {}", i));
  dataset.note =
      "these are not pages of Cornell: the feature and label file published as Geom-GCN's \"cornell\" is "
      "byte "
      "for byte its Texas file (all 183 rows match pages of Texas, none a page of Cornell); use it only to "
      "repeat work that used it, and \"cornell\" otherwise";
  dataset.features.columns = words;
  read_geom_gcn_nodes(nodes, words, dataset);
  dataset.nodes = dataset.labels.size();
  return finished(std::move(dataset), read_pairs(edges, kGeomGcnPairs, dataset.nodes));
}

}  // namespace earshot
