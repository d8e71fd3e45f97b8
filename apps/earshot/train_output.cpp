#include "train_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/files.hpp"
#include "earshot/experiment/results.hpp"
#include "earshot/model/checkpoint.hpp"
#include "earshot/report/html.hpp"
#include "earshot/threat/view_file.hpp"
#include "statement_text.hpp"

namespace earshot::cli {
namespace {

constexpr std::size_t kMostRowsShown = 20;

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// 84.12 % of classes, or the error of a number.
std::string score_text(const Scores& scores, double value) {
  return scores.classes ? fmt::format("{:.2f} %", 100 * value) : fmt::format("{:.4f}", value);
}

/// The part a run is judged by on the screen.
const std::optional<Scores>& shown(const RoundReport& report) {
  return report.test ? report.test : report.validation;
}

void print_row(const RoundReport& report) {
  const std::optional<Scores>& scores = shown(report);
  fmt::print("{:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>12} {:>8}\n", report.round,
             number(report.train_loss, 4), scores ? fmt::format("{:.4f}", scores->loss) : "-",
             scores ? score_text(*scores, scores->accuracy) : "-",
             scores ? score_text(*scores, scores->baseline) : "-",
             report.epsilon ? fmt::format("{:.3f}", *report.epsilon) : "none",
             report.disagreement ? fmt::format("{:.2e}", *report.disagreement) : "-",
             number(report.elapsed, 1));
}

void print_rounds(const std::vector<RoundReport>& reports, bool classes) {
  fmt::print("{:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>12} {:>8}\n", "round", "train loss", "loss",
             classes ? "accuracy" : "rmse", classes ? "majority" : "mean guess", "epsilon", "disagreement",
             "time");
  const std::size_t step = (reports.size() + kMostRowsShown - 1) / kMostRowsShown;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (i + 1 == reports.size() || (i + 1) % step == 0) print_row(reports[i]);
  }
}

bool same_promise(const PrivacyStatement& a, const PrivacyStatement& b) {
  return a.epsilon == b.epsilon && a.delta == b.delta && a.definition == b.definition && a.unit == b.unit &&
         a.adjacency == b.adjacency;
}

/// The first in full; those that promise the same by the adversary's name only.
void print_statements(const std::vector<TrainingStatement>& statements, const TerminalStyle& style) {
  fmt::print("\n{}", statement_text(statements.front(), style));
  for (std::size_t i = 1; i < statements.size(); ++i) {
    if (same_promise(statements.front(), statements[i]))
      fmt::print("  {:<12}{}{}\n", "and against", statements[i].adversary,
                 statements[i].chosen ? ", who listened here" : "");
  }
  for (const TrainingStatement& statement : statements) {
    if (!same_promise(statements.front(), statement)) fmt::print("\n{}", statement_text(statement, style));
  }
}

/// How much each adversary heard, for the first few.
void print_views(const TrainTrial& trial) {
  const std::span<const View> views = trial.views();
  for (std::size_t i = 0; i < std::min(views.size(), kMostRowsShown); ++i) {
    std::uint64_t numbers = 0;
    for (const Overheard& message : views[i].messages()) numbers += message.message.size();
    fmt::print("{} heard {} messages, {} numbers\n",
               adversary_name(trial.listeners()->network(), views[i].adversary()), views[i].messages().size(),
               numbers);
  }
  if (views.size() > kMostRowsShown) fmt::print("and {} more listened\n", views.size() - kMostRowsShown);
}

std::string csv(const Json& table) {
  std::string text;
  const auto add_line = [&](const Json& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text += ',';
      if (values[i].is_string())
        text += values[i].get<std::string>();
      else if (!values[i].is_null())
        text += values[i].dump();
    }
    text += '\n';
  };
  add_line(table.at("columns"));
  for (const Json& row : table.at("rows")) add_line(row);
  return text;
}

Json statements_json(TrainTrial& trial) {
  Json all = Json::array();
  for (const TrainingStatement& statement : trial.statements()) {
    all.push_back(to_json(statement));
    if (trial.listeners() != nullptr) all.back()["chosen"] = statement.chosen;
  }
  return all;
}

std::string text_of(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Checkpoint checkpoint_of(const Plan& plan, TrainTrial& trial) {
  std::vector<double> state = trial.run().state();
  const auto border = state.begin() + static_cast<std::ptrdiff_t>(trial.task().parameter_count());
  Checkpoint checkpoint;
  checkpoint.network = trial.network();
  checkpoint.provenance = {{"plan", plan.resolved},
                           {"rounds", trial.run().round()},
                           {"end", end_text(trial.run().end())},
                           {"privacy", to_json(trial.statements().front())}};
  if (trial.run().test_scores()) checkpoint.provenance["test"] = to_json(*trial.run().test_scores());
  checkpoint.buffers.assign(border, state.end());
  state.erase(border, state.end());
  checkpoint.parameters = std::move(state);
  return checkpoint;
}

}  // namespace

std::string status_text(const RoundReport& report) {
  std::string text;
  if (report.train_loss) text += fmt::format("train loss {:.4f}  ", *report.train_loss);
  if (const auto& scores = shown(report))
    text += fmt::format("loss {:.4f}  {} {}  ", scores->loss, scores->classes ? "accuracy" : "rmse",
                        score_text(*scores, scores->accuracy));
  return text + (report.epsilon ? fmt::format("epsilon {:.3f}", *report.epsilon) : "no privacy");
}

std::string recording_text(double bytes) {
  if (bytes < 0x1p20) return "what the adversary hears takes less than 1 MiB of memory";
  return fmt::format("what the adversary hears takes about {:.0f} MiB of memory", bytes / 0x1p20);
}

void print_training(const TrainingData& data, TrainTrial& trial, const TerminalStyle& style) {
  fmt::print("{}: {} training, {} validation, {} test examples; {}\n",
             data.description["name"].get<std::string>(), data.parts.train.size(),
             data.parts.validation.size(), data.parts.test.size(),
             data.description["split"].get<std::string>());
  print_rounds(trial.run().reports(), data.examples->targets().classes != 0);
  fmt::print("{} after {} rounds", end_text(trial.run().end()), trial.run().round());
  if (const auto& scores = trial.run().test_scores())
    fmt::print("; {} {} (always the {}: {})", scores->classes ? "accuracy" : "rmse",
               score_text(*scores, scores->accuracy), scores->classes ? "majority" : "mean",
               score_text(*scores, scores->baseline));
  fmt::print("\n");
  print_views(trial);
  print_statements(trial.statements(), style);
}

Json training_json(const Plan& plan, const TrainingData& data, TrainTrial& trial) {
  const Checkpoint checkpoint = checkpoint_of(plan, trial);
  const std::string bytes = to_bytes(checkpoint);
  Json out{{"plan", plan.resolved},         {"data", data.description},
           {"nodes", trial.nodes()},        {"parameters", checkpoint.parameters.size()},
           {"rounds", trial.run().round()}, {"end", end_text(trial.run().end())}};
  if (trial.run().test_scores()) out["test"] = to_json(*trial.run().test_scores());
  const auto& reports = trial.run().reports();
  out["epsilon"] = reports.back().epsilon ? Json(*reports.back().epsilon) : Json(nullptr);
  out["statements"] = statements_json(trial);
  out["warnings"] = trial.protocol().warnings();
  out["tables"] = trial.tables();
  out["model_sha256"] = sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return out;
}

void write_rounds(const std::filesystem::path& directory, TrainTrial& trial) {
  write_atomically(directory / "rounds.csv", csv(trial.tables().at("rounds")));
}

void write_views(const std::filesystem::path& directory, const TrainTrial& trial) {
  write_atomically(directory / "views",
                   views_to_bytes(trial.listeners()->network(), trial.listeners()->recorder()));
}

void write_training(const std::filesystem::path& directory, const Plan& plan, TrainTrial& trial,
                    const std::string& command) {
  write_rounds(directory, trial);
  save_checkpoint(directory / "model.ckpt", checkpoint_of(plan, trial));
  write_atomically(directory / "ledger.jsonl", trial.run().ledger().to_text());
  write_atomically(directory / "statements.json", text_of(statements_json(trial)));
  const Json results = assemble_results(plan, {{trial.result(true)}}, command);
  write_atomically(directory / "results.json", text_of(results));
  write_atomically(directory / "report.html", render_html(results));
}

}  // namespace earshot::cli
