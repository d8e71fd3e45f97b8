#include "earshot/model/native/layer_check.hpp"

namespace earshot {
namespace {

TEST(Dense, KeepsTheContractOfLayers) {
  for (const bool bias : {false, true}) {
    for (const bool shared : {false, true}) {
      const Dense layer{5, bias};
      const PlacedLayer place = at(Shape{2, 1, 3}, Shape{5, 1, 1}, bias ? 35 : 30);
      check_layer({.place = place, .count = 3, .rows = 4, .shared = shared},
                  [&](auto real) { return make_dense<decltype(real)>(layer, place); });
    }
  }
}

}  // namespace
}  // namespace earshot
