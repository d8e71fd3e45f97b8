#include <fmt/format.h>

#include "earshot/core/files.hpp"
#include "earshot/graph/testing.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

/// The manual's table row of a component, or nothing.
std::string row_of(std::string_view manual, const std::string& name) {
  const std::size_t start = manual.find(fmt::format("\n| `{}` |", name));
  if (start == std::string_view::npos) return "";
  return std::string(manual.substr(start + 1, manual.find('\n', start + 1) - start - 1));
}

TEST(Manual, ListsEveryGraphWithItsParametersAndDefaults) {
  const std::string manual = read_text(std::filesystem::path(EARSHOT_SOURCE_DIR) / "docs" / "graphs.md");
  for (const GraphComponent& one : graph_components()) {
    const std::string row = row_of(manual, one.schema.name);
    EXPECT_FALSE(row.empty()) << one.schema.name;
    for (const Parameter& parameter : one.schema.parameters) {
      std::string expected = fmt::format("`{}`", parameter.key);
      if (parameter.fallback)
        expected +=
            fmt::format(" ({})", parameter.fallback->is_string() ? parameter.fallback->get<std::string>()
                                                                 : parameter.fallback->dump());
      EXPECT_THAT(row, ::testing::HasSubstr(expected)) << one.schema.name;
    }
  }
}

TEST(Manual, ListsEveryWeights) {
  const std::string manual = read_text(std::filesystem::path(EARSHOT_SOURCE_DIR) / "docs" / "graphs.md");
  const std::string section = manual.substr(manual.find("## Gossip weights by name"));
  for (const WeightsComponent& one : weights_components())
    EXPECT_FALSE(row_of(section, one.schema.name).empty()) << one.schema.name;
}

}  // namespace
}  // namespace earshot
