#include "earshot/core/files.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/testing.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Graph path_graph() {
  return {3, std::vector<Edge>{{0, 1}, {1, 2}}, {"a", "b", "c"}};
}

TEST(WeightsFile, ReadsFractionsAndDecimals) {
  const GossipMatrix matrix = parse_weights(path_graph(),
                                            "# who listens to whom\n"
                                            "a b 1/3\nb,a,0.25\n b\tc 1e-1\r\nc b 0\nb b 13/20\n",
                                            "w.txt");
  EXPECT_EQ(matrix.edge_weights(0)[0], (Rational{1, 3}));
  EXPECT_EQ(matrix.edge_weights(1)[0], (Rational{1, 4}));
  EXPECT_EQ(matrix.edge_weights(1)[1], (Rational{1, 10}));
  EXPECT_EQ(matrix.exact_diagonal(1), (Rational{13, 20}));
  EXPECT_EQ(matrix.exact_diagonal(0), std::nullopt);
  EXPECT_DOUBLE_EQ(matrix.self_weight(0), 2.0 / 3.0);
  EXPECT_EQ(matrix.self_weight(2), 1.0);
}

TEST(WeightsFile, SaysWhereAndWhatIsWrong) {
  const auto message = [](std::string_view text) {
    return testing::error_of(Fault::kData, [&] { parse_weights(path_graph(), text, "w.txt"); });
  };
  EXPECT_THAT(message("a b\n"), StartsWith("w.txt:1: expected \"node node weight\""));
  EXPECT_THAT(message("\na bb 1\n"), AllOf(StartsWith("w.txt:2: "), HasSubstr("did you mean")));
  EXPECT_THAT(message("a c 1\n"), HasSubstr("not neighbours"));
  EXPECT_THAT(message("a b x\n"), HasSubstr("\"x\" is not a weight"));
  EXPECT_THAT(message("a b 1/2\na b 1/2\n"), AllOf(StartsWith("w.txt:2: "), HasSubstr("twice")));
  EXPECT_THAT(message("a a 1\na a 1\n"), HasSubstr("twice"));
  EXPECT_THAT(message("a b 1/2\nb a 1/2\nb c 1\n"), HasSubstr("no weight for \"c b\""));
}

TEST(WeightsFile, ComponentReadsTheFile) {
  const auto path = std::filesystem::temp_directory_path() / "earshot_weights_file_test.txt";
  write_atomically(path, "a b 1/2\nb a 1/2\nb c 1/2\nc b 1/2\n");
  const GossipMatrix matrix = testing::make_weights("file", path_graph(), {{"path", path.string()}});
  EXPECT_EQ(matrix.self_weight(1), 0.0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace earshot
