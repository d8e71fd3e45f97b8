// Fuzzes the edge-list parser: what it accepts must be the graph its report describes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/graph/edge_list.hpp"
#include "earshot/graph/spectrum.hpp"
#include "fuzz_target.hpp"

namespace {

void check(const earshot::EdgeList& list) {
  const earshot::EdgeListReport& report = list.report;
  const std::size_t accounted =
      list.graph.edge_count() + report.self_loops + report.duplicates + report.edges_dropped;
  if (accounted != report.listed || list.graph.edge_count() == 0) std::abort();
  for (earshot::NodeId node = 0; node < list.graph.node_count(); ++node) {
    if (list.graph.find(list.graph.name(node)) != node) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] {
    const auto strict = earshot::parse_edge_list(
        text, "fuzz",
        {.self_loops = earshot::OnSelfLoop::kError, .duplicates = earshot::OnDuplicate::kError});
    check(strict);
    if (!earshot::is_connected(strict.graph) || strict.report.listed != strict.graph.edge_count())
      std::abort();
  });
  earshot::fuzzing::accept_or_refuse([&] {
    const auto largest =
        earshot::parse_edge_list(text, "fuzz", {.disconnected = earshot::OnDisconnected::kLargest});
    if (!earshot::is_connected(largest.graph)) std::abort();
    check(largest);
  });
  earshot::fuzzing::accept_or_refuse([&] {
    check(earshot::parse_edge_list(text, "fuzz", {.disconnected = earshot::OnDisconnected::kKeep}));
  });
  return 0;
}
