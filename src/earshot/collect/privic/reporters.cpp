#include "earshot/collect/privic/reporters.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "earshot/collect/estimation/categorical.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

Reporters::Reporters(std::span<const std::size_t> people, Turnout turnout, double share,
                     const FalseReporters& liars, const StreamName& randomness)
    : people_(people.begin(), people.end()), turnout_(turnout), liars_(liars), randomness_(randomness) {
  const std::size_t all = std::reduce(people_.begin(), people_.end());
  if (!(share > 0 && share <= 1))
    fail(Fault::kConfig, "the share of people who report in a cycle must lie in (0, 1]");
  if (!(liars.share >= 0 && liars.share < 1))
    fail(Fault::kConfig, "the share of false reporters must lie in [0, 1)");
  if (liars.place >= people_.size())
    fail(Fault::kConfig,
         fmt::format("false reporters cannot be at place {} of {}", liars.place, people_.size()));
  // Rounded down, up to the rounding of the product, so that a tenth of the people lasts for ten cycles.
  batch_ = turnout == Turnout::kEverybody
               ? all
               : static_cast<std::size_t>(std::floor(share * static_cast<double>(all) * (1 + 1e-12)));
  if (batch_ == 0) fail(Fault::kConfig, "nobody reports; raise the share of people who report in a cycle");
  if (turnout == Turnout::kEverybody) return;
  for (std::size_t x = 0; x < people_.size(); ++x) place_of_.insert(place_of_.end(), people_[x], x);
}

void Reporters::check_cycles(std::size_t cycles) const {
  const std::size_t enough = turnout_ == Turnout::kFreshShare ? place_of_.size() / batch_ : cycles;
  if (cycles > enough)
    fail(Fault::kConfig,
         fmt::format("nobody new is left for cycle {}; lower the share per cycle or the cycles", enough + 1));
}

std::vector<std::size_t> Reporters::turnout(std::size_t cycle) const {
  if (turnout_ == Turnout::kEverybody) return people_;
  check_cycles(cycle + 1);
  StreamName name = randomness_;
  name.purpose = Purpose::kParticipation;
  name.round = turnout_ == Turnout::kFreshShare ? 0 : cycle;
  Stream stream(name);
  const bool fresh = turnout_ == Turnout::kFreshShare;
  const std::size_t first = fresh ? cycle * batch_ : 0;
  const std::vector<std::size_t> chosen = fresh ? stream.permutation(place_of_.size())
                                                : stream.sample_without_replacement(batch_, place_of_.size());
  std::vector<std::size_t> counts(people_.size());
  for (std::size_t i = first; i < first + batch_; ++i) ++counts[place_of_[chosen[i]]];
  return counts;
}

std::vector<double> Reporters::reports(const Channel& channel, std::size_t cycle) const {
  std::vector<std::size_t> claimed = turnout(cycle);
  // Liars come on top, so that they make up their share of all reports.
  const auto liars =
      static_cast<std::size_t>(std::llround(static_cast<double>(batch_) * liars_.share / (1 - liars_.share)));
  std::vector<double> counts(channel.outputs);
  if (liars_.manner == FalseReporters::Manner::kPretend)
    claimed[liars_.place] += liars;
  else
    counts[liars_.place] += static_cast<double>(liars);
  StreamName name = randomness_;
  name.purpose = Purpose::kPrivacyNoise;
  name.round = cycle;
  Stream stream(name);
  for (std::size_t x = 0; x < claimed.size(); ++x) {
    if (claimed[x] > 0) Categorical(channel.row(x)).count(claimed[x], stream, counts);
  }
  return counts;
}

}  // namespace earshot
