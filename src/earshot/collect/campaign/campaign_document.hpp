// A collection as one document and as tables, for files, pages and programs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "earshot/collect/campaign/campaign.hpp"
#include "earshot/collect/campaign/collector.hpp"
#include "earshot/core/json.hpp"

namespace earshot {

/// Everything about one collection. `truth` only in experiments.
struct CampaignFacts {
  const PlaceDomain& domain;
  const MechanismChoice& choice;
  const PlaceMechanism& mechanism;
  const Visits& visits;
  const Collected& collected;
  std::optional<TruthComparison> truth{};
  std::optional<std::uint64_t> seed{};  // of a simulation
  std::string command{};
};

/// Numbers that are not finite are written as words, because JSON has none.
Json campaign_document(const CampaignFacts& facts);

/// One report per line: on a grid row, column and centre of the cell reported; else the number of the place.
std::string release_table(const PlaceMechanism& mechanism, std::span<const std::size_t> reports);
/// One place per line with its estimate and error bars; the truth only where the facts hold it.
std::string estimate_table(const CampaignFacts& facts);

/// What is promised for one report, and to whoever reports most.
PrivacyStatement report_statement(const CampaignFacts& facts);
PrivacyStatement user_statement(const CampaignFacts& facts);

}  // namespace earshot
