#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "earshot/experiment/recommendation.hpp"
#include "earshot/report/table.hpp"
#include "earshot/report/wording.hpp"
#include "plan_run.hpp"
#include "recommend_plan.hpp"

namespace earshot::cli {
namespace {

struct RecommendOptions {
  RecommendPlan plan;
  double tolerated = 0;
  double confidence = 0.95;
  std::string leakage = "accuracy";
  bool all = false;  // also options that others beat
  std::vector<std::string> set;
  PlanRun request;
};

Tolerance tolerance_of(const RecommendOptions& options) {
  return {"table_attacks", options.leakage, options.tolerated, options.confidence};
}

template <class Value>
std::string commas(const std::vector<Value>& values) {
  return fmt::format("{}", fmt::join(values, ","));
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
  add("--victims", plan.victims, usual.victims);
  add("--members", plan.members, usual.members);
  add("--iterations", plan.iterations, usual.iterations);
  add("--trials", plan.trials, usual.trials);
  add("--seed", plan.seed, usual.seed);
  for (const std::string& setting : options.set) command += fmt::format(" --set '{}'", setting);
  return command;
}

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "unknown";
}

/// "fedsgd, one_hot, sigma 0.1, batch 16", or what else was swept.
std::string name_of(const ProtectionOption& option) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : option.settings.items()) {
    if (key == "protocol.learning_rate") continue;
    const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
    const bool says_itself = key == "protocol.kind" || key == "data.encoding";
    parts.push_back(says_itself ? word : fmt::format("{} {}", key.substr(key.rfind('.') + 1), word));
  }
  return parts.empty() ? "this setting" : join(parts, ", ");
}

void add_option_row(const ProtectionOption& option, bool best, TextTable& table) {
  table.add_row({{best              ? "→"
                  : option.on_front ? "·"
                                    : ""},
                 {name_of(option), best ? Paint::kBold : Paint::kNone},
                 {share_text(option.leakage), option.tolerated ? Paint::kGreen : Paint::kRed},
                 {"≤ " + share_text(option.leakage_bound)},
                 {share_text(option.accuracy)},
                 {number_text(option.epsilon, 3)},
                 {number_text(option.latency, 4)}});
}

std::string table_of(const Recommendation& found, bool all) {
  TextTable table;
  table.add_column("", TextTable::Kind::kWords);
  table.add_column("setting", TextTable::Kind::kWords);
  for (const char* title : {"leakage", "at most", "accuracy", "epsilon", "latency"})
    table.add_column(title, TextTable::Kind::kNumbers);
  for (std::size_t i = 0; i < found.options.size(); ++i) {
    const ProtectionOption& option = found.options[i];
    if (all || option.on_front || found.best == i) add_option_row(option, found.best == i, table);
  }
  const TerminalStyle style = terminal_style();
  return table.render(style.width, style.colour);
}

std::string answer_of(const Recommendation& found, const RecommendOptions& options) {
  const char* what =
      options.leakage == "accuracy" ? "cells read back" : "cells read back above what guessing gets";
  if (!found.best)
    return fmt::format(
        "None of {} settings keeps {} at or below {} with confidence {}; try more noise, larger "
        "batches or more --victims, which narrow the bound.",
        found.options.size(), what, share_text(options.tolerated), options.confidence);
  const ProtectionOption& best = found.options[*found.best];
  return fmt::format("Use {}: accuracy {}, {} {} (at most {} with confidence {}), epsilon {} at most.",
                     name_of(best), share_text(best.accuracy), what, share_text(best.leakage),
                     share_text(best.leakage_bound), options.confidence, number_text(best.epsilon, 3));
}

void print_answer(const Recommendation& found, const RecommendOptions& options) {
  const std::size_t width = terminal_style().width;
  fmt::print("{}\n\n", wrap(answer_of(found, options), width));
  fmt::print("{}", table_of(found, options.all));
  fmt::print("{}\n",
             wrap("→ recommended; · no other setting is at least as good in leakage, accuracy, epsilon and "
                  "latency and better in one. Epsilon is against whoever hears all that a node sends.",
                  width));
  if (found.left_out > 0) fmt::print("{} settings gave no numbers and were left out.\n", found.left_out);
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
  const Json document = recommendation_json(found, tolerance);
  write_atomically(results.directory / "recommendation.json", document.dump(1) + "\n");
  if (request.common.json)
    print_json(document);
  else
    print_answer(found, options);
  note(results.summary);
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
                   "what is tolerated: accuracy, or gain above what guessing gets")
      ->check(CLI::IsMember({"accuracy", "gain"}));
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
  command->add_option("--victims", plan.victims, "nodes attacked, in the last round");
  command->add_option("--members", plan.members, "searches in the attacker's ensemble");
  command->add_option("--iterations", plan.iterations, "of every search");
  command->add_option("--trials", plan.trials, "trainings of every setting");
  command->add_option("--seed", plan.seed, "seed of all randomness");
  command->add_option("--set", options->set, "override a key of the experiment: --set protocol.c=3")
      ->type_name("KEY=VALUE");
  command->add_option("--out", options->request.out, "output directory (default: runs/recommend-DIGEST)")
      ->type_name("DIR");
  command->add_flag("--all", options->all, "show also settings that others beat");
  add_common_options(*command, options->request.common);
  command->callback([options] { recommend_protection(*options); });
}

}  // namespace earshot::cli
