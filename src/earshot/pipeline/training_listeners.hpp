// Who listens to a training, and what can be said of what was heard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/stage.hpp"
#include "earshot/protocol/protocol.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

/// What [adversary] may say beside who listens, when a training is overheard.
const Schema& listening_schema();

/// What the protocol makes public. `start` is everybody's initial state; the matrix may be null and must
/// outlive the answer.
PublicKnowledge public_knowledge(const Protocol& protocol, const GossipMatrix* matrix,
                                 std::vector<double> start);

class TrainingListeners {
 public:
  /// Of a cell with [adversary]; `names` are those of the learning nodes, a server is called "server".
  /// Problems are PlanErrors at the key they belong to.
  TrainingListeners(const Cell& cell, const TrialAddress& address, Protocol& protocol,
                    const std::vector<std::string>& names, PublicKnowledge told);

  /// The participants by name, and who can talk to whom; where that changes from round to round, links only
  /// if some are tapped.
  const Graph& network() const { return network_; }
  std::span<const Adversary> adversaries() const { return adversaries_; }
  Recorder& recorder() { return *recorder_; }
  const Recorder& recorder() const { return *recorder_; }
  /// Rounds of training recorded when so many have been made.
  std::uint64_t recorded_rounds(std::uint64_t made) const;

  /// One row per adversary and recorded round of training.
  Json table(std::uint64_t rounds_made) const;
  static std::vector<std::string> columns();

 private:
  Graph network_;
  std::vector<Adversary> adversaries_;
  std::uint64_t first_ = 0;  // round of training, from 0
  std::uint64_t end_ = 0;
  Round exchanges_ = 1;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace earshot
