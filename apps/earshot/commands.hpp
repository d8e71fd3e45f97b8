// The commands of the program: each adds itself to the command line and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_run_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_audit_command(CLI::App& app);
void add_topology_command(CLI::App& app);
void add_account_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_collect_command(CLI::App& app);
void add_list_command(CLI::App& app);
void add_data_command(CLI::App& app);
void add_model_command(CLI::App& app);
void add_recommend_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_completion_command(CLI::App& app);

}  // namespace earshot::cli
