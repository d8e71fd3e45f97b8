#include "earshot/protocol/compression.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/protocol/quantiser.hpp"

namespace earshot {
namespace {

void prune(double share, std::span<double> numbers, std::vector<double>& magnitudes) {
  const auto count = static_cast<std::size_t>(share * static_cast<double>(numbers.size()));
  if (count == 0) return;
  magnitudes.resize(numbers.size());
  std::ranges::transform(numbers, magnitudes.begin(), [](double x) { return std::abs(x); });
  const auto last = magnitudes.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::ranges::nth_element(magnitudes, last);
  const double largest = *last;
  std::size_t equal = static_cast<std::size_t>(std::count(magnitudes.begin(), last + 1, largest));
  for (double& x : numbers) {
    if (std::abs(x) < largest) {
      x = 0;
    } else if (std::abs(x) == largest && equal > 0) {
      x = 0;
      --equal;
    }
  }
}

}  // namespace

void require_valid(const Compression& compression) {
  if (!(compression.pruned >= 0) || compression.pruned >= 1)
    fail(Fault::kConfig, "the share of pruned numbers is at least 0 and below 1");
  if (!(compression.cell_width >= 0) || !std::isfinite(compression.cell_width))
    fail(Fault::kConfig, "a cell's width must be 0 or positive");
}

void compress(const Compression& compression, std::span<double> numbers, std::vector<double>& magnitudes) {
  if (!all_finite(numbers)) return;
  prune(compression.pruned, numbers, magnitudes);
  if (compression.cell_width > 0) {
    for (double& x : numbers) x = quantised(x, compression.cell_width);
  }
}

}  // namespace earshot
