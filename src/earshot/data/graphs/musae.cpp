#include "earshot/data/graphs/musae.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

const std::vector<std::string> kKinds{"company", "government", "politician", "tvshow"};

int kind_of(const TextCell& cell, const std::string& origin) {
  const auto found = std::ranges::find(kKinds, cell.text);
  if (found == kKinds.end())
    fail(Fault::kData, fmt::format("{}:{}: page_type is {}, allowed: company, government, politician, tvshow",
                                   origin, cell.line, in_quotes(cell.text)));
  return static_cast<int>(found - kKinds.begin());
}

/// Pages come in the order of their ids, from 0.
std::vector<int> read_target(const TextFile& file) {
  CsvRecords records(file.text, file.origin, ',');
  std::vector<TextCell> cells;
  const auto refuse = [&](const std::string& why) {
    fail(Fault::kData, fmt::format("{}:{}: {}", file.origin, cells.empty() ? 1 : cells.front().line, why));
  };
  const auto is_header = [&] {
    return cells.size() == 4 && cells[0].text == "id" && cells[1].text == "facebook_id" &&
           cells[2].text == "page_name" && cells[3].text == "page_type";
  };
  if (!records.next(cells) || !is_header()) refuse("expected the header id,facebook_id,page_name,page_type");
  std::vector<int> labels;
  while (records.next(cells)) {
    if (cells.size() != 4) refuse(fmt::format("{} fields found, expected 4", cells.size()));
    if (cells[0].text != std::to_string(labels.size()))
      refuse(fmt::format("id {} found, expected {}: the ids count from 0", in_quotes(cells[0].text),
                         labels.size()));
    labels.push_back(kind_of(cells[3], file.origin));
  }
  return labels;
}

/// Takes one object of lists of whole numbers and nothing else, without building a tree of it. The parser
/// calls these functions in the order of the text.
class FeatureLists {
 public:
  using Rows = std::vector<std::vector<SparseEntry>>;

  FeatureLists(std::size_t nodes, std::size_t columns) : columns_(columns), rows_(nodes), seen_(nodes) {}

  bool start_object(std::size_t) { return depth_++ == 0 || unexpected(); }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return depth_++ == 1 || unexpected(); }
  bool end_array() {
    --depth_;
    return true;
  }
  bool key(std::string& id) {
    node_ = std::find_if(id.begin(), id.end(), [](char c) { return c < '0' || c > '9'; }) == id.end() &&
                    !id.empty() && id.size() < 10
                ? std::stoul(id)
                : rows_.size();
    if (node_ >= rows_.size() || std::to_string(node_) != id)
      return refuse(fmt::format("id {} found, allowed: 0 to {}", in_quotes(id), rows_.size() - 1));
    if (seen_[node_]) return refuse(fmt::format("id {} is listed twice", node_));
    seen_[node_] = true;
    return true;
  }
  bool number_unsigned(std::uint64_t column) {
    if (depth_ != 2) return unexpected();
    if (column >= columns_)
      return refuse(fmt::format("column {} of page {} found, allowed: 0 to {}", column, node_, columns_ - 1));
    rows_[node_].emplace_back(static_cast<std::uint32_t>(column), 1.0);
    return true;
  }
  bool number_integer(std::int64_t) { return unexpected(); }
  bool number_float(double, const std::string&) { return unexpected(); }
  bool null() { return unexpected(); }
  bool boolean(bool) { return unexpected(); }
  bool string(std::string&) { return unexpected(); }
  bool binary(Json::binary_t&) { return unexpected(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    return refuse(fmt::format("is not JSON: byte {} is not allowed where it stands", position));
  }

  const std::string& why() const { return why_; }
  Rows take() && {
    const auto missing = std::ranges::find(seen_, false);
    if (missing != seen_.end())
      fail(Fault::kData, fmt::format("page {} has no list of features", missing - seen_.begin()));
    return std::move(rows_);
  }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool unexpected() {
    return refuse("expected one object that has a list of columns for every page, and nothing else");
  }

  std::size_t columns_;
  Rows rows_;
  std::vector<bool> seen_;
  std::size_t node_ = 0;
  std::size_t depth_ = 0;
  std::string why_;
};

SparseFeatures read_features(const TextFile& file, std::size_t nodes, std::size_t columns) {
  return with_context(file.origin, [&] {
    FeatureLists lists(nodes, columns);
    if (!Json::sax_parse(file.text, &lists)) fail(Fault::kData, lists.why());
    SparseFeatures features;
    features.columns = columns;
    std::size_t node = 0;
    for (std::vector<SparseEntry>& row : std::move(lists).take()) {
      with_context(fmt::format("page {}", node), [&] { append_row(features, std::move(row)); });
      ++node;
    }
    return features;
  });
}

}  // namespace

NodeDataset read_facebook_page_page(const MusaeFiles& files, std::size_t columns) {
  NodeDataset dataset;
  dataset.name = "facebook_page_page";
  dataset.classes = kKinds;
  dataset.labels = read_target(files.target);
  dataset.nodes = dataset.labels.size();
  if (dataset.nodes == 0) fail(Fault::kData, fmt::format("{}: lists no page", files.target.origin));
  dataset.features = read_features(files.features, dataset.nodes, columns);
  UndirectedEdges edges =
      undirected(read_pairs(files.edges, {"id_1,id_2", ',', "id_1,id_2"}, dataset.nodes), dataset.nodes);
  dataset.edges = std::move(edges.edges);
  dataset.self_loops = edges.self_loops;
  dataset.repeats = edges.repeats;
  dataset.note =
      "this is the published network with its words, one column each; work that used a condensed version of "
      "128 "
      "columns (Ski 2026) had other features, which are not available";
  check(dataset);
  return dataset;
}

}  // namespace earshot
