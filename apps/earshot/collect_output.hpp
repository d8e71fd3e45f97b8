// What `earshot collect` shows and writes.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "earshot/collect/campaign/campaign_document.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {

/// Counts, promises, and what the collector can say.
void print_collection(const CampaignFacts& facts, const std::string& out, const TerminalStyle& style);

/// release.csv for the collector; statement.json and, where users are known, ledger.jsonl for the people who
/// report; estimate.csv, collection.json and report.html from the reports alone, unless the facts hold a
/// truth.
void write_collection(const std::filesystem::path& directory, const CampaignFacts& facts,
                      std::span<const std::size_t> reports, const Json& document);

}  // namespace earshot::cli
