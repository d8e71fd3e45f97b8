// How much memory a training takes, before it is tried: what its participants hold, and what an adversary
// records.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "earshot/experiment/plan.hpp"
#include "earshot/graph/graph.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

struct TrainingSize {
  std::size_t nodes = 0;       // that learn
  std::size_t edges = 0;       // of the given graph
  std::size_t parameters = 0;  // of the model
};

/// Bytes of all vectors as long as the model that a training holds, those of threads at work included; data,
/// activations and the copy made for a checkpoint not.
double held_bytes(const Cell& cell, const TrainingSize& size);

/// Bytes of what these adversaries together record in one round of training: exact where every message is
/// sent and arrives, otherwise about as much or less. `state_size` numbers are a node's state; `network` as
/// in TrainingListeners.
double recorded_bytes(const Cell& cell, std::size_t state_size, const Graph& network,
                      std::span<const Adversary> adversaries);

/// The same for the whole of the run, where an attack has said which messages it will read.
double chosen_bytes(std::span<const std::optional<MessageChoice>> chosen, std::size_t state_size,
                    double bytes_per_exchange);

/// Of the machine.
double physical_memory();

}  // namespace earshot
