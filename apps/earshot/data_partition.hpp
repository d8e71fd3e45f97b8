// `earshot data partition`: divides a dataset over nodes and draws who holds what.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_partition_command(CLI::App& data);

}  // namespace earshot::cli
