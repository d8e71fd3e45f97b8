// One collection: whose places are reported through which mechanism, and what everybody is promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "earshot/accounting/ledger.hpp"
#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/collect/campaign/place_mechanism.hpp"
#include "earshot/data/places/check_ins.hpp"

namespace earshot {

/// What happens to check-ins outside the map. Both rules look at the truth of one person alone: dropping
/// lets the collector learn that somebody was elsewhere, moving to the nearest cell does not.
enum class OutsideRule { kDrop, kNearest };

/// The truths, as numbers of places.
struct Visits {
  std::vector<std::size_t> place{};
  std::vector<std::uint32_t> user{};  // position in `users`, one per visit; both empty: not known
  std::vector<std::string> users{};
  std::size_t dropped = 0;
  std::size_t moved = 0;
};
Visits visits_on(const PlaceGrid& grid, const CheckIns& check_ins, OutsideRule rule);
/// Visits per place.
std::vector<double> tally_visits(const Visits& visits, std::size_t places);

/// Called now and then with how many more visits were reported.
using CampaignProgress = std::function<void(std::size_t)>;

/// A report per visit, in their order, for real people.
std::vector<std::size_t> protect_visits(const ExactChannel& channel, const Visits& visits,
                                        SecureRandom& random, const CampaignProgress& progress = {});
/// The same from a replayable stream: to study, never to release.
std::vector<std::size_t> simulate_visits(const ExactChannel& channel, const Visits& visits,
                                         std::uint64_t seed, const CampaignProgress& progress = {});

/// What is promised to somebody who reports so many times.
PrivacyStatement statement_for(const ExactChannel& channel, std::uint64_t reports);

/// How often each user reported, as an account against the collector. Empty where users are not known.
Ledger ledger_of(const ExactChannel& channel, const Visits& visits);
/// The largest number of reports by one user; all of them where users are not known.
std::uint64_t most_reports(const Visits& visits);

}  // namespace earshot
