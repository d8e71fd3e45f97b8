#include "plan_run.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/progress.hpp"
#include "earshot/experiment/results.hpp"
#include "earshot/experiment/runner.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/pipeline.hpp"
#include "earshot/pipeline/plan_files.hpp"
#include "earshot/report/html.hpp"
#include "earshot/report/markdown.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {
namespace {

/// A node name as part of a file name: anything but letters, digits, dot and dash becomes an underscore.
std::string file_word(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    word += plain ? c : '_';
  }
  return word.substr(0, 60);
}

void write_picture(const std::filesystem::path& path, const Json& image) {
  const Bytes png = unbase64(image.get<std::string>());
  write_atomically(path, {reinterpret_cast<const char*>(png.data()), png.size()});
}

void write_pictures(const std::filesystem::path& directory, const Json& results) {
  for (std::size_t i = 0; i < results.at("cells").size(); ++i) {
    const Json& cell = results.at("cells")[i];
    if (!cell.contains("gallery")) continue;
    const std::filesystem::path folder = directory / "images" / fmt::format("cell-{}", i);
    std::filesystem::create_directories(folder);
    for (const auto& [node, image] : cell.at("truths").items()) {
      write_picture(folder / fmt::format("truth-{}.png", file_word(node)), image);
    }
    for (const Json& entry : cell.at("gallery")) {
      const std::string name =
          fmt::format("{}-sees-{}.png", file_word(entry.at("attacker").get<std::string>()),
                      file_word(entry.at("victim").get<std::string>()));
      write_picture(folder / name, entry.at("image"));
    }
  }
}

/// The ledger of each cell's first trial, for `earshot account ledger`.
void write_ledgers(const std::filesystem::path& directory, const Json& results) {
  for (std::size_t i = 0; i < results.at("cells").size(); ++i) {
    const Json& cell = results.at("cells")[i];
    if (!cell.contains("ledger")) continue;
    std::filesystem::create_directories(directory / "ledger");
    write_atomically(directory / "ledger" / fmt::format("cell-{}.jsonl", i),
                     cell.at("ledger").get<std::string>());
  }
}

std::filesystem::path output_directory(const PlanRun& request, const Plan& plan) {
  if (!request.out.empty()) return request.out;
  return std::filesystem::path("runs") / fmt::format("{}-{}", plan.name, plan_digest(plan).substr(0, 10));
}

void fail_if_missed(const Json& results) {
  const auto missed = missed_expectations(results);
  if (missed.empty()) return;
  fail(Fault::kExpectation, fmt::format("{} expectation{} missed: {}", missed.size(),
                                        missed.size() == 1 ? "" : "s", fmt::join(missed, "; ")));
}

}  // namespace

PlanResults compute_plan(const PlanRun& request) {
  set_thread_count(request.common.threads);
  Plan plan = parse_plan(request.text, request.origin, standard_catalogue(), request.overrides);
  const GraphSources sources = sources_from(request.working_directory);
  plan.files = file_digests(plan, sources);
  TrainingSets loaded;
  if (auto problems = preflight(plan, sources, &loaded); !problems.empty())
    throw PlanError(std::move(problems));

  const std::filesystem::path directory = output_directory(request, plan);
  const Pipeline pipeline(plan, sources, std::move(loaded));
  RunStore store(directory, plan);
  const RunOutcome outcome =
      execute(plan, &store, [&](const Cell& cell, std::size_t trial) { return pipeline.run(cell, trial); });
  Json results = assemble_results(plan, outcome.units, request.command);

  write_atomically(directory / "results.json",
                   results.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  write_atomically(directory / "report.html", render_html(results));
  write_atomically(directory / "report.md",
                   render_markdown(results, {request.command, outcome.unit_seconds}));
  write_pictures(directory, results);
  write_ledgers(directory, results);

  return {std::move(results), directory,
          fmt::format("{} units computed, {} reused, {} of computing; report: {}", outcome.computed,
                      outcome.reused, human_duration(outcome.unit_seconds),
                      (directory / "report.html").string())};
}

void run_plan(const PlanRun& request) {
  const PlanResults results = compute_plan(request);
  if (request.common.json)
    print_json(results.document);
  else
    fmt::print("{}", render_terminal(results.document, terminal_style()));
  note(results.summary);
  if (request.strict) fail_if_missed(results.document);
}

}  // namespace earshot::cli
