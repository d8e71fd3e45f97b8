#include "earshot/training/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Split split_by(std::span<const std::size_t> examples, const std::vector<bool>& held) {
  Split split;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    (held[i] ? split.held_out : split.train).push_back(examples[i]);
  }
  return split;
}

}  // namespace

Split random_split(std::span<const std::size_t> examples, double share, Stream& stream) {
  if (!(share >= 0 && share < 1)) fail(Fault::kConfig, "the share held out must be at least 0 and below 1");
  std::vector<bool> held(examples.size());
  if (share > 0 && !examples.empty()) {
    const auto rounded = static_cast<std::size_t>(std::llround(share * static_cast<double>(examples.size())));
    const std::size_t count = std::max<std::size_t>(rounded, 1);
    for (const std::size_t i : stream.sample_without_replacement(count, examples.size())) held[i] = true;
  }
  return split_by(examples, held);
}

Split fold_split(std::span<const std::size_t> examples, std::size_t fold, std::size_t folds, Stream& stream) {
  if (folds < 2 || folds > examples.size() || fold >= folds) {
    fail(Fault::kConfig, fmt::format("{} examples cannot be dealt into {} parts", examples.size(), folds));
  }
  const std::vector<std::size_t> order = stream.permutation(examples.size());
  std::vector<bool> held(examples.size());
  for (std::size_t i = fold; i < order.size(); i += folds) held[order[i]] = true;
  return split_by(examples, held);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace earshot
