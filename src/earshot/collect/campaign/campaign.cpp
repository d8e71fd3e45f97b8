#include "earshot/collect/campaign/campaign.hpp"

#include <algorithm>

#include "earshot/accounting/metric_accountant.hpp"

namespace earshot {
namespace {

constexpr std::size_t kBetweenProgress = 4096;

template <class Report>
std::vector<std::size_t> report_all(const Visits& visits, const CampaignProgress& progress, Report&& report) {
  std::vector<std::size_t> reports;
  reports.reserve(visits.place.size());
  for (const std::size_t place : visits.place) {
    reports.push_back(report(place));
    if (progress && reports.size() % kBetweenProgress == 0) progress(kBetweenProgress);
  }
  if (progress) progress(reports.size() % kBetweenProgress);
  return reports;
}

std::vector<std::uint64_t> reports_by_user(const Visits& visits) {
  std::vector<std::uint64_t> counts(visits.users.size(), 0);
  for (const std::uint32_t user : visits.user) ++counts[user];
  return counts;
}

}  // namespace

Visits visits_on(const PlaceGrid& grid, const CheckIns& check_ins, OutsideRule rule) {
  Visits visits;
  visits.users = check_ins.users;
  for (std::size_t i = 0; i < check_ins.size(); ++i) {
    const double latitude = check_ins.latitude[i];
    const double longitude = check_ins.longitude[i];
    const std::optional<std::size_t> cell = grid.cell_of(latitude, longitude);
    if (!cell && rule == OutsideRule::kDrop) {
      ++visits.dropped;
      continue;
    }
    if (!cell) ++visits.moved;
    visits.place.push_back(cell ? *cell : grid.nearest_cell(latitude, longitude));
    if (!check_ins.user.empty()) visits.user.push_back(check_ins.user[i]);
  }
  return visits;
}

std::vector<double> tally_visits(const Visits& visits, std::size_t places) {
  std::vector<double> counts(places, 0);
  for (const std::size_t place : visits.place) ++counts.at(place);
  return counts;
}

std::vector<std::size_t> protect_visits(const ExactChannel& channel, const Visits& visits,
                                        SecureRandom& random, const CampaignProgress& progress) {
  return report_all(visits, progress,
                    [&](std::size_t place) { return channel.protect(place, random).value; });
}

std::vector<std::size_t> simulate_visits(const ExactChannel& channel, const Visits& visits,
                                         std::uint64_t seed, const CampaignProgress& progress) {
  Stream stream(StreamName{.seed = seed, .purpose = Purpose::kPrivacyNoise});
  return report_all(visits, progress,
                    [&](std::size_t place) { return channel.simulate(place, stream).value; });
}

PrivacyStatement statement_for(const ExactChannel& channel, std::uint64_t reports) {
  if (std::holds_alternative<NotPrivateRelease>(channel.release()->kind)) return no_privacy();
  MetricAccountant accountant;
  accountant.add(*channel.release(), reports);
  PrivacyStatement statement = accountant.statement();
  statement.unit = reports == 1 ? "the place behind one report"
                                : "all places of somebody who reports " + std::to_string(reports) + " times";
  if (reports > 1) statement.adjacency += "; d between two people's places is the largest over their reports";
  statement.assumptions.emplace_back(
      "distances are between the centres of places: within one, nothing is told apart");
  return statement;
}

Ledger ledger_of(const ExactChannel& channel, const Visits& visits) {
  Ledger ledger;
  const std::vector<std::uint64_t> counts = reports_by_user(visits);
  for (std::size_t user = 0; user < counts.size(); ++user) {
    if (counts[user] == 0) continue;
    ledger.record(visits.users[user], "collector", {"a user's places", "replace them by others"}, 1,
                  counts[user] == 1 ? channel.release() : repeated(counts[user], channel.release()));
  }
  return ledger;
}

std::uint64_t most_reports(const Visits& visits) {
  if (visits.users.empty()) return visits.place.size();
  const std::vector<std::uint64_t> counts = reports_by_user(visits);
  return *std::ranges::max_element(counts);
}

}  // namespace earshot
