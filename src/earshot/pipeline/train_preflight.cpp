#include "earshot/pipeline/train_preflight.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/section_key.hpp"
#include "earshot/pipeline/table_attack.hpp"
#include "earshot/pipeline/train_trial.hpp"
#include "earshot/pipeline/training_attack.hpp"
#include "earshot/pipeline/training_memory.hpp"
#include "earshot/training/protection_components.hpp"

namespace earshot {
namespace {

bool need(const Cell& cell, const std::string& role, const std::string& because, const Complain& complain) {
  if (cell.find(role) != nullptr) return true;
  complain(role, fmt::format("section [{}] is missing: {}", role, because),
           fmt::format("add [{}] with a kind; `earshot list {}` shows the choices", role, role));
  return false;
}

std::vector<std::string> protection_names() {
  std::vector<std::string> names;
  for (const ProtectionComponent& component : protection_components()) names.push_back(component.schema.name);
  return names;
}

bool uses(const Cell& cell, const std::string& role) {
  const NetworkNeed needs = training_protocol(cell).needs;
  if (role == "weights") return needs == NetworkNeed::kWeights;
  if (role == "graph") return needs != NetworkNeed::kNone;
  if (role == "adversary") return cell.at("protocol").kind != "central";
  return true;
}

TrainingSize size_of(const Cell& cell, std::size_t parameters, const TrialAddress& address,
                     const GraphSources& sources) {
  if (cell.at("protocol").kind == "central") return {1, 0, parameters};
  const Choice* choice = cell.find("graph");
  if (choice == nullptr) return {learning_nodes(cell, nullptr), 0, parameters};
  Stream stream(address.stream(Purpose::kGraph));
  const Graph graph = graph_component(choice->kind).make(choice->settings, stream, sources);
  return {learning_nodes(cell, &graph), graph.edge_count(), parameters};
}

/// Says so if so much does not fit.
bool fits_into_memory(double bytes, const std::string& key, const std::string& what, const std::string& fix,
                      const Complain& complain) {
  if (bytes <= 0.8 * physical_memory()) return true;
  complain(key,
           fmt::format("{} would need about {:.1f} GiB, the machine has {:.1f}", what, bytes / 0x1p30,
                       physical_memory() / 0x1p30),
           fix);
  return false;
}

/// Calls the body; what it refuses becomes a problem of that section. False if it refused.
template <class Body>
bool attempt(const std::string& role, const Complain& complain, Body&& body) {
  try {
    body();
    return true;
  } catch (const PlanError& error) {
    for (const Problem& problem : error.problems()) complain(problem.where, problem.why, problem.fix);
  } catch (const Error& error) {
    if (error.fault() == Fault::kInternal) throw;
    complain(role, error.what(), "");
  }
  return false;
}

}  // namespace

bool training_sections_fit(const Cell& cell, const Complain& complain) {
  const std::string& protocol = cell.at("protocol").kind;
  bool fits = true;
  for (const char* role : {"data", "model"}) {
    fits = need(cell, role, fmt::format("protocol \"{}\" trains on it", protocol), complain) && fits;
  }
  for (const char* role : {"graph", "weights"}) {
    if (uses(cell, role))
      fits = need(cell, role, fmt::format("protocol \"{}\" runs on a given network", protocol), complain) &&
             fits;
  }
  if (protocol != "central")
    fits = need(cell, "partition", "the records have to be divided over the nodes", complain) && fits;
  const auto protections = protection_names();
  const std::string& mechanism = cell.at("mechanism").kind;
  if (std::ranges::find(protections, mechanism) == protections.end()) {
    complain("mechanism.kind", fmt::format("mechanism \"{}\" does not protect training", mechanism),
             suggest(mechanism, protections));
    fits = false;
  }
  if (fits && cell.find("attack") != nullptr) fits = attack_sections_fit(cell, complain);
  return fits;
}

void check_training(const Cell& cell, std::uint64_t seed, const GraphSources& sources, TrainingSets& loaded,
                    const Complain& complain) {
  const Choice& data = cell.at("data");
  const std::string key = section_key(data);
  const auto load = [&] {
    if (!loaded.contains(key)) loaded.emplace(key, load_training_section(data, seed, sources));
  };
  if (!attempt("data", complain, load)) return;
  const TrainingData& examples = loaded.at(key);
  const TrialAddress address{seed, 0};
  std::size_t parameters = 0;
  const auto choose = [&] {
    const ChosenModel model = choose_model(cell.at("model"), examples.examples.get(), sources);
    parameters = model.model->parameter_count();
    if (cell.find("attack") == nullptr) return;
    const auto check = attacks_tables(cell) ? check_table_attack : check_attack;
    check(cell, examples, model.architecture(), complain);
  };
  if (!attempt("model", complain, choose)) return;
  double bytes = 0;
  const auto measure = [&] { bytes = held_bytes(cell, size_of(cell, parameters, address, sources)); };
  if (!attempt("graph", complain, measure)) return;
  const std::string place = cell.find("graph") == nullptr ? "model" : "graph";
  if (!fits_into_memory(bytes, place, "the run", "use fewer nodes or a smaller model", complain)) return;
  attempt("protocol", complain, [&] {
    bytes += TrainTrial(cell, address, examples, sources).recording_bytes();
    fits_into_memory(bytes, "adversary", "the run with what the adversary hears",
                     "record fewer rounds (adversary.from, adversary.rounds), or let it hear fewer nodes",
                     complain);
  });
}

void check_unused_sections(const Plan& plan, const Complain& complain) {
  if (!std::ranges::all_of(plan.cells, trains)) return;
  for (const char* role : {"graph", "weights", "adversary"}) {
    const auto has = [&](const Cell& cell) { return cell.find(role) != nullptr; };
    const auto used = [&](const Cell& cell) { return uses(cell, role); };
    if (std::ranges::any_of(plan.cells, has) && std::ranges::none_of(plan.cells, used))
      complain(role,
               fmt::format("protocol \"{}\" has no use for [{}]", plan.cells[0].at("protocol").kind, role),
               fmt::format("remove [{}]", role));
  }
}

bool has_no_training_settings(const Cell& cell, const Complain& complain) {
  const std::string& protocol = cell.at("protocol").kind;
  bool none = true;
  const auto refuse = [&](const std::string& key, const std::string& why, const std::string& fix) {
    complain(key, why, fix);
    none = false;
  };
  for (const char* role : {"partition", "faults"}) {
    if (cell.find(role) != nullptr)
      refuse(role, fmt::format("protocol \"{}\" does not train here and has no use for [{}]", protocol, role),
             fmt::format("remove [{}]", role));
  }
  for (const char* role : {"data", "model", "mechanism", "protocol", "adversary"}) {
    const Choice* choice = cell.find(role);
    if (choice == nullptr) continue;
    if (catalogue_without_training().find(role, choice->kind) == nullptr) {
      refuse(fmt::format("{}.kind", role),
             fmt::format("{} \"{}\" is for training without an attack", role, choice->kind),
             cell.find("attack") == nullptr ? "choose another" : "remove [attack], or choose another");
      continue;
    }
    for (const std::string& key : training_only_keys(*choice, role))
      refuse(fmt::format("{}.{}", role, key), "this is a setting of training without an attack", "remove it");
  }
  return none;
}

}  // namespace earshot
