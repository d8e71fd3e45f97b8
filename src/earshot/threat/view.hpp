// What an adversary overheard and was told. There is no field for the truth, so no attack can use it.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

/// One message as it was heard. `to` is empty for a message to every neighbour. A receiver hears a late
/// message in a later round than the wire, which carried it in the round in which it was said.
struct Overheard {
  Round round = 0;
  NodeId from = 0;
  std::optional<NodeId> to;
  std::span<const double> message;
  Round said = 0;
};

/// Facts the protocol makes public; printed with every result.
struct PublicKnowledge {
  const GossipMatrix* gossip_matrix = nullptr;
  std::vector<double> mixing;              // second-order weights omega_t of accelerated gossip; empty: plain
  std::vector<double> initial_parameters;  // the common starting point of training; empty when there is none
  std::optional<double> learning_rate;
  /// "kind": the protocol's name, and what else everybody knows of it (Protocol::public_facts), of the nodes'
  /// batches and of their noise.
  Json protocol = Json::object();
  const Graph* network = nullptr;  // who can talk to whom, where that is fixed
};

/// Rounds of the network: first <= round < end.
struct RoundWindow {
  Round first = 0;
  Round end = 0;
  bool contains(Round round) const { return first <= round && round < end; }
};

/// Of a message that was heard, nothing but that it was said: an adversary who knows beforehand which
/// messages it will read need not keep the others.
struct Unkept {
  Round round = 0;
  NodeId from = 0;
  std::optional<NodeId> to;
  std::size_t numbers = 0;
};

/// Round, sender, receiver.
using MessageKeys = std::set<std::tuple<Round, NodeId, NodeId>>;

/// Messages of a run by when and between whom they are said.
struct MessageChoice {
  RoundWindow window{};  // everything said in these rounds
  MessageKeys single{};
  bool contains(const Overheard& heard) const {
    return window.contains(heard.round) ||
           (heard.to && single.contains({heard.round, heard.from, *heard.to}));
  }
};

class View {
 public:
  View(Adversary adversary, const PublicKnowledge& told) : adversary_(std::move(adversary)), told_(&told) {}

  const Adversary& adversary() const { return adversary_; }
  const PublicKnowledge& told() const { return *told_; }
  /// Ordered by round, then sender; what is late comes before what its sender says in that round.
  std::span<const Overheard> messages() const { return messages_; }
  /// What members were told, and told others, before the first round by channels nobody else can read.
  std::span<const Overheard> encrypted() const { return encrypted_; }
  /// What was heard beside `messages()`, in the same order; nothing unless the recorder was told what to
  /// keep.
  std::span<const Unkept> unkept() const { return unkept_; }
  Round rounds() const { return rounds_; }

 private:
  friend class Recorder;
  Adversary adversary_;
  const PublicKnowledge* told_;
  std::vector<Overheard> messages_;
  std::vector<Overheard> encrypted_;
  std::vector<Unkept> unkept_;
  Round rounds_ = 0;
};

/// Records, for several adversaries at once, exactly what each is entitled to: members hear what reaches them
/// and know what they say, taps hear whatever is said, also if it is lost. A payload heard by several, or
/// sent to several, is kept once; what nobody hears, and everything outside the window, is not kept at all.
/// Who hears a message is decided round by round, so any topology will do.
class Recorder : public Observer {
 public:
  /// Of the first so many rounds.
  Recorder(const Graph& graph, std::span<const Adversary> adversaries, PublicKnowledge told, Round rounds)
      : Recorder(graph.node_count(), adversaries, std::move(told), RoundWindow{0, rounds}) {}
  Recorder(std::size_t nodes, std::span<const Adversary> adversaries, PublicKnowledge told,
           const RoundWindow& window);

  void on_broadcast(Round round, NodeId from, const Audience& audience,
                    std::span<const double> message) override;
  void on_message(Round round, NodeId from, NodeId to, std::span<const double> message) override;
  void on_missed(Round round, NodeId from, NodeId to, std::span<const double> message) override;
  void on_late(Round round, NodeId from, NodeId to, Round said, std::span<const double> message) override;
  /// Of what this adversary hears, keep nothing but that it was said unless it is chosen. Before the first
  /// message.
  void keep_only(std::size_t view, MessageChoice choice) { chosen_[view] = std::move(choice); }
  /// Before the first round: members at either end know it, no tap does.
  void on_encrypted(NodeId from, NodeId to, std::span<const double> message);
  std::span<const View> views() const { return views_; }
  const PublicKnowledge& told() const { return told_; }
  /// Numbers in memory.
  std::size_t kept_numbers() const;

  /// What has been recorded so far.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  using Views = std::vector<std::size_t>;
  void add_listeners(const Views& views);
  void add_wire(NodeId from, NodeId to);
  void record(const Overheard& heard);
  bool keeps(std::size_t view, const Overheard& heard) const;
  std::span<const double> keep(const Overheard& heard);
  Unkept load_header(StateReader& in) const;
  Overheard load_message(StateReader& in) const;

  PublicKnowledge told_;
  RoundWindow window_;
  std::deque<std::vector<double>> payloads_;
  Overheard last_;  // whose message is the last payload, in the memory it came from
  std::vector<View> views_;
  std::vector<std::optional<MessageChoice>> chosen_;                // by view; none: all
  std::vector<Views> members_;                                      // by node: which views it is a member of
  std::vector<Views> taps_;                                         // by node: which views read all it says
  std::vector<std::vector<std::pair<NodeId, std::size_t>>> wires_;  // by node: far end and view
  Views listeners_;                                                 // of the message at hand
  std::vector<char> listens_;
};

}  // namespace earshot
