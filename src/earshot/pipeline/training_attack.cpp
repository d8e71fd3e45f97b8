#include "earshot/pipeline/training_attack.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "earshot/attack/inversion/label_inference.hpp"
#include "earshot/attack/leak/leaks.hpp"
#include "earshot/attack/leak/recipes.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/progress.hpp"
#include "earshot/model/torch_engine.hpp"
#include "earshot/pipeline/attack_report.hpp"
#include "earshot/pipeline/public_records.hpp"
#include "earshot/pipeline/reconstruction_scores.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {

void StepLog::note(Protocol& protocol) {
  std::vector<std::uint64_t>& now = steps_.emplace_back();
  for (const Learner* learner : protocol.learners()) now.push_back(learner->steps());
}

StepLog::Used StepLog::used(Protocol& protocol, std::size_t node, std::uint64_t round,
                            std::uint64_t rounds) const {
  const std::uint64_t last = steps_.size() - 1;
  const std::uint64_t first = std::min(round - 1, last);
  Learner& learner = *protocol.learners()[node];
  std::set<std::size_t> records;
  Used out;
  const std::uint64_t end = steps_[std::min(first + rounds, last)][node];
  for (std::uint64_t step = steps_[first][node]; step < end; ++step) {
    const auto [drawn, pass] = learner.records_of_step(step);
    if (records.empty()) out.pass = pass;
    records.insert(drawn.begin(), drawn.end());
  }
  out.records.assign(records.begin(), records.end());
  return out;
}

std::optional<double> StepLog::spent(std::uint64_t round, std::size_t node) const {
  const auto found = spent_.find(round);
  return found == spent_.end() ? std::nullopt : found->second[node];
}

namespace {

std::vector<std::string> victim_columns_of_training() {
  std::vector<std::string> all = {"attacker", "victim", "distance", "round", "record", "route", "leak"};
  std::ranges::move(reconstruction_columns(), std::back_inserter(all));
  for (const char* more :
       {"residual", "matching", "clones", "restarts", "iterations", "evaluations", "seconds"})
    all.emplace_back(more);
  return all;
}

std::vector<std::string> attacker_columns_of_training() {
  return {"attacker",     "targets",   "attacked",   "records", "exact",
          "success_rate", "mean_psnr", "mean_error", "labels",  "seconds"};
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What the attack of one trial has to do with.
class TrainingAttack {
 public:
  TrainingAttack(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                 const TrainingData& data, const GraphSources& sources)
      : settings_(settings_for(find_attack_recipe(cell.at("attack").kind)->schema, cell.at("attack"))),
        options_(attack_options(settings_)),
        address_(address),
        trial_(trial),
        log_(log),
        data_(data),
        model_(trial.task().model()),
        known_(data, model_.output_size()),
        network_(trial.listeners()->network()),
        victims_(victim_columns_of_training()),
        attackers_(attacker_columns_of_training()) {
    options_.inversion.seed = address.seed;
    scoring_.success_psnr = settings_.real("success_psnr");
    scoring_.success_error = settings_.real("success_error");
    scoring_.all_metrics = settings_.boolean("all_metrics");
    if (settings_.has("perceptual")) {
      perceptual_ =
          torch_engine().load_perceptual_distance(sources.working_directory / settings_.text("perceptual"));
      scoring_.perceptual = perceptual_.get();
    }
  }

  AttackedView attack(const View& view) const {
    const Clock::time_point begin = Clock::now();
    std::vector<Leak> leaks =
        find_leaks(view, model_.parameter_count(), settings_, std::get_if<Architecture>(&trial_.network()));
    keep_chosen(leaks);
    AttackedView out;
    out.seconds = seconds_since(begin);
    for (Leak& leak : leaks) out.leaks.push_back({std::move(leak), {}, {}, 0});
    parallel_for(out.leaks.size(), [&](std::size_t i) {
      attack_one(view.told(), truth_of(out.leaks[i].leak), i, out.leaks[i]);
    });
    return out;
  }

  void report(const Adversary& adversary, const AttackedView& attacked, bool with_pictures) {
    const std::string name = adversary_name(network_, adversary);
    const auto distances = distances_from(network_, adversary);
    Tally tally;
    tally.seconds = attacked.seconds;
    for (const AttackedLeak& one : attacked.leaks) {
      tally.seconds += one.seconds;
      const Leak& leak = one.leak;
      const RecordBatch truth = truth_of(leak);
      if (truth.inputs.empty()) continue;  // Poisson sampling drew no record
      const RecordBatch guess =
          one.found ? RecordBatch{one.found->inputs, one.found->targets} : RecordBatch{};
      const auto& search = one.found ? one.found->search : std::nullopt;
      const auto scores = score_reconstruction(
          *data_.examples, known_, truth, guess,
          search ? std::span<const double>(search->start) : std::span<const double>(), scoring_);
      tally.attacked.insert(leak.victim);
      tally.exact += one.found && !search ? 1U : 0U;
      for (std::size_t r = 0; r < scores.size(); ++r) {
        Json row = {name,
                    network_.name(leak.victim),
                    hops(distances[leak.victim]),
                    leak.round,
                    r,
                    one.found ? one.found->route : one.why,
                    leak.what};
        for (const Json& value : scores[r].columns) row.push_back(value);
        add_account(one, row);
        victims_.add(std::move(row));
        count(scores[r], tally);
        if (with_pictures) show(name, leak, truth, guess, r, scores[r]);
      }
    }
    add_attacker(name, adversary, tally);
  }

  Json result() const {
    Json out = {{"tables", {{"victims", victims_.json()}, {"attackers", attackers_.json()}}}};
    if (!truths_.empty()) out["truths"] = truths_;
    if (!gallery_.empty()) out["gallery"] = gallery_;
    return out;
  }

 private:
  /// Leaks of the first so many victims.
  void keep_chosen(std::vector<Leak>& leaks) const {
    std::ranges::stable_sort(leaks, {}, &Leak::victim);
    const std::size_t most = settings_.size("victims");
    if (most == 0) return;
    std::set<NodeId> chosen;
    std::erase_if(leaks, [&](const Leak& leak) {
      if (chosen.size() < most) chosen.insert(leak.victim);
      return !chosen.contains(leak.victim);
    });
  }

  RecordBatch truth_of(const Leak& leak) const {
    const StepLog::Used used = log_.used(trial_.protocol(), leak.victim, leak.round, leak.rounds);
    ExampleMemory memory;
    const Problems<double> problem =
        data_.examples->gather(used.records, model_.output_size(), used.pass, memory);
    return {{problem.inputs.begin(), problem.inputs.end()}, {problem.targets.begin(), problem.targets.end()}};
  }

  /// What the attacker is told or may know; of the truth only what the settings hand over.
  AttackerKnowledge knowledge(const PublicKnowledge& told, const Leak& leak, const RecordBatch& truth,
                              std::uint64_t trial) const {
    AttackerKnowledge out;
    out.architecture = std::get_if<Architecture>(&trial_.network());
    out.input = data_.examples->input();
    out.range = known_.range();
    out.moments = known_.moments();
    if (options_.labels == LabelSource::kKnown) out.targets = truth.targets;
    out.noise_scale =
        settings_.has("noise_scale") ? settings_.real("noise_scale") : public_noise_scale(told, leak);
    out.pruned = leak.pruned && settings_.has("leave_out_pruned") && settings_.boolean("leave_out_pruned");
    const std::string start = settings_.has("start") ? settings_.text("start") : "";
    if (start == "original") out.similar = [&truth](std::span<const double>) { return truth.inputs; };
    if (start == "public") {
      out.similar = [this, trial, records = leak.observation.records](std::span<const double> targets) {
        Stream stream({address_.seed, Purpose::kAttack, trial, std::numeric_limits<std::uint64_t>::max()});
        return known_.similar(targets, records, stream);
      };
    }
    return out;
  }

  /// A search that meets nothing finite has found nothing; that is a result.
  void attack_one(const PublicKnowledge& told, const RecordBatch& truth, std::size_t index,
                  AttackedLeak& out) const {
    AttackOptions options = options_;
    options.inversion.trial = (address_.trial << 32U) + index;
    const Leak& leak = out.leak;
    const Clock::time_point begin = Clock::now();
    try {
      out.found = reconstruct(model_, leak.observation, knowledge(told, leak, truth, options.inversion.trial),
                              options, [&](const SearchStep& step) { note_search(leak.victim, step); });
      if (!out.found) out.why = "no closed form";
    } catch (const Error& error) {
      if (error.fault() != Fault::kData) throw;
      out.why = error.what();
    }
    out.seconds = seconds_since(begin);
  }

  /// Ctrl-C ends a search, and the bar shows how far it is.
  void note_search(NodeId victim, const SearchStep& step) const {
    stop_if_interrupted();
    show_inside([&] {
      return fmt::format("attack on {}: step {}, {} searching, best {:.3g}", network_.name(victim),
                         step.batches, step.searching, step.best_value);
    });
  }

  struct Tally {
    std::set<NodeId> attacked;
    std::size_t records = 0, exact = 0, labelled = 0, labels_right = 0;
    double successes = 0, psnr = 0, error = 0, seconds = 0;
  };

  static Json hops(const std::optional<std::size_t>& distance) {
    return distance ? Json(*distance) : Json(nullptr);
  }

  static void add_account(const AttackedLeak& attacked, Json& row) {
    const bool found = attacked.found.has_value();
    const bool searched = found && attacked.found->search;
    row.push_back(found && !searched ? finite_or_null(attacked.found->residual) : Json(nullptr));
    row.push_back(searched ? finite_or_null(attacked.found->search->distance) : Json(nullptr));
    row.push_back(found ? Json(attacked.found->clones) : Json(nullptr));
    std::size_t restarts = 0, iterations = 0, evaluations = 0;
    if (searched) {
      for (const RestartReport& restart : attacked.found->search->restarts) {
        ++restarts;
        iterations += restart.iterations;
        evaluations += restart.evaluations;
      }
    }
    row.push_back(restarts);
    row.push_back(iterations);
    row.push_back(evaluations);
    row.push_back(attacked.seconds);
  }

  static void count(const RecordScores& scores, Tally& tally) {
    ++tally.records;
    tally.successes += scores.success ? 1 : 0;
    tally.psnr += scores.psnr;
    const Json& label = scores.columns[0];
    const Json& error = scores.columns[1];
    if (error.is_number()) tally.error += error.get<double>();
    if (!label.is_null()) {
      ++tally.labelled;
      tally.labels_right += label.get<std::size_t>();
    }
  }

  void add_attacker(const std::string& name, const Adversary& adversary, const Tally& tally) {
    const double records = std::max<double>(1, static_cast<double>(tally.records));
    const bool pictures = data_.examples->pixels() != nullptr && tally.records > 0;
    const std::size_t learners = trial_.protocol().learners().size();
    const auto members = std::ranges::count_if(adversary.colluding, [&](NodeId n) { return n < learners; });
    attackers_.add({name, learners - static_cast<std::size_t>(members), tally.attacked.size(), tally.records,
                    tally.exact, tally.records > 0 ? Json(tally.successes / records) : Json(nullptr),
                    pictures ? Json(tally.psnr / records) : Json(nullptr),
                    tally.records > 0 ? finite_or_null(tally.error / records) : Json(nullptr),
                    tally.labelled > 0
                        ? Json(static_cast<double>(tally.labels_right) / static_cast<double>(tally.labelled))
                        : Json(nullptr),
                    tally.seconds});
  }

  void show(const std::string& attacker, const Leak& leak, const RecordBatch& truth, const RecordBatch& guess,
            std::size_t record, const RecordScores& scores) {
    const std::size_t width = data_.examples->input().size();
    if (data_.examples->pixels() == nullptr || gallery_.size() >= kMostPictures) return;
    const bool several = truth.inputs.size() > width;
    const std::string name = several ? fmt::format("{}, record {}", network_.name(leak.victim), record + 1)
                                     : network_.name(leak.victim);
    const auto part = [width](const std::vector<double>& all, std::size_t i) {
      return std::span(all).subspan(i * width, width);
    };
    const std::vector<double> black(width, 0.0);
    truths_[name] = picture(*data_.examples, part(truth.inputs, record));
    gallery_.push_back(
        {{"attacker", attacker},
         {"victim", name},
         {"image", picture(*data_.examples, scores.guess ? part(guess.inputs, *scores.guess) : black)},
         {"psnr", scores.psnr}});
  }

  Settings settings_;
  AttackOptions options_;
  TrialAddress address_;
  TrainTrial& trial_;
  const StepLog& log_;
  const TrainingData& data_;
  const Model& model_;
  PublicRecords known_;
  const Graph& network_;
  std::unique_ptr<PerceptualDistance> perceptual_;
  ReconstructionScoring scoring_;
  RowTable victims_;
  RowTable attackers_;
  Json truths_ = Json::object();
  Json gallery_ = Json::array();
};

}  // namespace

Json attack_training(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                     const TrainingData& data, const GraphSources& sources, bool with_pictures) {
  TrainingAttack attack(cell, address, trial, log, data, sources);
  for (const View& view : trial.views()) attack.report(view.adversary(), attack.attack(view), with_pictures);
  return attack.result();
}

AttackedView attack_view(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                         const TrainingData& data, const GraphSources& sources, const View& view) {
  return TrainingAttack(cell, address, trial, log, data, sources).attack(view);
}

TableColumns attack_columns() {
  return {{"victims", victim_columns_of_training()}, {"attackers", attacker_columns_of_training()}};
}

namespace {

bool shows_single_steps(const Settings& gossip) {
  const bool plain = !gossip.has("acceleration") || gossip.text("acceleration") == "none";
  return plain && gossip.size("local_steps") == 1;
}

bool estimates_only(const Settings& attack) {
  return attack.has("exact_steps") && !attack.boolean("exact_steps");
}

}  // namespace

bool attack_sections_fit(const Cell& cell, const Complain& complain) {
  const std::string& protocol = cell.at("protocol").kind;
  const std::string& attack = cell.at("attack").kind;
  if (cell.find("adversary") == nullptr) {
    complain("adversary", "section [adversary] is missing: an attack needs somebody who listens",
             "add [adversary] with a kind; `earshot list adversary` shows the choices");
    return false;
  }
  const std::optional<LeakSource> source = leak_source(protocol);
  if (!source) {
    complain("attack.kind",
             fmt::format("no attack reads gradients off the messages of protocol \"{}\"", protocol),
             "remove [attack], or train with fedsgd, fedavg, fedprox, scaffold, dgd, d_psgd, muffliato, "
             "muffliato_random, skip_ring, pdmm, admm or server_pdmm");
    return false;
  }
  const Settings& settings = cell.at("attack").settings;
  if (source == LeakSource::kGossip && estimates_only(settings) && settings.has("round")) {
    complain("attack.round", "gradients are estimated from all rounds of gossip together",
             "remove it, as adversary.rounds says how many are heard, or set attack.exact_steps to true");
    return false;
  }
  const bool gossip = source == LeakSource::kGossip || source == LeakSource::kGossipSteps;
  if (gossip && !shows_single_steps(protocol_settings(cell))) {
    complain("protocol.kind",
             "a node's step is read off gossip with one local step a round and plain averaging",
             "set protocol.local_steps to 1, and protocol.acceleration to \"none\" where there is one");
    return false;
  }
  const std::optional<LeakSource> wanted = find_attack_recipe(attack)->source;
  if (wanted && wanted != source) {
    complain("attack.kind",
             fmt::format("attack \"{}\" cannot read the messages of protocol \"{}\"", attack, protocol),
             "use \"dlg\", \"idlg\", \"inverting-gradients\" or \"closed-form\", which read whatever leaks");
    return false;
  }
  return true;
}

void check_attack(const Cell& cell, const TrainingData& data, const Architecture* network,
                  const Complain& complain) {
  const bool script = network == nullptr;
  const Choice& attack = cell.at("attack");
  ExampleMemory memory;
  const std::size_t first = data.parts.train.front();
  if (data.examples->gather({&first, 1}, data.examples->targets().outputs(), 0, memory).graph != nullptr)
    complain("attack.kind", "records are sought as numbers or pictures, not as graphs",
             "use another dataset");
  const bool first_rows = attack.kind == "closed-form";
  if (script && first_rows)
    complain("attack.kind", "closed forms look into the network, which a TorchScript file does not allow",
             "use \"dlg\"");
  const auto text = [&](const char* key) {
    return attack.settings.has(key) ? attack.settings.text(key) : std::string();
  };
  if (script && text("labels") == "inferred")
    complain("attack.labels", "labels are read off the last layer, which a TorchScript file does not show",
             "use \"optimised\", \"traversed\" or \"known\"");
  if (!script && text("labels") == "inferred" && !shows_labels(*network))
    complain("attack.labels",
             "labels are read off a last dense layer, or off channels that are pooled to classes, and this "
             "network has neither",
             "use \"optimised\", \"traversed\" or \"known\"");
  if (text("labels") == "per_class" && (text("start") == "public" || text("start") == "original"))
    complain("attack.start", "records sought class by class start at random",
             "use \"normal\" or \"uniform\"");
  if (text("start") == "public" && data.parts.test.empty())
    complain("attack.start", "no public records: nothing is held out", "set data.test_share");
  if (text("optimiser") == "lbfgs" && attack.settings.has("in_range") && attack.settings.boolean("in_range"))
    complain("attack.in_range", "L-BFGS searches without bounds", "set in_range to false, or use adam");
}

}  // namespace earshot
