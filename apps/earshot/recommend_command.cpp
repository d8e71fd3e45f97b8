#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/experiment/recommendation.hpp"
#include "plan_run.hpp"
#include "recommend_output.hpp"
#include "recommend_plan.hpp"

namespace earshot::cli {
namespace {

struct RecommendOptions {
  RecommendPlan plan;
  double tolerated = 0;
  double confidence = 0.95;
  std::string leakage = "accuracy";
  bool all = false;  // also options that others beat
  bool confirm = false;
  std::vector<std::string> set;
  PlanRun request;
};

/// Who attacks, and whether what guessing gets is taken off.
struct LeakageKind {
  const char* column;
  bool above_guess;
};
const std::map<std::string, LeakageKind>& leakage_kinds() {
  static const std::map<std::string, LeakageKind> kinds{{"accuracy", {"accuracy", false}},
                                                        {"gain", {"accuracy", true}},
                                                        {"informed", {"informed", false}},
                                                        {"informed_gain", {"informed", true}}};
  return kinds;
}

Tolerance tolerance_of(const RecommendOptions& options) {
  const LeakageKind& kind = leakage_kinds().at(options.leakage);
  return {kind.column, kind.above_guess, options.tolerated, options.confidence};
}

template <class Value>
std::string commas(const std::vector<Value>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

Json strength_json(const AttackStrength& strength) {
  return {{"members", strength.members}, {"iterations", strength.iterations}};
}

std::string reproducing_command(const RecommendOptions& options) {
  const RecommendPlan usual;
  const RecommendPlan& plan = options.plan;
  std::string command = fmt::format("earshot recommend {} --tolerate {}", plan.data, options.tolerated);
  const auto add = [&](const char* flag, const auto& value, const auto& standard) {
    if (value != standard) command += fmt::format(" {} {}", flag, value);
  };
  add("--leakage", options.leakage, std::string("accuracy"));
  add("--confidence", options.confidence, 0.95);
  add("--schema", plan.schema, usual.schema);
  add("--model", plan.model, usual.model);
  add("--hidden", plan.hidden, usual.hidden);
  add("--topology", commas(plan.topologies), commas(usual.topologies));
  add("--encoding", commas(plan.encodings), commas(usual.encodings));
  add("--sigma", commas(plan.sigmas), commas(usual.sigmas));
  add("--batch", commas(plan.batches), commas(usual.batches));
  add("--nodes", plan.nodes, usual.nodes);
  add("--rounds", plan.rounds, usual.rounds);
  add("--attack-rounds", "'" + plan.attack_rounds + "'", "'" + usual.attack_rounds + "'");
  add("--victims", plan.victims, usual.victims);
  add("--members", plan.members, usual.members);
  add("--iterations", plan.iterations, usual.iterations);
  add("--trials", plan.trials, usual.trials);
  add("--seed", plan.seed, usual.seed);
  for (const std::string& setting : options.set) command += fmt::format(" --set '{}'", setting);
  if (options.confirm) command += " --confirm";
  return command;
}

/// Where the grid was changed by --set, its options cannot be named by the command's own flags.
std::string command_for_next(const RecommendOptions& options, const ProtectionOption& next) {
  if (std::ranges::any_of(options.set, [](const std::string& set) { return set.starts_with("sweep."); }))
    return "";
  RecommendOptions alone = options;
  alone.plan = narrowed(options.plan, next.settings);
  return reproducing_command(alone);
}

/// Another seed has other victims' rows, so the choice of the best of many cannot flatter it.
std::uint64_t fresh_seed(const Json& results) {
  constexpr std::uint64_t kFresh = 1U << 20U;
  return results.at("experiment").at("seed").get<std::uint64_t>() ^ kFresh;
}

Json confirm_best(const RecommendOptions& options, const Recommendation& found, const PlanResults& searched) {
  const ProtectionOption& best = found.options[*found.best];
  ConfirmationRun run{at_least_full(strength_of(searched.document, best.settings)),
                      fresh_seed(searched.document), ""};
  PlanRun request = options.request;
  ConfirmPlan plan = confirm_plan(options.plan, request.overrides, best.settings, run.seed, run.strength);
  request.text = std::move(plan.text);
  request.overrides = std::move(plan.overrides);
  request.out = (searched.directory / fmt::format("confirm-{}", best.cell)).string();
  const PlanResults again = compute_plan(request);
  const Tolerance tolerance = tolerance_of(options);
  const Confirmation confirmation = confirm(found, again.document, tolerance);
  if (confirmation.next) run.next_command = command_for_next(options, found.options[*confirmation.next]);
  if (!request.common.json)
    fmt::print("\n{}", confirmation_text(found, confirmation, tolerance, run, terminal_style()));
  note(again.summary);
  Json document = confirmation_json(confirmation);
  document["seed"] = run.seed;
  document["attack"] = strength_json(run.strength);
  return document;
}

void recommend_protection(RecommendOptions& options) {
  if (!(options.tolerated > -1 && options.tolerated < 1))
    fail(Fault::kUsage, "--tolerate is a share of the cells, such as 0.5");
  PlanRun& request = options.request;
  request.text = recommend_text(options.plan);
  request.origin = "recommend";
  request.command = reproducing_command(options);
  for (const std::string& setting : options.set) request.overrides.push_back(parse_override(setting));
  const PlanResults results = compute_plan(request);
  const Tolerance tolerance = tolerance_of(options);
  const Recommendation found = recommend(results.document, tolerance);
  const AttackStrength strength =
      strength_of(results.document, found.options[found.best.value_or(0)].settings);
  if (!request.common.json)
    fmt::print("{}", recommendation_text(found, tolerance, strength, options.all, terminal_style()));
  note(results.summary);
  Json document = recommendation_json(found, tolerance);
  document["attack"] = strength_json(strength);
  if (options.confirm && found.best) document["confirmation"] = confirm_best(options, found, results);
  write_atomically(results.directory / "recommendation.json", document.dump(1) + "\n");
  if (request.common.json) print_json(document);
}

template <class Value>
void add_list(CLI::App& command, const char* flag, std::vector<Value>& values, const char* help) {
  command.add_option(flag, values, help)->delimiter(',');
}

}  // namespace

void add_recommend_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "recommend",
      "Find the encoding, noise, batch size and topology with the best accuracy within a tolerated leakage");
  auto options = std::make_shared<RecommendOptions>();
  RecommendPlan& plan = options->plan;
  command->add_option("DATA", plan.data, "a table by name, or a CSV file")->required();
  command->add_option("--tolerate", options->tolerated, "share of the victims' cells that may be read back")
      ->required();
  command
      ->add_option("--leakage", options->leakage,
                   "what is tolerated: accuracy, gain above what guessing gets, or the same of an attacker "
                   "informed by public rows")
      ->check(CLI::IsMember(leakage_kinds()));
  command->add_option("--confidence", options->confidence, "with which the mean leakage lies below");
  command->add_option("--schema", plan.schema, "of a CSV file, which names its target")->type_name("FILE");
  command->add_option("--model", plan.model, "network by name");
  command->add_option("--hidden", plan.hidden, "widths of an mlp");
  add_list(*command, "--topology", plan.topologies, "protocols to compare");
  add_list(*command, "--encoding", plan.encodings, "of categories");
  add_list(*command, "--sigma", plan.sigmas, "deviations of the noise on gradients clipped to 1");
  add_list(*command, "--batch", plan.batches, "records in a step");
  command->add_option("--nodes", plan.nodes, "among whom the records are divided");
  command->add_option("--rounds", plan.rounds, "of training");
  command->add_option("--attack-rounds", plan.attack_rounds,
                      "of training, attacked one by one; judged by the one that leaks most: 1,last");
  command->add_option("--victims", plan.victims, "nodes attacked, in every attacked round");
  command->add_option("--members", plan.members, "searches in the attacker's ensemble");
  command->add_option("--iterations", plan.iterations, "of every search");
  command->add_option("--trials", plan.trials, "trainings of every setting");
  command->add_option("--seed", plan.seed, "seed of all randomness");
  command->add_option("--set", options->set, "override a key of the experiment: --set protocol.c=3")
      ->type_name("KEY=VALUE");
  command->add_option("--out", options->request.out, "output directory (default: runs/recommend-DIGEST)")
      ->type_name("DIR");
  command->add_flag("--all", options->all, "show also settings that others beat");
  command->add_flag(
      "--confirm", options->confirm,
      "train and attack the recommended setting again, with other rows and 30 searches of 1,500 "
      "iterations or more");
  add_common_options(*command, options->request.common);
  command->callback([options] { recommend_protection(*options); });
}

}  // namespace earshot::cli
