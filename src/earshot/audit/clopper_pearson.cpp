#include "earshot/audit/clopper_pearson.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require_counts(std::uint64_t hits, std::uint64_t trials, double miss) {
  if (trials == 0 || hits > trials)
    fail(Fault::kConfig, "a confidence bound needs at least one trial and no more hits than trials");
  if (!(miss > 0 && miss < 1))
    fail(Fault::kConfig, "the probability of a wrong bound must lie strictly between 0 and 1");
}

}  // namespace

// P[Binomial(n, p) >= k] is the regularised incomplete beta function I_p(k, n - k + 1), so that the bounds
// are quantiles of beta distributions.
double probability_at_least(std::uint64_t hits, std::uint64_t trials, double miss) {
  require_counts(hits, trials, miss);
  if (hits == 0) return 0;
  return boost::math::ibeta_inv(static_cast<double>(hits), static_cast<double>(trials - hits + 1), miss);
}

double probability_at_most(std::uint64_t hits, std::uint64_t trials, double miss) {
  require_counts(hits, trials, miss);
  if (hits == trials) return 1;
  return boost::math::ibetac_inv(static_cast<double>(hits + 1), static_cast<double>(trials - hits), miss);
}

}  // namespace earshot
