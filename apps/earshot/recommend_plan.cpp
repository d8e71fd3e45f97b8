#include "recommend_plan.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "graph_argument.hpp"

namespace earshot::cli {
namespace {

/// Of a server's average, of a travelling model (its steps shrink), of every node between two averagings.
double learning_rate(const std::string& topology) {
  return topology == "skip_ring" ? 0.1 : 0.3;
}

std::string data_section(const RecommendPlan& plan) {
  if (!std::filesystem::is_regular_file(plan.data)) return fmt::format("kind = {}\n", toml_text(plan.data));
  return fmt::format("kind = \"csv\"\npath = {}\nschema = {}\n", toml_text(plan.data),
                     toml_text(plan.schema));
}

std::string model_section(const RecommendPlan& plan) {
  std::string text = fmt::format("kind = {}\n", toml_text(plan.model));
  if (plan.model == "mlp") text += fmt::format("hidden = {}\n", toml_text(plan.hidden));
  return text;
}

std::string topology_axis(const RecommendPlan& plan) {
  std::vector<std::string> points;
  for (const std::string& topology : plan.topologies)
    points.push_back(fmt::format(R"({{ "protocol.kind" = {}, "protocol.learning_rate" = {} }})",
                                 toml_text(topology), toml_real(learning_rate(topology))));
  return "[" + join(points, ", ") + "]";
}

template <class Value, class Text>
std::string list(const std::vector<Value>& values, const Text& text) {
  std::vector<std::string> parts;
  for (const Value& value : values) parts.push_back(text(value));
  return "[" + join(parts, ", ") + "]";
}

/// Everything but the sweep.
std::string fixed_text(const RecommendPlan& plan) {
  return fmt::format(
      R"(name = "recommend"
title = "Protections compared: what is read back of rows, and what is learnt"
reference = "Vero et al. 2023, TabLeak; Ski 2026"
seed = {}
trials = {}
[data]
{}[partition]
kind = "iid"
nodes = {}
[model]
{}[protocol]
rounds = {}
draw = "fixed"
precision = "float32"
latency = "exponential"
evaluate_every = {}
[mechanism]
kind = "gaussian"
clip = 1.0
delta = 1e-6
[adversary]
kind = "eavesdropper"
[attack]
kind = "tableak"
rounds = {}
victims = {}
members = {}
iterations = {}
)",
      plan.seed, plan.trials, data_section(plan), plan.nodes, model_section(plan), plan.rounds, plan.rounds,
      toml_text(plan.attack_rounds), plan.victims, plan.members, plan.iterations);
}

std::size_t setting_of(const Json& results, const Json& option_settings, const std::string& key) {
  const Json& attack = results.at("experiment").at("plan").at("attack");
  const std::string swept = "attack." + key;
  return (option_settings.contains(swept) ? option_settings.at(swept) : attack.at(key)).get<std::size_t>();
}

template <class Value>
void narrow(std::vector<Value>& values, const Json& option_settings, const char* key) {
  if (option_settings.contains(key)) values = {option_settings.at(key).get<Value>()};
}

}  // namespace

std::string recommend_text(const RecommendPlan& plan) {
  return fmt::format(
      R"({}[sweep]
topology = {}
"data.encoding" = {}
"mechanism.sigma" = {}
"protocol.batch" = {}
)",
      fixed_text(plan), topology_axis(plan), list(plan.encodings, toml_text), list(plan.sigmas, toml_real),
      list(plan.batches, [](std::uint64_t n) { return std::to_string(n); }));
}

AttackStrength strength_of(const Json& results, const Json& option_settings) {
  return {setting_of(results, option_settings, "members"),
          setting_of(results, option_settings, "iterations")};
}

AttackStrength at_least_full(AttackStrength strength) {
  return {std::max(strength.members, kFullStrength.members),
          std::max(strength.iterations, kFullStrength.iterations)};
}

ConfirmPlan confirm_plan(const RecommendPlan& searched, const std::vector<Override>& overrides,
                         const Json& option_settings, std::uint64_t seed, AttackStrength strength) {
  ConfirmPlan plan{fixed_text(searched), {}};
  for (const Override& change : overrides) {
    if (!change.key.starts_with("sweep.")) plan.overrides.push_back(change);
  }
  for (const auto& [key, value] : option_settings.items()) plan.overrides.push_back({key, value});
  plan.overrides.push_back({"seed", seed});
  plan.overrides.push_back({"attack.members", strength.members});
  plan.overrides.push_back({"attack.iterations", strength.iterations});
  plan.overrides.push_back({"title", "The recommended protection, attacked again"});
  return plan;
}

RecommendPlan narrowed(RecommendPlan plan, const Json& option_settings) {
  narrow(plan.topologies, option_settings, "protocol.kind");
  narrow(plan.encodings, option_settings, "data.encoding");
  narrow(plan.sigmas, option_settings, "mechanism.sigma");
  narrow(plan.batches, option_settings, "protocol.batch");
  return plan;
}

}  // namespace earshot::cli
