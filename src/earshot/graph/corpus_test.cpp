#include <functional>

#include "earshot/core/files.hpp"
#include "earshot/graph/edge_list.hpp"
#include "earshot/graph/testing.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

/// Every sample named good_* must be read, every bad_* refused in one line; any other name is a mistake.
void check_corpus(const std::string& topic, const std::function<void(const std::filesystem::path&)>& read) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(EARSHOT_SOURCE_DIR) /
                                                               "tests" / "corpus" / topic)) {
    SCOPED_TRACE(entry.path().string());
    const std::string name = entry.path().filename().string();
    if (name.starts_with("bad_")) {
      ++bad;
      testing::error_of(Fault::kData, [&] { read(entry.path()); });
    } else {
      ++good;
      ASSERT_TRUE(name.starts_with("good_"));
      EXPECT_NO_THROW(read(entry.path()));
    }
  }
  EXPECT_GT(good, 2U);
  EXPECT_GT(bad, 5U);
}

TEST(Corpus, EdgeLists) {
  check_corpus("edge_list",
               [](const auto& path) { read_edge_list(path, {.disconnected = OnDisconnected::kLargest}); });
}

TEST(Corpus, WeightsOfALineOfThree) {
  const Graph graph = testing::make_graph("line", {{"nodes", 3}});
  check_corpus("weights", [&](const auto& path) { parse_weights(graph, read_text(path), path.string()); });
}

}  // namespace
}  // namespace earshot
