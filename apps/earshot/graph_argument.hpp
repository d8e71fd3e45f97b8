// A topology or weights given on the command line, by name or as a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "earshot/pipeline/stage.hpp"

namespace earshot::cli {

/// A TOML string literal.
std::string toml_text(const std::string& text);
/// A TOML float with enough digits to be read back exactly.
std::string toml_real(double value);

/// The body of a [graph] section: the component of that name with its KEY=VALUE parameters, or the edge list
/// file.
std::string graph_section(const std::string& name_or_file, const std::vector<std::string>& parameters);
/// The body of a [weights] section; dashes and underscores in names are the same.
std::string weights_section(const std::string& name_or_file);

/// Graph and weights, through the same strict parser as an experiment file, with every node as an adversary
/// in turn.
Stage build_network(const std::string& graph, const std::vector<std::string>& parameters,
                    const std::string& weights, std::uint64_t seed);

}  // namespace earshot::cli
