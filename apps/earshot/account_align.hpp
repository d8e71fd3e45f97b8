// The noise that makes a ring, a server and gossip comparable.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_alignment(CLI::App& account);

}  // namespace earshot::cli
