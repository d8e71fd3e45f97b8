// Exact confidence bounds on a probability from a number of hits.
#pragma once

#include <cstdint>

namespace earshot {

/// One-sided bounds of Clopper & Pearson (1934): whatever the probability p of a hit is, `hits` of `trials`
/// independent trials give a lower bound above p with probability at most `miss`, and an upper bound below p
/// with probability at most `miss`. 0 hits bound from below by 0, `trials` hits from above by 1.
double probability_at_least(std::uint64_t hits, std::uint64_t trials, double miss);
double probability_at_most(std::uint64_t hits, std::uint64_t trials, double miss);

}  // namespace earshot
