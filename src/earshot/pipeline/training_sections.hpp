// The sections of an experiment that trains: what they may say, and what they become.
#pragma once

#include <filesystem>
#include <vector>

#include "earshot/experiment/plan.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/graph/sources.hpp"
#include "earshot/network/faults.hpp"
#include "earshot/pipeline/stage.hpp"
#include "earshot/protocol/protocol.hpp"
#include "earshot/protocol/training_run.hpp"
#include "earshot/training/training_data.hpp"

namespace earshot {

/// Nodes of a protocol that brings its own network, where nothing says otherwise.
inline constexpr std::size_t kUsualNodes = 10;

/// Adds what training knows (datasets, protocols, protections, partitions) to the schemas of everything else.
/// A component of both kinds has the parameters of both; those that only training needs may stay absent.
void add_training_schemas(std::vector<Schema>& schemas);
/// Keys of the section that only training understands.
std::vector<std::string> training_only_keys(const Choice& choice, const std::string& role);

/// Whether the cell trains: its protocol does, and nobody attacks it, or by an attack on training.
bool trains(const Cell& cell);
/// Of a cell that trains.
const ProtocolComponent& training_protocol(const Cell& cell);

Settings protocol_settings(const Cell& cell);

/// The choice's values for the keys of `schema`, which fills in its defaults.
Settings settings_for(const Schema& schema, const Choice& choice);

/// Data with its parts: equal for equal sections and seeds.
TrainingData load_training_section(const Choice& data, std::uint64_t seed, const GraphSources& sources);

/// Who holds which of the training examples.
std::vector<std::vector<std::size_t>> shards_of(const Cell& cell, const TrainingData& data, std::size_t nodes,
                                                const TrialAddress& address, const GraphSources& sources);

RunOptions run_options(const Cell& cell);
FaultOptions fault_options(const Cell& cell);
Precision training_precision(const Cell& cell);
WirePrecision wire_precision(const Cell& cell);

}  // namespace earshot
