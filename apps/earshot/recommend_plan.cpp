#include "recommend_plan.hpp"

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

}  // namespace

std::string recommend_text(const RecommendPlan& plan) {
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
victims = {}
members = {}
iterations = {}
[sweep]
topology = {}
"data.encoding" = {}
"mechanism.sigma" = {}
"protocol.batch" = {}
)",
      plan.seed, plan.trials, data_section(plan), plan.nodes, model_section(plan), plan.rounds, plan.rounds,
      plan.victims, plan.members, plan.iterations, topology_axis(plan), list(plan.encodings, toml_text),
      list(plan.sigmas, toml_real), list(plan.batches, [](std::uint64_t n) { return std::to_string(n); }));
}

}  // namespace earshot::cli
