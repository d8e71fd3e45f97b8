// `earshot model train`.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_train(CLI::App& model);

}  // namespace earshot::cli
