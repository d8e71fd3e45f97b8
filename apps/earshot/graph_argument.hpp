// A topology or weights given on the command line, by name or as a file.
#pragma once

#include <string>
#include <vector>

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

}  // namespace earshot::cli
