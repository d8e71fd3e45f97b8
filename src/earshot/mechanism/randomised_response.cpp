#include "earshot/mechanism/randomised_response.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/mechanism/exact_choice.hpp"

namespace earshot {
namespace {

/// The two neighbours' own categories and all others as one outcome.
FinitePairRelease response_pair(std::size_t categories, double keep, double other) {
  FinitePairRelease pair{"randomised_response", {keep, other}, {other, keep}};
  if (categories > 2) {
    const double rest = static_cast<double>(categories - 2) * other;
    pair.p.push_back(rest);
    pair.q.push_back(rest);
  }
  return pair;
}

}  // namespace

void require_category(std::size_t category, std::size_t categories) {
  if (category >= categories)
    fail(Fault::kData,
         fmt::format("category {} is not one of the {} that may be reported", category, categories));
}

std::vector<double> debiased_shares(std::span<const std::uint64_t> counts, std::uint64_t reports, double p,
                                    double q) {
  if (reports == 0) fail(Fault::kData, "shares cannot be estimated from no report");
  if (!(p > q))
    fail(Fault::kConfig, "shares cannot be estimated from reports that do not depend on the truth");
  std::vector<double> shares;
  for (const std::uint64_t count : counts)
    shares.push_back((static_cast<double>(count) / static_cast<double>(reports) - q) / (p - q));
  return shares;
}

RandomisedResponse::RandomisedResponse(std::size_t categories, double epsilon)
    : categories_(categories), epsilon_(require_positive(epsilon, "epsilon")) {
  if (categories < 2) fail(Fault::kConfig, "randomised response needs at least two categories");
  const double weight = std::exp(-epsilon);
  keep_ = 1 / (1 + static_cast<double>(categories - 1) * weight);
  other_ = weight * keep_;
  release_ = make_release(response_pair(categories, keep_, other_));
}

MechanismTerms RandomisedResponse::terms() const {
  return {"any change", 1, {}, "one person's category", "replace it by any other"};
}

double RandomisedResponse::probability(std::size_t output, std::size_t input) const {
  require_category(input, categories_);
  require_category(output, categories_);
  return output == input ? keep_ : other_;
}

Released<std::size_t> RandomisedResponse::simulate(std::size_t input, Stream& stream) const {
  require_category(input, categories_);
  if (stream.uniform() < keep_) return {input, release_};
  const std::size_t other = stream.below(categories_ - 1);
  return {other < input ? other : other + 1, release_};
}

Released<std::size_t> RandomisedResponse::protect(std::size_t input, SecureRandom& random) const {
  require_category(input, categories_);
  return {exact_response(random, input, categories_, exact_ratio(epsilon_)), release_};
}

std::vector<double> RandomisedResponse::estimate(std::span<const std::uint64_t> reported) const {
  if (reported.size() != categories_) fail(Fault::kData, "there must be one count per category");
  const std::uint64_t reports = std::accumulate(reported.begin(), reported.end(), std::uint64_t{0});
  return debiased_shares(reported, reports, keep_, other_);
}

}  // namespace earshot
