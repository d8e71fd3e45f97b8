#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "earshot/collect/components.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/pipeline/attack_report.hpp"
#include "earshot/pipeline/collect_trial.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/dgd_trial.hpp"
#include "earshot/pipeline/pipeline.hpp"
#include "earshot/pipeline/place_trial.hpp"
#include "earshot/pipeline/section_key.hpp"
#include "earshot/pipeline/theory_trial.hpp"
#include "earshot/pipeline/train_preflight.hpp"
#include "earshot/pipeline/train_trial.hpp"

namespace earshot {
namespace {

class Checker {
 public:
  Checker(const Plan& plan, const GraphSources& sources, TrainingSets& loaded)
      : plan_(plan), sources_(sources), loaded_(loaded) {}

  std::vector<Problem> run() {
    check_unused_sections(plan_, complain_);
    for (const Cell& cell : plan_.cells) {
      if (sections_fit(cell)) values_fit(cell);
    }
    if (problems_.empty()) {
      for (Problem& problem : check_tables(plan_, table_columns(plan_)))
        problems_.push_back(std::move(problem));
    }
    return std::move(problems_);
  }

 private:
  /// The same problem in many cells of a sweep is said once.
  void add(const std::string& key, const std::string& why, const std::string& fix) {
    if (said_.insert(key + why).second) problems_.push_back({plan_.locate(key), why, fix});
  }

  bool need(const Cell& cell, const std::string& role, const std::string& because) {
    if (cell.find(role) != nullptr) return true;
    add(role, fmt::format("section [{}] is missing: {}", role, because),
        fmt::format("add [{}] with a kind; `earshot list {}` shows the choices", role, role));
    return false;
  }

  bool refuse(const std::string& key, const std::string& why, const std::string& fix) {
    add(key, why, fix);
    return false;
  }

  bool sections_fit(const Cell& cell) {
    if (cell.find("protocol") != nullptr) {
      if (trains(cell)) return training_sections_fit(cell, complain_);
      if (!has_no_training_settings(cell, complain_)) return false;
    }
    if (collects(cell)) return collect_sections_fit(cell);
    if (collects_places(cell)) return place_sections_fit(cell);
    if (checks_theory(cell)) return theory_sections_fit(cell);
    bool fits = true;
    for (const char* role : {"graph", "weights", "protocol", "adversary"}) {
      fits = need(cell, role, "every experiment needs one") && fits;
    }
    if (!fits) return false;
    const std::string& mechanism = cell.at("mechanism").kind;
    if (mechanism == "latent_laplace" || mechanism == "blahut_arimoto")
      return refuse(
          "mechanism.kind",
          fmt::format("mechanism \"{}\" is for protocols that collect records or places", mechanism),
          "use \"gaussian\" or \"none\"");
    if (cell.find("data") != nullptr && (is_table(cell.at("data").kind) || cell.at("data").kind == "gowalla"))
      return refuse("data.kind", "this protocol runs on images, not on tables or places",
                    "use \"mnist\" or \"cifar10\"");
    return cell.at("protocol").kind == "dgd" ? dgd_sections_fit(cell) : gossip_sections_fit(cell);
  }

  /// The protocol has no use for sections of these roles.
  bool has_none(const Cell& cell, std::initializer_list<const char*> roles) {
    for (const char* role : roles) {
      if (cell.find(role) != nullptr)
        return refuse(role,
                      fmt::format("protocol \"{}\" has no use for [{}]", cell.at("protocol").kind, role),
                      fmt::format("remove [{}]", role));
    }
    return true;
  }

  bool theory_sections_fit(const Cell& cell) {
    if (!has_none(cell, {"graph", "weights", "data", "model", "adversary", "attack"})) return false;
    if (cell.at("mechanism").kind != "none")
      return refuse("mechanism.kind", "the theorems are about gradients without noise", "use \"none\"");
    return true;
  }

  bool place_sections_fit(const Cell& cell) {
    const std::string& protocol = cell.at("protocol").kind;
    if (!has_none(cell, {"graph", "weights", "model", "adversary", "attack"})) return false;
    if (!need(cell, "data", "check-ins to collect")) return false;
    if (cell.at("data").kind != "gowalla")
      return refuse("data.kind", fmt::format("protocol \"{}\" collects places", protocol), "use \"gowalla\"");
    if (cell.at("mechanism").kind != "blahut_arimoto")
      return refuse("mechanism.kind", fmt::format("protocol \"{}\" makes its mechanism from beta", protocol),
                    "use \"blahut_arimoto\"");
    return true;
  }

  void check_places(const Cell& cell) {
    attempt("data", [&] {
      const std::string key = section_key(cell.at("data"));
      auto found = places_.find(key);
      if (found == places_.end())
        found = places_.emplace(key, load_places(cell.at("data"), sources_.data_directory)).first;
      attempt("protocol", [&] { check_place_cell(cell, found->second); });
    });
  }

  bool collect_sections_fit(const Cell& cell) {
    const std::string& protocol = cell.at("protocol").kind;
    if (!has_none(cell, {"graph", "weights", "model", "adversary", "attack"})) return false;
    if (!need(cell, "data", "records to collect")) return false;
    const Choice& data = cell.at("data");
    if (!is_table(data.kind))
      return refuse("data.kind", fmt::format("protocol \"{}\" collects rows of a table", protocol),
                    "use household_power, real_estate or wdbc");
    if (protocol == "task_adaptive_ldp" && data.kind == "household_power")
      return refuse("protocol.kind", "household_power has no target a task network could learn",
                    "use \"closed_form_ldp\"");
    const Choice& mechanism = cell.at("mechanism");
    if (mechanism.kind != "latent_laplace")
      return refuse("mechanism.kind", fmt::format("protocol \"{}\" adds noise to encoded records", protocol),
                    "use \"latent_laplace\"");
    if (mechanism.settings.text("sensitivity") == "measured" && mechanism.settings.real("coverage") != 1)
      return refuse("mechanism.coverage", "a measured sensitivity has no domain to cover",
                    "remove it, or set sensitivity to \"box\" or \"l1_ball\"");
    return true;
  }

  /// The table can be read and split, and has enough attributes.
  void check_collection(const Cell& cell) {
    attempt("data", [&] {
      const CollectionData data = load_collection(cell.at("data"), sources_.data_directory);
      const std::size_t latent = cell.at("protocol").settings.size("latent");
      if (latent > data.attributes.size())
        add("protocol.latent",
            fmt::format("{} numbers per record are more than its {} attributes", latent,
                        data.attributes.size()),
            fmt::format("use at most {}", data.attributes.size()));
      const Settings& settings = cell.at("data").settings;
      if (settings.has("first_hour") && settings.size("first_hour") > settings.size("last_hour"))
        add("data.first_hour", "the first hour is after the last", "swap first_hour and last_hour");
    });
  }

  bool attack_fits(const Cell& cell, const std::string& wanted) {
    if (cell.at("attack").kind == wanted) return true;
    add("attack.kind",
        fmt::format("attack \"{}\" cannot read the messages of protocol \"{}\"", cell.at("attack").kind,
                    cell.at("protocol").kind),
        fmt::format("use \"{}\"", wanted));
    return false;
  }

  bool dgd_sections_fit(const Cell& cell) {
    const bool data = need(cell, "data", "protocol \"dgd\" trains on it");
    const bool model = need(cell, "model", "protocol \"dgd\" trains it");
    const bool attack = need(cell, "attack", "the training is overheard to be attacked");
    if (!data || !model || !attack || !attack_fits(cell, "dgd_reconstruction")) return false;
    if (cell.at("model").kind != "softmax_regression")
      return refuse(
          "model.kind",
          "attack \"dgd_reconstruction\" turns gradients into images by softmax regression's closed form",
          "use \"softmax_regression\"");
    return true;
  }

  bool gossip_sections_fit(const Cell& cell) {
    if (cell.find("model") != nullptr) {
      add("model", "protocol \"gossip\" averages values and trains no model",
          "remove [model] or use protocol \"dgd\"");
      return false;
    }
    if (cell.find("data") == nullptr && cell.find("attack") == nullptr) return true;
    if (!need(cell, "data", "an attack needs values to recover") ||
        !need(cell, "attack", "private values are at stake")) {
      return false;
    }
    if (cell.at("protocol").settings.size("rounds") == 0) {
      add("protocol.rounds", "gossip on data needs a number of rounds", "set rounds to 1 or more");
      return false;
    }
    return attack_fits(cell, "gossip_reconstruction");
  }

  /// What can only be known by building it: graph, attackers, noise, data, memory.
  void values_fit(const Cell& cell) {
    if (trains(cell)) return check_training(cell, plan_.seed, sources_, loaded_, complain_);
    if (collects(cell)) return check_collection(cell);
    if (collects_places(cell)) return check_places(cell);
    if (checks_theory(cell)) return;
    attempt("mechanism", [&] { build_mechanism(cell); });
    const Choice* data = cell.find("data");
    if (data != nullptr) attempt("data", [&] { check_data(*data); });
    attempt("graph", [&] {
      const Stage stage = build_stage(cell, {plan_.seed, 0}, sources_);
      const std::size_t parts = connected_components(stage.graph()).size();
      if (parts > 1) {
        add("graph", fmt::format("the graph falls into {} parts that never hear of each other", parts),
            "condition it on being connected, or take its largest component");
      }
      if (data != nullptr && shapes_.contains(section_key(*data))) check_memory(cell, stage);
    });
  }

  template <class Body>
  void attempt(const std::string& role, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      if (error.fault() == Fault::kInternal) throw;
      add(role, error.what(), "");
    }
  }

  static void build_mechanism(const Cell& cell) {
    const Choice& choice = cell.at("mechanism");
    const bool once = cell.at("protocol").kind == "gossip";
    mechanism_component(choice.kind)
        .make(choice.settings, once ? 1 : cell.at("protocol").settings.size("rounds"));
  }

  void check_data(const Choice& choice) {
    if (shapes_.contains(section_key(choice))) return;
    const ImageDataset dataset =
        dataset_component(choice.kind).load(choice.settings, sources_.data_directory);
    shapes_[section_key(choice)] = {dataset.shape, dataset.classes};
  }

  /// Numbers in one message.
  double message_size(const Cell& cell) {
    const auto& [shape, classes] = shapes_.at(section_key(cell.at("data")));
    const Choice* model = cell.find("model");
    if (model == nullptr) return static_cast<double>(shape.size());
    return static_cast<double>(
        parameter_count(model_component(model->kind).make(model->settings, shape, classes)));
  }

  void check_memory(const Cell& cell, const Stage& stage) {
    const double numbers = message_size(cell);
    const double nodes = static_cast<double>(stage.graph().node_count());
    std::set<NodeId> recorded;
    std::size_t most_heard = 0;
    for (const Adversary& adversary : stage.adversaries) {
      const auto heard = heard_nodes(stage.graph(), adversary);
      recorded.insert(heard.begin(), heard.end());
      recorded.insert(adversary.colluding.begin(), adversary.colluding.end());
      most_heard = std::max(most_heard, heard.size() + adversary.colluding.size());
    }
    const double rounds = static_cast<double>(recorded_rounds(cell));
    // Every node holds parameters, half step, gradient and outbox; every recorded sender one message a round;
    // every thread a copy of one attacker's messages, cleaned, and four matrices with a row per target.
    const double messages =
        4 * nodes + static_cast<double>(recorded.size()) * rounds +
        static_cast<double>(thread_count()) * (2 * static_cast<double>(most_heard) * rounds + 4 * nodes);
    const double bytes = 8 * numbers * messages;
    const double physical =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    if (bytes > 0.8 * physical) {
      add("protocol.rounds",
          fmt::format("the run would need about {:.1f} GiB, the machine has {:.1f}", bytes / 0x1p30,
                      physical / 0x1p30),
          "record fewer rounds (attack.window) or use fewer nodes");
    }
  }

  const Plan& plan_;
  const GraphSources& sources_;
  TrainingSets& loaded_;
  Complain complain_ = [this](const std::string& key, const std::string& why, const std::string& fix) {
    add(key, why, fix);
  };
  std::vector<Problem> problems_;
  std::set<std::string> said_;
  std::map<std::string, PlaceData> places_;                      // by data section
  std::map<std::string, std::pair<Shape, std::size_t>> shapes_;  // of an image, and classes, by data section
};

}  // namespace

std::vector<Problem> preflight(const Plan& plan, const GraphSources& sources, TrainingSets* loaded) {
  TrainingSets unused;
  return Checker(plan, sources, loaded == nullptr ? unused : *loaded).run();
}

TableColumns table_columns(const Plan& plan) {
  TableColumns columns;
  for (const Cell& cell : plan.cells) {
    if (collects(cell) || trains(cell)) {
      columns.merge(trains(cell) ? train_columns(cell) : collect_columns(cell));
      continue;
    }
    if (collects_places(cell)) {
      columns.merge(place_columns(cell));
      continue;
    }
    if (checks_theory(cell)) {
      columns.merge(theory_columns());
      continue;
    }
    const bool attacked = cell.find("data") != nullptr;
    columns["attackers"] = attacker_columns(attacked || columns.contains("victims"));
    if (attacked) columns["victims"] = AttackReport::columns();
    if (cell.at("protocol").kind == "dgd") columns["training"] = training_columns();
  }
  for (auto& [name, list] : columns) list.insert(list.begin(), "trial");
  return columns;
}

}  // namespace earshot
