// A privacy statement for people: every term of it, never a bare epsilon.
#pragma once

#include <string>

#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {

std::string statement_text(const PrivacyStatement& statement, const TerminalStyle& style);

/// Prints the statement with `facts` (an object) beside it: as text, or as one JSON document that has the
/// statement's terms at its top.
void print_statement(const PrivacyStatement& statement, const Json& facts, bool json);

}  // namespace earshot::cli
