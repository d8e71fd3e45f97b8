#include "earshot/data/partition/partition_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"

namespace earshot {
namespace {

double entropy_in_bits(std::span<const std::size_t> histogram, std::size_t records) {
  double entropy = 0;
  for (const std::size_t count : histogram) {
    if (count == 0) continue;
    const double p = static_cast<double>(count) / static_cast<double>(records);
    entropy -= p * std::log2(p);
  }
  return std::abs(entropy);  // a single class gives -0
}

std::optional<double> total_variation(const NodeShare& node, const PartitionSummary& whole) {
  if (node.records == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t c = 0; c < node.histogram.size(); ++c)
    sum += std::abs(static_cast<double>(node.histogram[c]) / static_cast<double>(node.records) -
                    static_cast<double>(whole.histogram[c]) / static_cast<double>(whole.records));
  return sum / 2;
}

std::vector<std::size_t> histogram_of(std::span<const std::size_t> records, std::span<const int> labels,
                                      std::size_t classes) {
  std::vector<std::size_t> histogram(classes, 0);
  for (const std::size_t record : records) {
    const int label = labels.empty() ? 0 : labels[record];
    ++histogram.at(label == kNoLabel ? classes - 1 : static_cast<std::size_t>(label));
  }
  return histogram;
}

/// Cuts `length` into whole parts in proportion to the counts: where the running sum falls.
std::vector<std::size_t> parts_of(std::size_t length, std::span<const std::size_t> counts) {
  std::size_t total = 0;
  for (const std::size_t count : counts) total += count;
  std::vector<std::size_t> parts;
  std::size_t sum = 0;
  std::size_t drawn = 0;
  for (const std::size_t count : counts) {
    sum += count;
    const std::size_t end = total == 0 ? 0 : (2 * sum * length + total) / (2 * total);
    parts.push_back(end - drawn);
    drawn = end;
  }
  return parts;
}

constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

char letter_of(std::size_t index) {
  return index < kLetters.size() ? kLetters[index] : '#';
}

/// Hues a golden angle apart: neighbours differ, and any number of classes has a colour.
std::string colour_of(std::size_t index) {
  const double hue = std::fmod(211 + 137.508 * static_cast<double>(index), 360);
  return fmt::format("hsl({:.0f},62%,{}%)", hue, 46 + 12 * (index % 3));
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::size_t largest_node(const PartitionSummary& summary) {
  std::size_t largest = 1;
  for (const NodeShare& node : summary.nodes) largest = std::max(largest, node.records);
  return largest;
}

std::string variation_text(const NodeShare& node) {
  return node.total_variation ? fmt::format("{:.3f}", *node.total_variation) : "-";
}

constexpr std::size_t kBarHeight = 14;
constexpr std::size_t kBarsFrom = 110;  // left end of the bars
constexpr double kLongestBar = 560;
constexpr std::size_t kLegendFrom = 700;  // left end of the legend

std::size_t row_top(std::size_t row) {
  return 48 + (kBarHeight + 4) * row;
}

std::string svg_bar(const PartitionSummary& summary, std::size_t i) {
  const NodeShare& node = summary.nodes[i];
  const double scale = kLongestBar / static_cast<double>(largest_node(summary));
  std::string svg = fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">node {}: {}</text>\n",
                                kBarsFrom - 6, row_top(i) + 12, i, node.records);
  std::size_t before = 0;
  for (std::size_t c = 0; c < node.histogram.size(); ++c) {
    if (node.histogram[c] == 0) continue;
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>node {}, "
        "{}: {}</title></rect>\n",
        kBarsFrom + scale * static_cast<double>(before), row_top(i),
        scale * static_cast<double>(node.histogram[c]), kBarHeight, colour_of(c), i,
        escaped(summary.classes[c]), node.histogram[c]);
    before += node.histogram[c];
  }
  return svg;
}

std::string svg_legend_line(const PartitionSummary& summary, std::size_t c) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}: "
      "{}</text>\n",
      kLegendFrom, row_top(c), colour_of(c), kLegendFrom + 18, row_top(c) + 11, escaped(summary.classes[c]),
      summary.histogram[c]);
}

}  // namespace

PartitionSummary summarise(const Partition& partition, std::span<const int> labels,
                           std::vector<std::string> classes) {
  if (labels.empty()) classes = {"records"};
  if (std::ranges::count(labels, kNoLabel) > 0) classes.emplace_back("no class");
  PartitionSummary summary;
  summary.classes = std::move(classes);
  summary.unused = partition.unused.size();
  summary.histogram = histogram_of(partition.unused, labels, summary.classes.size());
  summary.records = summary.unused;
  for (const std::vector<std::size_t>& records : partition.nodes) {
    NodeShare node{records.size(), histogram_of(records, labels, summary.classes.size()), 0, std::nullopt};
    node.entropy = entropy_in_bits(node.histogram, node.records);
    summary.records += node.records;
    for (std::size_t c = 0; c < node.histogram.size(); ++c) summary.histogram[c] += node.histogram[c];
    summary.nodes.push_back(std::move(node));
  }
  summary.entropy = entropy_in_bits(summary.histogram, summary.records);
  for (NodeShare& node : summary.nodes) node.total_variation = total_variation(node, summary);
  return summary;
}

Json to_json(const PartitionSummary& summary) {
  Json nodes = Json::array();
  for (const NodeShare& node : summary.nodes)
    nodes.push_back({{"records", node.records},
                     {"histogram", node.histogram},
                     {"entropy_bits", node.entropy},
                     {"total_variation", node.total_variation ? Json(*node.total_variation) : Json()}});
  return {{"records", summary.records},     {"unused", summary.unused},        {"classes", summary.classes},
          {"histogram", summary.histogram}, {"entropy_bits", summary.entropy}, {"nodes", nodes}};
}

std::string terminal_picture(const PartitionSummary& summary, std::size_t width, std::size_t most_nodes) {
  const std::size_t largest = largest_node(summary);
  std::string picture = fmt::format("{:>5} {:>8} {:>7} {:>6}\n", "node", "records", "entropy", "TV");
  for (std::size_t i = 0; i < std::min(most_nodes, summary.nodes.size()); ++i) {
    const NodeShare& node = summary.nodes[i];
    picture +=
        fmt::format("{:>5} {:>8} {:>7.3f} {:>6} ", i, node.records, node.entropy, variation_text(node));
    const std::vector<std::size_t> parts =
        parts_of((2 * node.records * width + largest) / (2 * largest), node.histogram);
    for (std::size_t c = 0; c < parts.size(); ++c) picture.append(parts[c], letter_of(c));
    picture += '\n';
  }
  if (summary.nodes.size() > most_nodes)
    picture += fmt::format("      … and {} more nodes\n", summary.nodes.size() - most_nodes);
  for (std::size_t c = 0; c < summary.classes.size(); ++c)
    picture += fmt::format("{:>7}: {} ({})\n", letter_of(c), summary.classes[c], summary.histogram[c]);
  return picture;
}

std::string svg_picture(const PartitionSummary& summary, const std::string& title) {
  const std::size_t rows = std::max(summary.nodes.size(), summary.classes.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 {0}\" width=\"940\" height=\"{0}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{1}</title>\n"
      "<text x=\"10\" y=\"24\" font-size=\"15\">{1}</text>\n",
      row_top(rows) + 12, escaped(title));
  for (std::size_t i = 0; i < summary.nodes.size(); ++i) svg += svg_bar(summary, i);
  for (std::size_t c = 0; c < summary.classes.size(); ++c) svg += svg_legend_line(summary, c);
  return svg + "</svg>\n";
}

}  // namespace earshot
