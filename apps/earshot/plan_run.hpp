// From the text of a plan to its stored results, printed summary and report: shared by `run`, `audit` and
// `recommend`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "earshot/core/json.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot::cli {

struct PlanRun {
  std::string text;    // TOML
  std::string origin;  // what messages call it
  std::filesystem::path working_directory;
  std::vector<Override> overrides;
  std::string command;  // what a reader types to get these numbers
  std::string out;      // empty: runs/NAME-DIGEST
  bool strict = false;
  CommonOptions common;
};

struct PlanResults {
  Json document;
  std::filesystem::path directory;
  std::string summary;  // what was computed and where the report is
};

/// Validates everything, then runs, resuming whatever the output directory already holds. Writes
/// results.json, report.html, report.md and the pictures; prints nothing but progress.
PlanResults compute_plan(const PlanRun& request);
/// The same, and prints the summary (or the JSON).
void run_plan(const PlanRun& request);

}  // namespace earshot::cli
