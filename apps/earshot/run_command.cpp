#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/core/files.hpp"
#include "plan_run.hpp"

namespace earshot::cli {
namespace {

struct RunOptions {
  std::string file;
  std::vector<std::string> set;
  std::optional<std::uint64_t> seed;
  PlanRun request;
};

std::string reproducing_command(const RunOptions& options) {
  std::string command = "earshot run " + options.file;
  for (const std::string& setting : options.set) command += fmt::format(" --set '{}'", setting);
  if (options.seed) command += fmt::format(" --seed {}", *options.seed);
  return command;
}

void run(RunOptions& options) {
  PlanRun& request = options.request;
  request.text = read_text(options.file);
  request.origin = options.file;
  request.working_directory = std::filesystem::path(options.file).parent_path();
  for (const std::string& setting : options.set) request.overrides.push_back(parse_override(setting));
  if (options.seed) request.overrides.push_back({"seed", *options.seed});
  request.command = reproducing_command(options);
  run_plan(request);
}

}  // namespace

void add_run_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run an experiment file; the same command again resumes it");
  auto options = std::make_shared<RunOptions>();
  command->add_option("FILE", options->file, "experiment (TOML), see docs/experiments.md")->required();
  command->add_option("--set", options->set, "override a key of the file: --set graph.nodes=30")
      ->type_name("KEY=VALUE");
  command->add_option("--seed", options->seed, "seed of all randomness, instead of the file's");
  command->add_option("--out", options->request.out, "output directory (default: runs/NAME-DIGEST)")
      ->type_name("DIR");
  command->add_flag("--strict", options->request.strict,
                    "exit with 4 when an expectation of the file is missed");
  add_common_options(*command, options->request.common);
  command->callback([options] { run(*options); });
}

}  // namespace earshot::cli
