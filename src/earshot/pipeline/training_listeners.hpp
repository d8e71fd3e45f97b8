// Who listens to a training, and what can be said of what was heard.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// Who averaged with whom before each of these rounds of training ("graphs"), where that changes and
/// everybody knows it.
void tell_graphs(const Protocol& protocol, std::span<const std::uint64_t> rounds, PublicKnowledge& told);

/// Passes on what is said in some rounds of the network only.
class ChosenExchanges : public Observer {
 public:
  ChosenExchanges(Observer& observer, std::vector<RoundWindow> windows)
      : observer_(observer), windows_(std::move(windows)) {}
  void on_broadcast(Round round, NodeId from, const Audience& audience,
                    std::span<const double> message) override;
  void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) override;
  void on_missed(Round round, NodeId from, NodeId to, std::span<const double> message) override;
  void on_late(Round round, NodeId from, NodeId to, Round said, std::span<const double> message) override;

 private:
  bool wanted(Round round) const;
  Observer& observer_;
  std::vector<RoundWindow> windows_;
};

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
  /// To be attached to the network: the recorder, or what lets it hear the rounds an attack asks for.
  Observer& observer() { return chosen_ ? static_cast<Observer&>(*chosen_) : *recorder_; }
  const Recorder& recorder() const { return *recorder_; }
  /// Rounds of training recorded when so many have been made: those between adversary.from and
  /// adversary.rounds, or of these the ones that an attack asks for by attack.rounds.
  std::uint64_t recorded_rounds(std::uint64_t made) const;
  /// Messages an adversary keeps, where the attack says beforehand which ones it will read; none: all it
  /// hears.
  std::span<const std::optional<MessageChoice>> read() const { return read_; }

  /// Rounds of training, from 1, that an attack asks for by attack.rounds; ascending.
  std::span<const std::uint64_t> attacked_rounds() const { return attacked_; }

  /// One row per adversary and recorded round of training.
  Json table(std::uint64_t rounds_made) const;
  static std::vector<std::string> columns();

 private:
  Graph network_;
  std::vector<Adversary> adversaries_;
  std::vector<std::uint64_t> recorded(std::uint64_t made) const;
  void choose_rounds(const Cell& cell, const Protocol& protocol, PublicKnowledge& told);
  void require_heard(const char* key, std::uint64_t round, const PublicKnowledge& told) const;
  void choose_messages(const Cell& cell, const RoundWindow& window);

  std::uint64_t first_ = 0;  // round of training, from 0
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> attacked_;  // rounds of training, from 1; empty: as the two above say
  std::vector<RoundWindow> windows_;     // of the network, for those
  Round exchanges_ = 1;
  std::vector<std::optional<MessageChoice>> read_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ChosenExchanges> chosen_;
};

}  // namespace earshot
