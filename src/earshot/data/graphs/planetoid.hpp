// Citation graphs as text: edges, features and labels in one file each, and the Planetoid split.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"

namespace earshot {

/// What is known of a citation graph before it is read.
struct CitationFormat {
  std::string name;
  std::size_t columns = 0;
  bool weighted_words = false;  // `column:value` in place of the columns of the ones
  std::vector<std::string> classes;
};

/// `edges` is a CSV file of node pairs under the header `src,dst`; `labels` has a class index or -1 per
/// line; `features` one line per node. `test_index` is Planetoid's file of that name: the test nodes, one a
/// line. The pickles beside it (ind.NAME.x, .graph and so on) are not read: they are programs for Python 2.
struct CitationFiles {
  TextFile edges;
  TextFile features;
  TextFile labels;
  std::optional<TextFile> test_index;
};

NodeDataset read_citation_graph(const CitationFiles& files, const CitationFormat& format);

/// The split of Yang, Cohen & Salakhutdinov (2016): the first 20 nodes per class train, the next 500
/// validate, and the listed ones test.
NodeSplit planetoid_split(const TextFile& test_index, std::size_t nodes, std::size_t classes);

}  // namespace earshot
