// Replayable draws from a distribution over finitely many outcomes, for simulations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

/// Alias table (Walker 1977, built as by Vose 1991): every draw takes the same few steps.
class Categorical {
 public:
  explicit Categorical(std::span<const double> probabilities);
  std::size_t draw(Stream& stream) const;
  /// Adds `draws` draws to counts.
  void count(std::size_t draws, Stream& stream, std::span<double> counts) const;

 private:
  struct Slot {
    double keep = 1;        // probability of the slot's own outcome
    std::size_t other = 0;  // the outcome it gives otherwise
  };
  std::vector<Slot> slots_;
};

}  // namespace earshot
