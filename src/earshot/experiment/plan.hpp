// A plan: one experiment file, validated whole, with its sweep laid out as a list of cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/experiment/component_catalogue.hpp"
#include "earshot/experiment/measure.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot {

inline constexpr std::size_t kMostCells = 100'000;  // of one sweep
inline constexpr std::size_t kMostTrials = 1'000'000;
inline constexpr std::size_t kLongestPlan = 1 << 20;  // bytes of one experiment file

/// One validated section: the component chosen and its parameters, defaults filled in.
struct Choice {
  std::string kind;
  Settings settings;
};

/// One point of the sweep. Sections equal in several cells are shared between them.
struct Cell {
  std::size_t index = 0;
  Json settings = Json::object();  // the swept keys only, as in {"graph.nodes": 20}: for display
  std::map<std::string, std::shared_ptr<const Choice>, std::less<>> choices;  // by role

  /// Null when the plan has no such section.
  const Choice* find(std::string_view role) const;
  /// The section's choice; an Error(kInternal) when absent, so preflight has to check first.
  const Choice& at(std::string_view role) const;
  /// The value of `graph.nodes`, `graph.kind`, ...; null when this cell has none.
  Json setting(std::string_view name) const;
};

/// What to draw and tabulate: the mean of each `y` by `x`, one series per value of `split`.
struct Curve {
  std::string title;
  std::string table;
  std::string x;
  std::vector<std::string> y;
  std::string split;  // empty: one series per y
  Json where = Json::object();
};

/// A published or required value, and how it is measured here.
struct Expectation {
  std::string source;
  std::string what;
  std::string table;
  Measure measure;
  Json where = Json::object();
  Json than;  // conditions of the rows the measure is subtracted for; null: nothing is subtracted
  std::optional<double> published;
  std::optional<double> tolerance;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::string note;
};

struct Plan {
  std::string origin;  // the file, for messages only
  std::string name;
  std::string title;
  std::string reference;
  std::uint64_t seed = 1;
  std::size_t trials = 1;
  std::vector<Cell> cells;
  std::vector<Curve> curves;
  std::vector<Expectation> expectations;
  Json resolved;                // the whole plan with defaults, in canonical order
  Json files = Json::object();  // SHA-256 of the user's own files it names, set by whoever can tell which
  Locate locate;                // "graph.nodes" -> "plan.toml:12: graph.nodes", for problems found later
};

/// Reads an experiment (docs/experiments.md). Throws PlanError with every problem found, each naming its
/// line. `most_cells` bounds time and memory for texts of strangers.
Plan parse_plan(std::string_view toml_text, const std::string& origin, const Catalogue& catalogue,
                const std::vector<Override>& overrides = {}, std::size_t most_cells = kMostCells);

/// What decides the result of a (cell, trial) and nothing else: version, seed, every cell's components, and
/// what is in the files they name. Plans that differ in titles, curves, expectations or the number of trials
/// share their stored units.
std::string plan_digest(const Plan& plan);

/// Which columns each table of this experiment will have, as far as known before it runs.
using TableColumns = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Curves and expectations that ask for tables or columns that will not exist.
std::vector<Problem> check_tables(const Plan& plan, const TableColumns& tables);

}  // namespace earshot
