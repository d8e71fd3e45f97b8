#include "collect_output.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/report/places.hpp"
#include "statement_text.hpp"

namespace earshot::cli {
namespace {

std::string place_name(const CampaignFacts& facts, std::size_t place) {
  if (!facts.domain.grid) return fmt::format("place {}", place);
  return fmt::format("row {}, column {}", facts.domain.grid->row_of(place),
                     facts.domain.grid->column_of(place));
}

void print_largest(const CampaignFacts& facts) {
  const Collected& all = facts.collected;
  const std::vector<double>& estimate = all.estimate.distribution;
  std::vector<std::size_t> order(estimate.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t x) { return estimate[x]; });
  order.resize(std::min<std::size_t>(order.size(), 5));
  fmt::print("Most visited, as estimated from the reports, with 95 % error bars\n");
  for (const std::size_t x : order) {
    fmt::print("  {:<22}{:6.2f} %  ({:.2f} to {:.2f})", place_name(facts, x), 100 * estimate[x],
               100 * all.bars.lower[x], 100 * all.bars.upper[x]);
    if (facts.truth) fmt::print("  truth {:.2f}", 100 * facts.truth->truth[x]);
    fmt::print("\n");
  }
}

void print_collector(const CampaignFacts& facts) {
  const Collected& all = facts.collected;
  const std::string& unit = facts.domain.metric.unit;
  fmt::print(
      "A report lies {:.4g} {}s off on average. The best guess of a place from its report is {:.4g} off,\n"
      "without any report {:.4g}; a report tells {:.3g} bits. Between any two places epsilon is {:.4g}.\n",
      all.expected_distance, unit, all.adversary_error, all.blind_error, all.leaked_bits, all.local_epsilon);
  if (facts.truth)
    fmt::print(
        "The estimate is {:.4g} {}s from the truth (earth mover's distance), a uniform guess {:.4g};\n"
        "error bars hold the truth of {:.0f} % of the places.\n",
        facts.truth->estimate_distance, unit, facts.truth->uniform_distance, 100 * facts.truth->covered);
}

}  // namespace

void print_collection(const CampaignFacts& facts, const std::string& out, const TerminalStyle& style) {
  const Visits& visits = facts.visits;
  fmt::print("{} check-ins reported through {} over {} places", visits.place.size(),
             facts.mechanism.channel.name(), facts.domain.places());
  if (visits.dropped > 0) fmt::print(", {} outside dropped", visits.dropped);
  if (visits.moved > 0) fmt::print(", {} outside moved to the nearest cell", visits.moved);
  fmt::print("\n\nOne report: {}\n", statement_text(report_statement(facts), style));
  if (visits.users.empty())
    fmt::print("If all reports are one person's: {}\n", statement_text(user_statement(facts), style));
  else
    fmt::print("Of {} users, whoever reports most: {}\n", visits.users.size(),
               statement_text(user_statement(facts), style));
  print_collector(facts);
  fmt::print("\n");
  print_largest(facts);
  if (!out.empty())
    fmt::print("\nwritten to {}: release.csv, statement.json, estimate.csv, report.html\n", out);
}

void write_collection(const std::filesystem::path& directory, const CampaignFacts& facts,
                      std::span<const std::size_t> reports, const Json& document) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) fail(Fault::kIo, fmt::format("cannot create {}: {}", directory.string(), code.message()));
  const Json statement{{"one_report", document.at("statement")},
                       {"whoever_reports_most", document.at("user_statement")}};
  write_atomically(directory / "statement.json", statement.dump(2) + "\n");
  if (!facts.visits.users.empty())
    write_atomically(directory / "ledger.jsonl", ledger_of(facts.mechanism.channel, facts.visits).to_text());
  write_atomically(directory / "estimate.csv", estimate_table(facts));
  write_atomically(directory / "collection.json", document.dump() + "\n");
  write_atomically(directory / "report.html", render_places(document));
  // Last, so that a release never stands without its statement.
  write_atomically(directory / "release.csv", release_table(facts.mechanism, reports));
}

}  // namespace earshot::cli
