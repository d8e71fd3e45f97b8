#include "earshot/pipeline/table_attack.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "earshot/attack/inversion/label_inference.hpp"
#include "earshot/attack/leak/leaks.hpp"
#include "earshot/attack/leak/recipes.hpp"
#include "earshot/attack/tabular/label_guess.hpp"
#include "earshot/attack/tabular/tableak.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/table_attack_tables.hpp"
#include "earshot/pipeline/topology_epsilon.hpp"

namespace earshot {
namespace {

constexpr const char* kTabLeak = "tableak";
/// Of the attack's streams the one that guesses without listening; searches have small numbers.
constexpr std::uint64_t kGuesses = std::numeric_limits<std::uint64_t>::max();

/// One step, attacked; the reconstruction is absent where no search met a finite value or no label was found.
struct Outcome {
  std::optional<TabLeak> found;
  std::string why;
};

class TableAttack {
 public:
  TableAttack(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
              const TrainingData& data)
      : cell_(cell),
        settings_(settings_for(find_attack_recipe(kTabLeak)->schema, cell.at("attack"))),
        address_(address),
        trial_(trial),
        log_(log),
        data_(data),
        model_(trial.task().model()),
        judge_(data),
        network_(trial.listeners()->network()),
        tables_(judge_, network_, settings_.size("rows_shown")) {}

  void attack(const View& view) {
    const std::vector<Leak> leaks = chosen_leaks(view);
    std::vector<Outcome> outcomes(leaks.size());
    parallel_for(leaks.size(), [&](std::size_t i) { outcomes[i] = attack_one(leaks[i], i); });
    report(adversary_name(network_, view.adversary()), leaks, outcomes);
  }

  Json tables() const { return tables_.json(); }

 private:
  /// Of so many victims; a step on no record shows nothing.
  std::vector<Leak> chosen_leaks(const View& view) const {
    std::vector<Leak> leaks = find_leaks(view, model_.parameter_count(), settings_);
    std::ranges::stable_sort(leaks, {}, &Leak::victim);
    const std::size_t most = settings_.size("victims");
    std::set<NodeId> chosen;
    std::erase_if(leaks, [&](const Leak& leak) {
      if (used(leak).records.empty()) return true;
      if (most == 0 || chosen.size() < most) chosen.insert(leak.victim);
      return !chosen.contains(leak.victim);
    });
    return leaks;
  }

  /// Every attacked step has streams of its own.
  std::uint64_t trial_of(std::size_t index) const { return (address_.trial << 32U) + index; }

  StepLog::Used used(const Leak& leak) const {
    return log_.used(trial_.protocol(), leak.victim, leak.round, leak.rounds);
  }

  std::vector<double> true_targets(const Leak& leak) const {
    ExampleMemory memory;
    const auto problem = data_.examples->gather(used(leak).records, model_.output_size(), 0, memory);
    return {problem.targets.begin(), problem.targets.end()};
  }

  std::optional<std::vector<double>> inferred_targets(const Leak& leak) const {
    return guessed_targets(std::get<Architecture>(trial_.network()), model_, data_.table->encoder,
                           leak.observation, address_.seed);
  }

  /// Everything the attack is told: of the truth, labels if the settings hand them over.
  std::optional<TabLeakOptions> options_for(const Leak& leak, std::size_t index) const {
    TabLeakOptions options;
    options.members = settings_.size("members");
    options.descent.iterations = settings_.size("iterations");
    options.descent.rate = settings_.real("rate");
    options.relaxation =
        settings_.text("relaxation") == "softmax" ? CodeRelaxation::kSoftmax : CodeRelaxation::kPlaces;
    options.seed = address_.seed;
    options.trial = trial_of(index);
    const bool known = settings_.text("labels") == "known";
    const auto targets = known ? true_targets(leak) : inferred_targets(leak);
    if (!targets) return {};
    options.targets = *targets;
    return options;
  }

  Outcome attack_one(const Leak& leak, std::size_t index) const {
    const auto options = options_for(leak, index);
    if (!options) return {{}, "the gradient shows no labels"};
    try {
      return {tableak(model_, data_.table->encoder, leak.observation, *options,
                      [](const SearchStep&) { stop_if_interrupted(); }),
              ""};
    } catch (const Error& error) {
      if (error.fault() != Fault::kData && error.fault() != Fault::kNumeric) throw;
      return {{}, error.what()};
    }
  }

  void report(const std::string& attacker, const std::vector<Leak>& leaks,
              const std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < leaks.size(); ++i) {
      const SpentBy spent = spent_by(leaks[i]);
      if (!outcomes[i].found) {
        tables_.add_failure(attacker, leaks[i], spent, outcomes[i].why);
        continue;
      }
      const auto truth = judge_.rows(used(leaks[i]).records);
      Stream stream({address_.seed, Purpose::kAttack, trial_of(i), kGuesses});
      const auto cells =
          judge_.judge(truth, outcomes[i].found->pooled, settings_.size("baseline_draws"), stream);
      tables_.add_attack(attacker, leaks[i], spent, *outcomes[i].found,
                         judge_.informed_accuracy(truth, outcomes[i].found->pooled), cells);
      if (address_.trial == 0) tables_.show(attacker, leaks[i], cells);
    }
    tables_.sum_up(attacker);
  }

  SpentBy spent_by(const Leak& leak) const {
    return {log_.spent(leak.round, leak.victim),
            topology_epsilon(cell_, trial_.protocol(), model_.parameter_count(), leak.round)};
  }

  const Cell& cell_;
  Settings settings_;
  TrialAddress address_;
  TrainTrial& trial_;
  const StepLog& log_;
  const TrainingData& data_;
  const Model& model_;
  TableJudge judge_;
  const Graph& network_;
  TableAttackTables tables_;
};

}  // namespace

bool attacks_tables(const Cell& cell) {
  const Choice* attack = cell.find("attack");
  return attack != nullptr && attack->kind == kTabLeak;
}

Json attack_table(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                  const TrainingData& data) {
  TableAttack attack(cell, address, trial, log, data);
  for (const View& view : trial.views()) attack.attack(view);
  return {{"tables", attack.tables()}};
}

TableColumns table_attack_columns() {
  return TableAttackTables::columns();
}

void check_table_attack(const Cell& cell, const TrainingData& data, const Architecture* network,
                        const Complain& complain) {
  if (!data.table)
    complain("attack.kind", "TabLeak reconstructs rows of tables, and this dataset is none",
             "use a table such as \"adult\", or another attack");
  if (cell.at("attack").settings.text("labels") != "inferred") return;
  const bool shows = network != nullptr && data.examples->targets().classes >= 2 && shows_labels(*network);
  if (!shows)
    complain("attack.labels", "labels are counted from a last dense layer over classes",
             "use \"known\", or a network that ends in a dense layer with one output per class");
}

}  // namespace earshot
