// Fuzzes the weights parser and the exact checks on what it accepts.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const earshot::Graph line(3, std::vector<earshot::Edge>{{0, 1}, {1, 2}});
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::GossipMatrix matrix = earshot::parse_weights(line, text, "fuzz");
    const earshot::WeightCheck check = earshot::check_weights(matrix);
    if (check.doubly_stochastic && !check.row_stochastic) std::abort();
    for (earshot::NodeId node = 0; node < 3; ++node) {
      double sum = matrix.self_weight(node);
      for (const double weight : matrix.weights(node)) sum += weight;
      if (!std::isfinite(sum) || (check.row_stochastic && std::abs(sum - 1) > 1e-9)) std::abort();
    }
    earshot::lazy(matrix);
  });
  return 0;
}
