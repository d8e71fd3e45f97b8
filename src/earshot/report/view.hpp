// The document the page draws from: facts and words already worked out, bounded in size.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/report/results.hpp"

namespace earshot {

/// Most attacker–victim pairs a page holds, all cells together: beyond it a browser stops being usable.
inline constexpr std::size_t kPairBudget = 400'000;

/// Everything on the page as data; the page's script reads this and nothing else. Past the budget the
/// attackers that reach least keep their scores but lose their pairs.
Json page_view(const Results& results, std::size_t pair_budget = kPairBudget);

}  // namespace earshot
