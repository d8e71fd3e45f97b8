#include "earshot/protocol/training_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

void save_optional(StateWriter& out, const std::optional<double>& value) {
  out.number(value ? 1 : 0);
  if (value) out.real(*value);
}

std::optional<double> load_optional(StateReader& in) {
  if (in.number() == 0) return {};
  return in.real();
}

void save_scores(StateWriter& out, const std::optional<Scores>& scores) {
  out.number(scores ? 1 : 0);
  if (!scores) return;
  out.number(scores->examples);
  out.real(scores->loss);
  out.number(scores->classes ? 1 : 0);
  out.real(scores->accuracy);
  out.real(scores->baseline);
}

std::optional<Scores> load_scores(StateReader& in) {
  if (in.number() == 0) return {};
  Scores scores;
  scores.examples = in.number();
  scores.loss = in.real();
  scores.classes = in.number() != 0;
  scores.accuracy = in.real();
  scores.baseline = in.real();
  return scores;
}

void save_report(StateWriter& out, const RoundReport& report) {
  out.number(report.round);
  save_optional(out, report.elapsed);
  save_optional(out, report.train_loss);
  save_scores(out, report.validation);
  save_scores(out, report.test);
  save_optional(out, report.epsilon);
  save_optional(out, report.disagreement);
  out.number(report.lost);
}

RoundReport load_report(StateReader& in) {
  RoundReport report;
  report.round = in.number();
  report.elapsed = load_optional(in);
  report.train_loss = load_optional(in);
  report.validation = load_scores(in);
  report.test = load_scores(in);
  report.epsilon = load_optional(in);
  report.disagreement = load_optional(in);
  report.lost = in.number();
  return report;
}

std::optional<double> epsilon_of(const Learner& learner) {
  if (learner.protection().scope == ProtectedScope::kNothing) return {};
  if (learner.ledger().entries().empty()) return 0;
  return learner.statement().epsilon;
}

/// Scores of disjoint sets of examples as those of all of them.
Scores pooled(const std::vector<Scores>& parts) {
  Scores all = parts.front();
  all.examples = 0;
  all.loss = 0;
  all.accuracy = 0;
  for (const Scores& part : parts) {
    const auto count = static_cast<double>(part.examples);
    all.examples += part.examples;
    all.loss += count * part.loss;
    all.accuracy += count * (part.classes ? part.accuracy : part.accuracy * part.accuracy);
  }
  const auto count = static_cast<double>(all.examples);
  all.loss /= count;
  all.accuracy = all.classes ? all.accuracy / count : std::sqrt(all.accuracy / count);
  return all;
}

}  // namespace

std::string spending_of(const Learner& learner) {
  std::string text;
  for (const LedgerEntry& entry : learner.ledger().entries()) {
    text += fmt::format("{} {}\n", entry.count, to_json(*entry.release).dump());
  }
  return text;
}

TrainingRun::TrainingRun(Protocol& protocol, LocalNetwork& network, LearningTask& task,
                         const TrainingParts& parts, const RunOptions& options)
    : protocol_(protocol),
      network_(network),
      task_(task),
      parts_(parts),
      options_(options),
      learners_(protocol.learners()) {
  if (options.patience > 0 && parts.validation.empty()) {
    fail(Fault::kConfig,
         "stopping early needs validation examples; set data.validation_share, or patience to 0");
  }
  const Targets& targets = task.examples().targets();
  if (!parts.validation.empty()) validation_baseline_ = baseline(targets, parts.train, parts.validation);
  if (!parts.test.empty()) test_baseline_ = baseline(targets, parts.train, parts.test);
}

bool TrainingRun::advance() {
  if (end_ != RunEnd::kNotYet) fail(Fault::kInternal, "a run that is over cannot go on");
  with_context(fmt::format("round {}", round_ + 1), [&] { network_.run(protocol_.exchanges()); });
  ++round_;
  if (round_ >= options_.rounds) end_ = RunEnd::kAllRounds;
  const bool spent = std::ranges::all_of(learners_, [](const Learner* l) { return l->exhausted(); });
  if (spent) end_ = RunEnd::kBudgetsSpent;
  if (end_ == RunEnd::kNotYet && round_ % options_.evaluate_every != 0) return false;
  report();
  return true;
}

void TrainingRun::report() {
  std::vector<double> state(task_.state_size());
  protocol_.result(state);
  check_finite(state);
  RoundReport report;
  report.round = round_;
  report.elapsed = protocol_.elapsed();
  report.train_loss = train_loss();
  report.validation = scores(state, parts_.validation, validation_baseline_);
  report.test = scores(state, parts_.test, test_baseline_);
  const auto spent = epsilons();
  const bool open = std::ranges::any_of(spent, [](const auto& epsilon) { return !epsilon; });
  if (!open) report.epsilon = **std::ranges::max_element(spent);
  report.disagreement = protocol_.disagreement();
  if (const FaultReport* faults = network_.fault_report()) report.lost = faults->lost;
  reports_.push_back(report);
  if (options_.patience > 0) {
    if (best_state_.empty() ||
        report.validation->loss < reports_[best_report_].validation->loss - options_.least_gain) {
      best_state_ = std::move(state);
      best_report_ = reports_.size() - 1;
    } else if (reports_.size() - 1 - best_report_ >= options_.patience && end_ == RunEnd::kNotYet) {
      end_ = RunEnd::kNoGain;
    }
  }
}

void TrainingRun::check_finite(std::span<const double> state) const {
  if (std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) return;
  fail(Fault::kNumeric,
       fmt::format("after round {} the parameters are no longer finite; a smaller learning rate may help",
                   round_));
}

std::optional<double> TrainingRun::train_loss() const {
  double sum = 0;
  std::size_t count = 0;
  for (Learner* learner : learners_) {
    const std::optional<double> loss = learner->take_loss();
    if (!loss) continue;
    sum += *loss;
    ++count;
  }
  if (count == 0) return {};
  return sum / static_cast<double>(count);
}

std::optional<Scores> TrainingRun::scores(std::span<const double> state, std::span<const std::size_t> part,
                                          double baseline) const {
  if (part.empty()) return {};
  // Pieces of fixed size, so that the sums do not depend on the number of threads. Connected examples are one
  // problem whatever is asked for.
  constexpr std::size_t kPiece = 1024;
  const std::size_t piece = task_.examples().connected() ? part.size() : kPiece;
  std::vector<Scores> pieces((part.size() + piece - 1) / piece);
  parallel_for(pieces.size(), [&](std::size_t i) {
    const std::size_t first = i * piece;
    pieces[i] = task_.scores(state, part.subspan(first, std::min(piece, part.size() - first)));
  });
  Scores all = pooled(pieces);
  all.baseline = baseline;
  return all;
}

std::vector<double> TrainingRun::state() const {
  if (!best_state_.empty()) return best_state_;
  std::vector<double> state(task_.state_size());
  protocol_.result(state);
  return state;
}

const std::optional<Scores>& TrainingRun::test_scores() const {
  static const std::optional<Scores> none;
  if (reports_.empty()) return none;
  return best_state_.empty() ? reports_.back().test : reports_[best_report_].test;
}

std::vector<std::optional<double>> TrainingRun::epsilons() {
  std::vector<std::optional<double>> epsilons;
  std::map<std::string, std::optional<double>> now;
  for (const Learner* learner : learners_) {
    std::string spending = spending_of(*learner);
    auto known = now.find(spending);
    if (known == now.end()) {
      const auto before = spent_.find(spending);
      const auto epsilon = before == spent_.end() ? epsilon_of(*learner) : before->second;
      known = now.emplace(std::move(spending), epsilon).first;
    }
    epsilons.push_back(known->second);
  }
  spent_ = std::move(now);
  return epsilons;
}

Ledger TrainingRun::ledger() const {
  std::string text;
  for (const Learner* learner : learners_) text += learner->ledger().to_text();
  return Ledger::from_text(text, "ledger");
}

void TrainingRun::save(StateWriter& out) const {
  out.number(round_);
  out.number(static_cast<std::uint64_t>(end_));
  out.number(reports_.size());
  for (const RoundReport& report : reports_) save_report(out, report);
  out.reals(best_state_);
  out.number(best_report_);
  network_.save(out);
  protocol_.save(out);
}

void TrainingRun::load(StateReader& in) {
  round_ = in.number();
  end_ = static_cast<RunEnd>(in.number());
  reports_.resize(in.number());
  for (RoundReport& report : reports_) report = load_report(in);
  best_state_ = in.reals();
  best_report_ = in.number();
  network_.load(in);
  protocol_.load(in);
}

}  // namespace earshot
