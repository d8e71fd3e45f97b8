#include "earshot/model/dropout_mask.hpp"
#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

TEST(Dropout, KeepsTheContractOfLayers) {
  PlacedLayer place = at(Shape{7, 1, 1}, Shape{7, 1, 1}, 0);
  place.name = "1.dropout";
  for (const bool on : {false, true}) {
    check_layer({.place = place,
                 .count = 2,
                 .rows = 3,
                 .dropout = on ? std::optional<std::uint64_t>(5) : std::nullopt},
                [&](auto real) { return make_dropout<decltype(real)>(Dropout{0.4}, place); });
  }
}

TEST(Dropout, MasksAreNamedBySeedLayerAndRow) {
  const auto mask = [](std::uint64_t seed, const char* layer, std::uint64_t row) {
    std::vector<double> out(64);
    dropout_mask(seed, layer, row, 0.5, out);
    return out;
  };
  const auto one = mask(1, "2.dropout", 3);
  EXPECT_EQ(mask(1, "2.dropout", 3), one);
  EXPECT_NE(mask(2, "2.dropout", 3), one);
  EXPECT_NE(mask(1, "4.dropout", 3), one);
  EXPECT_NE(mask(1, "2.dropout", 4), one);
}

/// 100,000 draws at rate 0.3: five standard deviations, false alarm below 1e-6.
TEST(Dropout, DropsAtItsRateAndScalesTheRest) {
  std::vector<double> mask(100000);
  dropout_mask(9, "0.dropout", 0, 0.3, mask);
  double dropped = 0;
  for (const double m : mask) {
    EXPECT_TRUE(m == 0 || m == 1 / (1 - 0.3));
    dropped += m == 0 ? 1 : 0;
  }
  EXPECT_NEAR(dropped / 1e5, 0.3, 5 * std::sqrt(0.3 * 0.7 / 1e5));
}

}  // namespace
}  // namespace earshot
