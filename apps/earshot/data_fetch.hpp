// `earshot data fetch`: datasets from their official sources.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_data_fetch(CLI::App& data);

}  // namespace earshot::cli
