// Fuzzes experiment files: any text is refused line by line, or is a plan that can be identified and located.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/experiment/plan.hpp"
#include "earshot/experiment/test_catalogue.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const earshot::Catalogue catalogue = earshot::test_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kMostCells =
      300;  // a short text can ask for a long time, which would not be a finding
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::Plan plan = earshot::parse_plan(text, "plan.toml", catalogue, {}, kMostCells);
    if (plan.cells.empty() || plan.trials == 0 || earshot::plan_digest(plan).size() != 64) std::abort();
    if (plan.locate("graph.nodes").empty() || plan.resolved.dump().empty()) std::abort();
  });
  return 0;
}
