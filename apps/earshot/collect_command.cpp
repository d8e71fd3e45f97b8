#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "collect_output.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "earshot/collect/campaign/campaign.hpp"
#include "earshot/collect/campaign/collector.hpp"
#include "earshot/collect/campaign/place_domain.hpp"
#include "earshot/collect/campaign/place_mechanism.hpp"
#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/progress.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/places/gowalla.hpp"
#include "earshot/data/places/place_files.hpp"

namespace earshot::cli {
namespace {

struct CollectOptions {
  std::string check_ins;
  std::string format = "auto";
  PlaceColumns columns;
  std::string box;
  std::string grid;
  std::optional<double> cell;
  std::string metric;
  std::string metric_unit = "unit of distance";
  std::string unit = "cells";
  std::string outside = "drop";
  MechanismChoice mechanism;
  std::string prior;
  std::optional<std::uint64_t> simulate;
  bool with_truth = false;
  CollectorOptions collector;
  std::string out;
  CommonOptions common;
};

PlaceForm form_named(const CollectOptions& options, const std::string& path) {
  if (options.format == "pairs") return PlaceForm::kCoordinatePairs;
  if (options.format == "snap") return PlaceForm::kSnap;
  if (options.format == "csv") return PlaceForm::kCsv;
  if (options.format == "geojson") return PlaceForm::kGeoJson;
  return form_of(path);
}

/// gowalla-paris and gowalla-san-francisco are known by name, map included.
std::optional<GowallaCity> known_city(const std::string& check_ins) {
  if (check_ins == "gowalla-paris") return GowallaCity::kParis;
  if (check_ins == "gowalla-san-francisco") return GowallaCity::kSanFrancisco;
  return {};
}

PlaceGrid grid_from(const CollectOptions& options) {
  const auto city = known_city(options.check_ins);
  if (city && options.box.empty() && options.grid.empty() && !options.cell)
    return PlaceGrid::published(*city);
  if (options.box.empty())
    fail(Fault::kUsage,
         "say where the map is: --box south,west,north,east in degrees with --grid ROWSxCOLUMNS or --cell "
         "METRES, or --box paris; or give distances between places with --metric FILE");
  const GeoBox box = parse_box(options.box);
  if (!options.grid.empty() && options.cell)
    fail(Fault::kUsage, "give --grid or --cell, not both: each says how large the cells are");
  if (options.cell) return grid_of_cells(box, *options.cell);
  if (!options.grid.empty()) {
    const GridShape shape = parse_shape(options.grid);
    return PlaceGrid::over(box, shape.rows, shape.columns);
  }
  if (const auto grid = city_grid(options.box)) return *grid;
  fail(Fault::kUsage, "say how large the cells are: --grid ROWSxCOLUMNS or --cell METRES");
}

PlaceDomain domain_of(const CollectOptions& options) {
  if (options.metric.empty()) return grid_domain(grid_from(options), parse_unit(options.unit));
  if (!options.box.empty() || !options.grid.empty() || options.cell)
    fail(Fault::kUsage, "--metric lists all distances itself; leave out --box, --grid and --cell");
  LineStream lines{std::filesystem::path(options.metric)};
  return metric_domain(read_distance_matrix(lines), options.metric_unit);
}

Visits visits_in(const CollectOptions& options, const PlaceDomain& domain, const std::string& path) {
  if (!domain.grid) {
    LineStream lines{std::filesystem::path(path)};
    return {.place = read_place_numbers(lines, domain.places())};
  }
  const auto city = known_city(path);
  const CheckIns check_ins = city ? load_gowalla(*city, data_directory())
                                  : load_check_ins(path, form_named(options, path), options.columns);
  const CheckIns::Skipped& skipped = check_ins.skipped;
  if (skipped != CheckIns::Skipped{})
    note(fmt::format("{}: skipped {} records without position, {} off the globe, {} that are no points", path,
                     skipped.without_position, skipped.off_the_globe, skipped.other_shapes));
  return visits_on(*domain.grid, check_ins,
                   options.outside == "drop" ? OutsideRule::kDrop : OutsideRule::kNearest);
}

std::vector<double> prior_from(const CollectOptions& options, const PlaceDomain& domain) {
  if (options.prior.empty()) return {};
  if (options.prior == options.check_ins)
    note(
        "warning: the prior is made from the check-ins to be protected, so the mechanism itself tells of "
        "them; use another file's outside experiments");
  const Visits visits = visits_in(options, domain, options.prior);
  if (visits.place.empty())
    fail(Fault::kData, options.prior + ": no check-in lies in the box, so there is no prior");
  return normalised(tally_visits(visits, domain.places()));
}

std::vector<std::size_t> report_all(const CollectOptions& options, const PlaceMechanism& mechanism,
                                    const Visits& visits) {
  Progress bar("report", visits.place.size());
  const CampaignProgress progress = [&](std::size_t more) {
    if (interrupted()) fail(Fault::kInterrupted, "interrupted; nothing was written");
    bar.advance(more);
  };
  if (options.simulate) return simulate_visits(mechanism.channel, visits, *options.simulate, progress);
  SecureRandom random;
  return protect_visits(mechanism.channel, visits, random, progress);
}

/// Quoted where a shell would take it apart.
std::string word(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "-_./,:+") == std::string::npos;
  return plain && !text.empty() ? text : "'" + text + "'";
}

std::string command_of(const CLI::App& command) {
  std::string text = "earshot collect";
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    text += " " + option->get_name();
    if (option->get_expected_max() > 0)
      for (const std::string& value : option->results()) text += " " + word(value);
  }
  return text;
}

void collect(const CollectOptions& options, const std::string& command) {
  set_thread_count(options.common.threads);
  const PlaceDomain domain = domain_of(options);
  const Visits visits = visits_in(options, domain, options.check_ins);
  MechanismChoice choice = options.mechanism;
  choice.prior = prior_from(options, domain);
  const PlaceMechanism mechanism = make_place_mechanism(domain, choice);
  const std::vector<std::size_t> reports = report_all(options, mechanism, visits);
  const Collected collected = collect_reports(mechanism, reports, options.collector);
  CampaignFacts facts{domain, choice, mechanism, visits, collected, {}, options.simulate, command};
  if (options.with_truth)
    facts.truth =
        compare_with_truth(collected, tally_visits(visits, domain.places()), domain.metric.between_truths);
  const Json document = campaign_document(facts);
  if (!options.out.empty()) write_collection(options.out, facts, reports, document);
  if (options.common.json)
    print_json(document);
  else
    print_collection(facts, options.out, terminal_style());
}

void add_map_options(CLI::App& command, CollectOptions& options) {
  command
      .add_option("--checkins", options.check_ins,
                  "file of places people were at, plain or gzipped; or gowalla-paris, gowalla-san-francisco")
      ->required()
      ->type_name("FILE");
  command.add_option("--format", options.format, "of that file")
      ->check(CLI::IsMember({"auto", "pairs", "snap", "csv", "geojson"}))
      ->capture_default_str();
  command.add_option("--latitude", options.columns.latitude, "column of a CSV file")->capture_default_str();
  command.add_option("--longitude", options.columns.longitude, "column of a CSV file")->capture_default_str();
  command.add_option("--user", options.columns.user, "column of a CSV file: whose check-in it is");
  command.add_option("--box", options.box, "south,west,north,east in degrees, or paris, or san-francisco");
  command.add_option("--grid", options.grid, "ROWSxCOLUMNS (default of a named city: as published)");
  command.add_option("--cell", options.cell, "size of a cell in metres instead");
  command.add_option("--unit", options.unit, "distances in cells, metres (in the plane) or surface metres")
      ->capture_default_str();
  command
      .add_option("--metric", options.metric,
                  "instead of a map: rows of distances between all places; "
                  "--checkins then lists numbers of places")
      ->type_name("FILE");
  command.add_option("--metric-unit", options.metric_unit, "what its distance 1 is, for the statement")
      ->capture_default_str();
  command
      .add_option("--outside", options.outside,
                  "check-ins outside the map: drop, or move to the nearest cell")
      ->check(CLI::IsMember({"drop", "nearest"}))
      ->capture_default_str();
}

void add_mechanism_options(CLI::App& command, CollectOptions& options) {
  MechanismChoice& mechanism = options.mechanism;
  command.add_option("--mechanism", mechanism.name, join(place_mechanism_names(), ", "))
      ->capture_default_str();
  command.add_option("--epsilon", mechanism.epsilon, "promised per unit of distance")->required();
  command.add_option("--radius", mechanism.radius, "of truncated_laplace, in units of distance");
  command.add_option("--margin", mechanism.margin, "of laplace: cells around the map that may be reported")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command.add_option("--iterations", mechanism.iterations, "of blahut_arimoto")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--dilation", mechanism.dilation, "of optimal: fewer constraints, a little more loss")
      ->capture_default_str();
  command.add_flag("--as-published", mechanism.as_published,
                   "of laplace: epsilon is the kernel's, although its rows keep less");
  command
      .add_option("--prior", options.prior,
                  "of blahut_arimoto and optimal: public check-ins (default: uniform)")
      ->type_name("FILE");
}

void add_collector_options(CLI::App& command, CollectOptions& options) {
  command
      .add_option("--simulate", options.simulate,
                  "replayable noise of this seed: to study, it protects nobody")
      ->type_name("SEED");
  command.add_flag("--with-truth", options.with_truth,
                   "experiments: compare the estimate with the check-ins");
  command
      .add_option("--steps", options.collector.steps,
                  "of the Bayesian update; 0: to the maximum of the likelihood")
      ->capture_default_str();
  command.add_option("--replicates", options.collector.replicates, "of the bootstrap behind the error bars")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  command
      .add_option("--out", options.out, "directory for release, statement, estimate, ledger and report.html")
      ->type_name("DIR");
}

}  // namespace

void add_collect_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "collect", "Protect places people were at, state what is promised, and estimate where people are");
  auto options = std::make_shared<CollectOptions>();
  add_map_options(*command, *options);
  add_mechanism_options(*command, *options);
  add_collector_options(*command, *options);
  add_common_options(*command, options->common);
  command->callback([options, command] { collect(*options, command_of(*command)); });
}

}  // namespace earshot::cli
