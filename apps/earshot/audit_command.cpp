#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/graph/spectrum.hpp"
#include "graph_argument.hpp"
#include "plan_run.hpp"

namespace earshot::cli {
namespace {

struct AuditOptions {
  std::string graph = "florentine";
  std::vector<std::string> parameters;
  std::string weights = "max-degree";
  std::vector<std::string> attackers;
  std::string data = "mnist";
  std::size_t rounds = 1000;
  std::optional<std::size_t> window;
  double learning_rate = 1e-4;
  double epsilon = 8;
  double delta = 1e-5;
  double clip = 1;
  std::uint64_t seed = 1;
  PlanRun request;
};

std::string toml_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(toml_text(text));
  return "[" + join(quoted, ", ") + "]";
}

/// Two rounds more than news takes to cross the network: enough for most attackers to identify everybody, and
/// short enough for gradients to be nearly constant, which the attack assumes.
std::size_t recorded_window(const AuditOptions& options) {
  if (options.window) return *options.window;
  const Stage stage =
      build_network({options.graph, options.parameters, options.weights, {}, 0, options.seed});
  return diameter(stage.graph()).value_or(0) + 2;
}

/// The audit is an ordinary experiment: train without and with noise, and let every node (or the named ones)
/// attack.
std::string audit_plan(const AuditOptions& options) {
  const std::string adversary = options.attackers.empty()
                                    ? "kind = \"each\"\n"
                                    : "kind = \"coalition\"\nnodes = " + toml_texts(options.attackers) + "\n";
  return fmt::format(R"(name = "audit"
title = "What each participant can reconstruct, without and with noise"
reference = "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning"
seed = {}
[graph]
{}[weights]
{}[data]
kind = {}
[model]
kind = "softmax_regression"
[protocol]
kind = "dgd"
rounds = {}
learning_rate = {}
[adversary]
{}[attack]
kind = "dgd_reconstruction"
window = {}
[sweep]
protection = [ {{ "mechanism.kind" = "none" }}, {{ "mechanism.kind" = "gaussian", "mechanism.epsilon" = {}, "mechanism.delta" = {}, "mechanism.clip" = {} }} ]
[[curve]]
title = "Quality of the reconstruction by distance from the attacker"
table = "victims"
x = "distance"
y = ["psnr", "relative_error"]
split = "mechanism.kind"
)",
                     options.seed, graph_section(options.graph, options.parameters),
                     weights_section(options.weights), toml_text(options.data), options.rounds,
                     toml_real(options.learning_rate), adversary, recorded_window(options),
                     toml_real(options.epsilon), toml_real(options.delta), toml_real(options.clip));
}

std::string reproducing_command(const AuditOptions& options) {
  const AuditOptions standard;
  std::string command = "earshot audit";
  const auto add = [&](const char* flag, const auto& value, const auto& usual) {
    if (value != usual) command += fmt::format(" {} {}", flag, value);
  };
  add("--graph", options.graph, standard.graph);
  for (const std::string& parameter : options.parameters) command += " --param " + parameter;
  add("--weights", options.weights, standard.weights);
  for (const std::string& attacker : options.attackers) command += " --attacker " + attacker;
  add("--data", options.data, standard.data);
  add("--rounds", options.rounds, standard.rounds);
  if (options.window) command += fmt::format(" --window {}", *options.window);
  add("--learning-rate", options.learning_rate, standard.learning_rate);
  add("--epsilon", options.epsilon, standard.epsilon);
  add("--delta", options.delta, standard.delta);
  add("--clip", options.clip, standard.clip);
  add("--seed", options.seed, standard.seed);
  return command;
}

void audit(AuditOptions& options) {
  options.request.text = audit_plan(options);
  options.request.origin = "audit";
  options.request.command = reproducing_command(options);
  run_plan(options.request);
}

}  // namespace

void add_audit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "audit", "Train on a network, overhear it, reconstruct: who leaks to whom, without and with noise");
  auto options = std::make_shared<AuditOptions>();
  command->add_option("--graph", options->graph, "topology by name, or an edge list file")
      ->type_name("NAME|FILE");
  command->add_option("--param", options->parameters, "parameter of the topology: --param nodes=30")
      ->type_name("KEY=VALUE");
  command->add_option("--weights", options->weights, "gossip weights by name, or a weights file")
      ->type_name("NAME|FILE");
  command
      ->add_option("--attacker", options->attackers,
                   "attacking node; several collude (default: each node alone)")
      ->type_name("ID");
  command->add_option("--data", options->data, "dataset: one image per node")->type_name("NAME");
  command->add_option("--rounds", options->rounds, "training rounds");
  command->add_option("--window", options->window,
                      "rounds the attackers record from the start, 0: all (default: diameter + 2)");
  command->add_option("--learning-rate", options->learning_rate, "step size");
  command->add_option("--epsilon", options->epsilon,
                      "privacy budget of the protected run, for all its rounds");
  command->add_option("--delta", options->delta, "delta of the protected run");
  command->add_option("--clip", options->clip, "gradient clipping norm of the protected run");
  command->add_option("--seed", options->seed, "seed of all randomness");
  command->add_option("--out", options->request.out, "output directory (default: runs/audit-DIGEST)")
      ->type_name("DIR");
  add_common_options(*command, options->request.common);
  command->callback([options] { audit(*options); });
}

}  // namespace earshot::cli
