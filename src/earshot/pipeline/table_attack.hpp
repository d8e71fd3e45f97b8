// An attack on the rows of tables that a training used, where it was overheard: TabLeak on every chosen step.
#pragma once

#include "earshot/core/json.hpp"
#include "earshot/pipeline/train_preflight.hpp"
#include "earshot/pipeline/training_attack.hpp"

namespace earshot {

/// Of the cell's attack.
bool attacks_tables(const Cell& cell);

/// Tables "table_attacks", one row per victim and round; "table_columns", which columns leak; "confidence",
/// how often cells are right by how much the searches agree; "table_rows", true and reconstructed cells side
/// by side, of the first trial only.
Json attack_table(const Cell& cell, const TrialAddress& address, TrainTrial& trial, const StepLog& log,
                  const TrainingData& data);
/// Of those tables.
TableColumns table_attack_columns();

/// What stands in the way of it. `network` is null for a TorchScript file.
void check_table_attack(const Cell& cell, const TrainingData& data, const Architecture* network,
                        const Complain& complain);

}  // namespace earshot
