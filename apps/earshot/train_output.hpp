// What `earshot train` shows and stores.
#pragma once

#include <filesystem>
#include <string>

#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/train_trial.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {

/// Behind the progress bar: loss, accuracy, epsilon spent.
std::string status_text(const RoundReport& report);

/// How much memory recording takes, before it starts.
std::string recording_text(double bytes);

/// Rounds, final scores beside their baseline, and what was promised against whom.
void print_training(const TrainingData& data, TrainTrial& trial, const TerminalStyle& style);
/// The same as one document; no durations, so that the same command prints the same bytes.
Json training_json(const Plan& plan, const TrainingData& data, TrainTrial& trial);

/// rounds.csv.
void write_rounds(const std::filesystem::path& directory, TrainTrial& trial);
/// views: what each adversary heard and was told, in the format of threat/view_file.hpp.
void write_views(const std::filesystem::path& directory, const TrainTrial& trial);
/// rounds.csv, model.ckpt, ledger.jsonl, statements.json, results.json and report.html.
void write_training(const std::filesystem::path& directory, const Plan& plan, TrainTrial& trial,
                    const std::string& command);

}  // namespace earshot::cli
