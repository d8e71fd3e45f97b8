// From whatever numbers an attack ends with to pixels that can be shown and scored.
#pragma once

#include <span>
#include <vector>

namespace earshot {

// Published attacks show and score reconstructions in two ways. Stretching undoes a wrong brightness and
// contrast the adversary had no way to correct, and so inflates scores: report both.

/// Every value limited to [0, range].
std::vector<double> clipped(std::span<const double> image, double range);

/// The image's smallest value becomes 0, its largest `range`, over all channels together. A constant image
/// has no contrast to stretch and is clipped.
std::vector<double> stretched(std::span<const double> image, double range);

}  // namespace earshot
