#include "earshot/collect/campaign/campaign_document.hpp"

#include <cmath>

#include <fmt/format.h>

namespace earshot {
namespace {

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "not a number" : value > 0 ? "infinite" : "minus infinite";
}

Json mechanism_json(const CampaignFacts& facts) {
  const ExactChannel& channel = facts.mechanism.channel;
  const PrivacyLevel& level = channel.level();
  Json json{{"name", channel.name()},
            {"asked_epsilon", number(facts.choice.epsilon)},
            {"epsilon", number(level.epsilon)},
            {"unit", channel.metric().unit},
            {"worst", {{"truth", level.truth}, {"alternative", level.alternative}, {"report", level.report}}},
            {"local_epsilon", number(facts.collected.local_epsilon)}};
  if (const auto& approximate = channel.approximate()) {
    json["delta"] = approximate->delta;
    json["delta_of_single_reports"] = approximate->pointwise;
  }
  return json;
}

Json visits_json(const Visits& visits) {
  return {{"reported", visits.place.size()},
          {"dropped_outside", visits.dropped},
          {"moved_inside", visits.moved},
          {"users", visits.users.empty() ? Json(nullptr) : Json(visits.users.size())},
          {"most_reports_of_one", most_reports(visits)}};
}

Json collector_json(const Collected& collected) {
  return {{"expected_distance", collected.expected_distance},
          {"adversary_error", collected.adversary_error},
          {"blind_error", collected.blind_error},
          {"leaked_bits", collected.leaked_bits},
          {"update_steps", collected.estimate.iterations},
          {"log_likelihood", collected.estimate.log_likelihood},
          {"log_likelihood_gap", collected.estimate.gap}};
}

Json places_json(const CampaignFacts& facts) {
  const Collected& all = facts.collected;
  Json epsilons = Json::array();
  Json self_reports = Json::array();
  Json distances = Json::array();
  for (const RowProfile& profile : all.profiles) {
    epsilons.push_back(number(profile.epsilon));
    self_reports.push_back(profile.self_report);
    distances.push_back(profile.expected_distance);
  }
  Json json{{"estimate", all.estimate.distribution},
            {"standard_error", all.bars.standard_error},
            {"lower", all.bars.lower},
            {"upper", all.bars.upper},
            {"self_report", self_reports},
            {"expected_distance", distances},
            {"epsilon", epsilons}};
  if (facts.truth) json["truth"] = facts.truth->truth;
  return json;
}

PrivacyStatement with_caveat(const CampaignFacts& facts, PrivacyStatement statement) {
  if (facts.seed)
    statement.assumptions.emplace_back(
        fmt::format("simulated with seed {}: anyone can draw the same noise, so this release protects nobody",
                    *facts.seed));
  if (facts.visits.dropped > 0)
    statement.assumptions.emplace_back(fmt::format(
        "{} check-ins outside the map were dropped: their absence is not hidden", facts.visits.dropped));
  return statement;
}

}  // namespace

PrivacyStatement report_statement(const CampaignFacts& facts) {
  return with_caveat(facts, statement_for(facts.mechanism.channel, 1));
}

PrivacyStatement user_statement(const CampaignFacts& facts) {
  PrivacyStatement statement =
      with_caveat(facts, statement_for(facts.mechanism.channel, most_reports(facts.visits)));
  if (facts.visits.users.empty())
    statement.assumptions.emplace_back("the file names no users: all reports are counted as one person's");
  return statement;
}

Json campaign_document(const CampaignFacts& facts) {
  Json document{{"kind", "collection"},
                {"command", facts.command},
                {"simulated", facts.seed.has_value()},
                {"check_ins", visits_json(facts.visits)},
                {"places", facts.domain.places()},
                {"mechanism", mechanism_json(facts)},
                {"statement", to_json(report_statement(facts))},
                {"user_statement", to_json(user_statement(facts))},
                {"collector", collector_json(facts.collected)},
                {"by_place", places_json(facts)},
                {"reports", facts.collected.report_counts}};
  if (facts.domain.grid) {
    document["grid"] = to_json(*facts.domain.grid);
    document["report_grid"] = to_json(*facts.mechanism.reports);
  }
  if (facts.truth)
    document["truth"] = {{"earth_movers_distance", facts.truth->estimate_distance},
                         {"uniform_guess_distance", facts.truth->uniform_distance},
                         {"covered_by_error_bars", facts.truth->covered}};
  return document;
}

std::string release_table(const PlaceMechanism& mechanism, std::span<const std::size_t> reports) {
  std::string text = mechanism.reports ? "row,column,latitude,longitude\n" : "place\n";
  for (const std::size_t report : reports) {
    if (!mechanism.reports) {
      text += fmt::format("{}\n", report);
      continue;
    }
    const PlaceGrid& grid = *mechanism.reports;
    const Degrees centre = grid.centre(report);
    text +=
        fmt::format("{},{},{:.6f},{:.6f}\n", static_cast<std::ptrdiff_t>(grid.row_of(report)) + grid.origin(),
                    static_cast<std::ptrdiff_t>(grid.column_of(report)) + grid.origin(), centre.latitude,
                    centre.longitude);
  }
  return text;
}

std::string estimate_table(const CampaignFacts& facts) {
  const Collected& all = facts.collected;
  const std::optional<PlaceGrid>& grid = facts.domain.grid;
  std::string text = grid ? "row,column,latitude,longitude" : "place";
  text += ",estimate,standard_error,lower,upper";
  text += facts.truth ? ",truth\n" : "\n";
  for (std::size_t x = 0; x < facts.domain.places(); ++x) {
    if (grid)
      text += fmt::format("{},{},{:.6f},{:.6f}", grid->row_of(x), grid->column_of(x),
                          grid->centre(x).latitude, grid->centre(x).longitude);
    else
      text += fmt::format("{}", x);
    text += fmt::format(",{},{},{},{}", all.estimate.distribution[x], all.bars.standard_error[x],
                        all.bars.lower[x], all.bars.upper[x]);
    if (facts.truth) text += fmt::format(",{}", facts.truth->truth[x]);
    text += '\n';
  }
  return text;
}

}  // namespace earshot
