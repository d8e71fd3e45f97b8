// A topology or weights given on the command line, by name or as a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "earshot/pipeline/stage.hpp"

namespace earshot::cli {

/// A TOML string literal.
std::string toml_text(const std::string& text);
/// A TOML float with enough digits to be read back exactly.
std::string toml_real(double value);

/// The component's name if there is one (dashes and underscores are the same), "file" if a file of that name
/// exists, else an error with both choices.
std::string component_or_file(const std::string& role, const std::string& given);

/// The body of a [graph] section: the component of that name with its KEY=VALUE parameters, or the edge list
/// file.
std::string graph_section(const std::string& name_or_file, const std::vector<std::string>& parameters);
/// The body of a [weights] section.
std::string weights_section(const std::string& name_or_file);

/// A network as the command line gives it.
struct NetworkArguments {
  std::string graph;
  std::vector<std::string> parameters;
  std::string weights = "metropolis";
  std::vector<std::string> attackers;
  std::size_t rounds = 0;
  std::uint64_t seed = 1;
};
/// GRAPH or --graph (as `graph_option` says), --param, --weights, --attackers, --rounds, --seed.
void add_network_options(CLI::App& command, const std::string& graph_option, NetworkArguments& network);

/// Graph and weights, through the same strict parser as an experiment file, with every node as an adversary
/// in turn.
Stage build_network(const NetworkArguments& network);

}  // namespace earshot::cli
