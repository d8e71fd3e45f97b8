// What all commands share: where output goes and how it looks.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "earshot/core/json.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {

/// Options every command that computes understands.
struct CommonOptions {
  std::size_t threads = 0;
  bool json = false;
};
void add_common_options(CLI::App& command, CommonOptions& options);

/// One JSON document on stdout, nothing else.
void print_json(const Json& document);
/// A note on stderr.
void note(const std::string& text);

TerminalStyle terminal_style();
GraphSources sources_from(const std::filesystem::path& working_directory);

}  // namespace earshot::cli
