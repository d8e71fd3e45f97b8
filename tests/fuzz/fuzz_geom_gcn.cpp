// Fuzzes the reader of WebKB pages of Geom-GCN, one file after the other in the input.
#include <cstdint>
#include <string_view>

#include "earshot/data/graphs/graph_corpus.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sample(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] { earshot::parse_graph_sample("geom_gcn", sample); });
  return 0;
}
