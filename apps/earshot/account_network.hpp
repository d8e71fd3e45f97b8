// Accounts of training over a network: gossip, ring, server, federated clients.
#pragma once

#include <CLI/CLI.hpp>

namespace earshot::cli {

void add_network_accounts(CLI::App& account);

}  // namespace earshot::cli
