#include "earshot/protocol/quantiser.hpp"

#include <cmath>
#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {

double quantised(double value, double cell_width) {
  if (!(cell_width > std::abs(value) * std::numeric_limits<double>::epsilon())) return value;
  return cell_width * std::round(value / cell_width);
}

Quantiser::Quantiser(double first, double shrink) : first_(first), shrink_(shrink) {
  if (!(first >= 0) || !std::isfinite(first)) fail(Fault::kConfig, "a cell's width must be 0 or positive");
  if (!(shrink > 0) || shrink > 1) fail(Fault::kConfig, "cells shrink by a factor above 0 and up to 1");
}

double Quantiser::cell_width(std::uint64_t round) const {
  return shrink_ == 1 ? first_ : first_ * std::pow(shrink_, static_cast<double>(round));
}

void Quantiser::quantise(std::uint64_t round, std::span<double> values) const {
  const double width = cell_width(round);
  for (double& value : values) value = quantised(value, width);
}

}  // namespace earshot
