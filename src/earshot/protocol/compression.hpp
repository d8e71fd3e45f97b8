// What a sender leaves out of a gradient or rounds away, to save bytes or to hide: no noise, no guarantee.
#pragma once

#include <span>
#include <vector>

namespace earshot {

/// Pruning, then rounding (both tried as defences by Zhu, Liu & Han 2019, section 5).
struct Compression {
  double pruned = 0;      // share of the numbers, the smallest by magnitude, that are sent as zeros
  double cell_width = 0;  // of the quantiser the others are rounded by; 0: none

  bool active() const { return pruned > 0 || cell_width > 0; }
};

/// Refuses a share outside [0, 1) and a width below 0.
void require_valid(const Compression& compression);

/// Of n numbers the floor(pruned n) smallest become 0, of equal ones the first. What is not finite has no
/// order and stays as it is, for the receiver to reject. `magnitudes` is scratch.
void compress(const Compression& compression, std::span<double> numbers, std::vector<double>& magnitudes);

}  // namespace earshot
