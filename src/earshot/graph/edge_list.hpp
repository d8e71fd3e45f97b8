// Graphs from text: SNAP ego `.edges` and any other list of node pairs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "earshot/graph/graph.hpp"

namespace earshot {

enum class OnSelfLoop { kDrop, kError };
/// `a b` after `a b` or `b a`. SNAP ego files list every undirected edge both ways.
enum class OnDuplicate { kDrop, kError };
enum class OnDisconnected { kError, kLargest, kKeep };

struct EdgeListOptions {
  OnSelfLoop self_loops = OnSelfLoop::kDrop;
  OnDuplicate duplicates = OnDuplicate::kDrop;
  OnDisconnected disconnected = OnDisconnected::kError;
};

/// What the graph does not show of its file.
struct EdgeListReport {
  std::size_t listed = 0;  // pairs in the file
  std::size_t self_loops = 0;
  std::size_t duplicates = 0;
  std::size_t components = 0;     // before any was left out
  std::size_t nodes_dropped = 0;  // outside the largest component
  std::size_t edges_dropped = 0;
};

struct EdgeList {
  Graph graph;
  EdgeListReport report;
};

/// One pair of node names per line, separated by blanks, a tab or a comma; lines starting with # or % are
/// comments. Nodes keep their names; they are ordered by value if all are integers, else by first appearance.
/// Errors start with `origin:line:`.
EdgeList parse_edge_list(std::string_view text, const std::string& origin,
                         const EdgeListOptions& options = {});
/// The same from a file, plain or gzipped.
EdgeList read_edge_list(const std::filesystem::path& path, const EdgeListOptions& options = {});

}  // namespace earshot
