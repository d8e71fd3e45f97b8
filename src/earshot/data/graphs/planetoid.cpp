#include "earshot/data/graphs/planetoid.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kTrainPerClass = 20;
constexpr std::size_t kValidation = 500;

std::vector<int> read_labels(const TextFile& file, std::size_t classes) {
  TextLines lines(file);
  std::vector<int> labels;
  for (std::string_view line; lines.next(line);)
    labels.push_back(static_cast<int>(
        lines.whole_number(line, "class", kNoLabel, static_cast<std::int64_t>(classes) - 1)));
  if (labels.empty())
    fail(Fault::kData, fmt::format("{}: is empty, expected one class per line", file.origin));
  return labels;
}

std::vector<std::size_t> numbers_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

NodeSplit planetoid_split(const TextFile& test_index, std::size_t nodes, std::size_t classes) {
  const std::size_t train = kTrainPerClass * classes;
  if (nodes < train + kValidation)
    fail(Fault::kData,
         fmt::format("{} nodes are too few for the Planetoid split of {} classes, which takes the "
                     "first {} nodes for training and validation",
                     nodes, classes, train + kValidation));
  NodeSplit split{numbers_from(0, train), numbers_from(train, kValidation), {}};
  TextLines lines(test_index);
  for (std::string_view line; lines.next(line);) split.test.push_back(lines.node(line, nodes));
  return split;
}

NodeDataset read_citation_graph(const CitationFiles& files, const CitationFormat& format) {
  NodeDataset dataset;
  dataset.name = format.name;
  dataset.classes = format.classes;
  dataset.labels = read_labels(files.labels, format.classes.size());
  dataset.nodes = dataset.labels.size();
  dataset.features = format.weighted_words ? parse_value_lines(files.features, format.columns)
                                           : parse_index_lines(files.features, format.columns);
  UndirectedEdges edges =
      undirected(read_pairs(files.edges, {"src,dst", ',', "src,dst"}, dataset.nodes), dataset.nodes);
  dataset.edges = std::move(edges.edges);
  dataset.self_loops = edges.self_loops;
  dataset.repeats = edges.repeats;
  if (files.test_index)
    dataset.split = planetoid_split(*files.test_index, dataset.nodes, format.classes.size());
  check(dataset);
  return dataset;
}

}  // namespace earshot
