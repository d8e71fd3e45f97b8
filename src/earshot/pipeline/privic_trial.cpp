#include "earshot/pipeline/privic_trial.hpp"

#include <fmt/format.h>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/estimation/utility.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/collect/privic/privic_collector.hpp"
#include "earshot/pipeline/place_maps.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

PrivicOptions collector_options(const Cell& cell) {
  const Settings& protocol = cell.at("protocol").settings;
  const Settings& mechanism = cell.at("mechanism").settings;
  return {mechanism.real("beta"),
          mechanism.size("iterations"),
          protocol.size("update_iterations"),
          protocol.text("start") == "last_estimate",
          protocol.boolean("combine"),
          protocol.boolean("as_published")};
}

std::size_t cycles_of(const Settings& protocol) {
  return protocol.size("cycles") + (protocol.boolean("as_published") ? 1 : 0);
}

/// Rows of the collection: what was measured on the channel behind an update and on the estimate after it.
class CycleTable {
 public:
  CycleTable(const PlaceData& data, std::size_t target)
      : table_(privic_columns().at("cycles")), data_(data), truth_(data.tally.prior()), target_(target) {}

  void add_start(const PrivicCollector& collector) {
    table_.add({updates_++, emd(collector.estimate()), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
  }

  void add(const Channel& channel, const PrivicCollector& collector, double mechanism_gap) {
    table_.add({updates_++, emd(collector.estimate()), collector.last_change(),
                finite_or_null(metric_privacy(channel, data_.distances).epsilon),
                bits(mutual_information(truth_, channel)),
                average_distortion(truth_, channel, data_.distances), mechanism_gap,
                channel(target_, target_)});
  }

  double emd(std::span<const double> estimate) const {
    return earth_movers_distance(estimate, truth_, data_.distances).distance;
  }
  Json json() const { return table_.json(); }

 private:
  RowTable table_;
  const PlaceData& data_;
  std::vector<double> truth_;
  std::size_t target_;
  std::size_t updates_ = 0;
};

/// The generalised update over all cycles, looked at after 10, 100, ... iterations and at the end.
Json pooled_table(const PrivicCollector& collector, std::size_t iterations, const CycleTable& cycles) {
  RowTable table(privic_columns().at("pooled"));
  const ReportLikelihood likelihood(collector.batches());
  PlaceEstimate estimate;
  std::size_t done = 0;
  for (std::size_t stop = 10; done < iterations; stop *= 10) {
    const std::size_t next = std::min(stop, iterations);
    estimate = estimate_places(likelihood, {.iterations = next - done, .start = estimate.distribution});
    done = next;
    table.add({done, cycles.emd(estimate.distribution), estimate.log_likelihood, estimate.gap});
  }
  return table.json();
}

PrivacyStatement statement_of(const Cell& cell) {
  const Settings& protocol = cell.at("protocol").settings;
  const double each = 2 * cell.at("mechanism").settings.real("beta");
  const bool once = protocol.text("turnout") == "fresh_share";
  PrivacyStatement statement;
  statement.epsilon = once ? each : each * static_cast<double>(cycles_of(protocol));
  statement.definition = "epsilon-d-privacy (geo-indistinguishability), epsilon per cell of distance";
  statement.unit = once ? "one person's place, reported once"
                        : fmt::format("one person's place, reported in up to {} cycles", cycles_of(protocol));
  statement.adjacency = "move the person to another cell; the promise weakens with the distance";
  statement.adversary = "anyone who sees the reports, the collector included";
  statement.assumptions.emplace_back(
      "every report is 2 beta-private whatever the prior, and epsilons of reports add up");
  return statement;
}

}  // namespace

Reporters privic_reporters(const Cell& cell, const TrialAddress& address, const PlaceData& data) {
  const Settings& protocol = cell.at("protocol").settings;
  const std::string turnout = protocol.text("turnout");
  const Turnout who = turnout == "everybody"      ? Turnout::kEverybody
                      : turnout == "random_share" ? Turnout::kRandomShare
                                                  : Turnout::kFreshShare;
  const FalseReporters liars{protocol.real("false_share"), protocol.size("false_place"),
                             protocol.text("false_manner") == "report" ? FalseReporters::Manner::kReport
                                                                       : FalseReporters::Manner::kPretend};
  Reporters reporters(data.tally.counts, who, protocol.real("share"), liars,
                      address.stream(Purpose::kPrivacyNoise));
  reporters.check_cycles(cycles_of(protocol));
  return reporters;
}

Json run_privic_trial(const Cell& cell, const TrialAddress& address, const PlaceData& data) {
  const Settings& protocol = cell.at("protocol").settings;
  const Reporters reporters = privic_reporters(cell, address, data);
  const bool first_trial = address.trial == 0;
  const std::size_t last = cycles_of(protocol) - 1;
  PrivicCollector collector(data.distances, collector_options(cell));
  CycleTable cycles(data, protocol.size("false_place"));
  PlaceMapsWriter maps(data);
  cycles.add_start(collector);
  for (std::size_t cycle = 0; cycle <= last; ++cycle) {
    const Channel channel = collector.channel();
    const double gap = collector.mechanism_gap();
    const std::vector<double> counts = reporters.reports(channel, cycle);
    collector.receive(counts);
    cycles.add(channel, collector, gap);
    if (first_trial && (cycle == 0 || cycle == last))
      maps.add(fmt::format("Cycle {}", cycle + 1), {channel, data.grid, data.distances, counts,
                                                    collector.estimate(), cycles.emd(collector.estimate())});
  }
  Json out = {{"tables",
               {{"cycles", cycles.json()},
                {"pooled", pooled_table(collector, protocol.size("pooled_iterations"), cycles)}}}};
  if (first_trial) {
    out["statement"] = to_json(statement_of(cell));
    out["places"] = maps.json();
  }
  return out;
}

TableColumns privic_columns() {
  return {
      {"cycles",
       {"updates", "emd", "change", "epsilon", "information", "distortion", "mechanism_gap", "self_report"}},
      {"pooled", {"iterations", "emd", "log_likelihood", "gap"}}};
}

}  // namespace earshot
