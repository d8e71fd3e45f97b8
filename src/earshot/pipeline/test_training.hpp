// Small trainings of digits for the tests of trials: plans, their data, and what a run has to show.
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/pipeline.hpp"
#include "earshot/pipeline/train_trial.hpp"

namespace earshot::testing {

inline GraphSources sources() {
  return {data_directory(), "."};
}

struct Wanted {
  std::string protocol;
  std::string mechanism = "kind = \"none\"\n";
  std::string more{};  // of [protocol] and sections after it
  std::size_t rounds = 3;
  std::string model = "kind = \"softmax_regression\"\n";
};

/// Numbers that have no default, beside the rounds.
inline std::string required_settings(const ProtocolComponent& component) {
  std::string text;
  for (const Parameter& parameter : component.schema.parameters) {
    const bool required = !parameter.fallback && !parameter.optional && parameter.key != "rounds";
    if (required) text += fmt::format("{} = 0.1\n", parameter.key);
  }
  return text;
}

inline std::string plan_text(const Wanted& wanted) {
  std::string text = fmt::format(
      "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"digits\"\nlimit = 60\nvalidation_share = 0.1\n"
      "[partition]\nkind = \"iid\"\n{}[model]\n{}",
      find_training_protocol(wanted.protocol)->needs == NetworkNeed::kNone ? "nodes = 5\n" : "",
      wanted.model);
  const NetworkNeed needs = find_training_protocol(wanted.protocol)->needs;
  if (needs != NetworkNeed::kNone) text += "[graph]\nkind = \"ring\"\nnodes = 5\n";
  if (needs == NetworkNeed::kWeights) text += "[weights]\nkind = \"metropolis\"\n";
  return text + fmt::format("[mechanism]\n{}[protocol]\nkind = \"{}\"\nrounds = {}\n{}{}", wanted.mechanism,
                            wanted.protocol, wanted.rounds,
                            required_settings(*find_training_protocol(wanted.protocol)), wanted.more);
}

/// A plan, its data, and trials of its only cell.
struct Setting {
  explicit Setting(const Wanted& wanted)
      : plan(parse_plan(plan_text(wanted), "test.toml", standard_catalogue())),
        data(load_training_section(plan.cells[0].at("data"), plan.seed, sources())) {}
  std::unique_ptr<TrainTrial> trial() const {
    return std::make_unique<TrainTrial>(plan.cells[0], TrialAddress{plan.seed, 0}, data, sources());
  }
  Plan plan;
  TrainingData data;
};

inline void finish(TrainTrial& trial) {
  while (trial.run().end() == RunEnd::kNotYet) trial.run().advance();
}

/// A finished training.
inline std::unique_ptr<TrainTrial> overheard(const Setting& setting) {
  auto trial = setting.trial();
  finish(*trial);
  return trial;
}

/// A training without noise, with [adversary].
inline Wanted listened(const std::string& protocol, const std::string& adversary,
                       const std::string& settings = "", std::size_t rounds = 3) {
  return {protocol, "kind = \"none\"\n", settings + "[adversary]\n" + adversary, rounds};
}

inline std::string sealed(const TrainTrial& trial) {
  StateWriter out;
  trial.save(out);
  return out.sealed();
}

/// Everything a finished run has to show.
inline std::string shown(TrainTrial& trial) {
  finish(trial);
  return sealed(trial) + trial.result(true).dump();
}

inline std::string problems_of(const std::string& text) {
  const Plan plan = parse_plan(text, "test.toml", standard_catalogue());
  std::string all;
  for (const Problem& problem : preflight(plan, sources())) all += to_line(problem) + "\n";
  return all;
}

}  // namespace earshot::testing
