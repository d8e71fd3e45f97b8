// Which examples are learnt from and which are kept aside.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> held_out;
};

/// max(round(share * n), 1) of the n examples are held out, drawn without replacement; both parts keep the
/// examples' order. A share of 0 holds out none.
Split random_split(std::span<const std::size_t> examples, double share, Stream& stream);

/// Part `fold` of `folds` is held out; parts are dealt from one shuffle and differ by one example at most.
Split fold_split(std::span<const std::size_t> examples, std::size_t fold, std::size_t folds, Stream& stream);

/// 0 ... count-1.
std::vector<std::size_t> all_of(std::size_t count);

}  // namespace earshot
