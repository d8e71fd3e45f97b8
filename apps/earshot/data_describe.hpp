// `earshot data describe`: what a known dataset, or a user's own CSV file, holds.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_describe_command(CLI::App& data);

}  // namespace earshot::cli
