// A protocol from one node's point of view: it speaks, listens, and knows nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "earshot/core/state.hpp"
#include "earshot/graph/graph.hpp"

namespace earshot {

/// Counts exchanges of messages; one round of training may take several.
using Round = std::uint32_t;

/// What one node says in one round: one message to every neighbour, different ones, or nothing. Messages are
/// not copied: what a node has said must stay as it is until every node has spoken in the next round, so a
/// node that changes its state while listening keeps two buffers, or composes its message in memory of the
/// runtime.
class Outbox {
 public:
  using Buffers = std::vector<std::vector<double>>;

  explicit Outbox(std::span<const NodeId> neighbours) : neighbours_(neighbours) {}

  /// This round's neighbours, ascending.
  std::span<const NodeId> neighbours() const { return neighbours_; }
  void broadcast(std::span<const double> message) { everyone_ = message; }
  /// Overrides the broadcast for the `neighbour`-th neighbour.
  void send(std::size_t neighbour, std::span<const double> message);
  /// Memory of the runtime for one message of this round, to be filled and sent; its content is whatever was
  /// there before. Messages to a hub that hears one by one are gone once heard, so n clients that compose
  /// their replies need no n buffers.
  std::span<double> compose(std::size_t size);

  bool has_broadcast() const { return !everyone_.empty(); }
  bool has_single(std::size_t neighbour) const {
    return neighbour < singles_.size() && !singles_[neighbour].empty();
  }
  /// What that neighbour is sent; empty when the node stays silent towards it.
  std::span<const double> message_for(std::size_t neighbour) const {
    return has_single(neighbour) ? singles_[neighbour] : everyone_;
  }
  std::span<const double> broadcast_message() const { return everyone_; }

  /// For the runtime: a new round.
  void start(std::span<const NodeId> neighbours);
  /// For the runtime: every number rounded to single precision, what a 32-bit wire would carry.
  void round_to_single();
  /// For the runtime: takes up to one buffer for what will be composed.
  void lend(Buffers& spare);
  /// For the runtime: forgets the messages and gives back what they were composed in.
  void withdraw(Buffers& spare);

 private:
  std::span<const NodeId> neighbours_;
  std::span<const double> everyone_;
  std::vector<std::span<const double>> singles_;  // empty unless something was sent to one neighbour
  Buffers composed_;
  std::size_t used_ = 0;  // buffers that hold a message
};

/// How a participant likes to be told what it hears.
enum class Hearing {
  kTogether,  // listen() once a round, with all messages
  kInPieces,  // listen() several times, each with the same stretch of every message: for updates that treat
              // each coordinate by itself, so that a large network works in cache
  kOneByOne   // listen() once per message, in order of the senders and as they speak: for hubs, which need
              // not have all messages at once
};

/// Messages heard, by neighbour; an empty message means silence.
class Inbox {
 public:
  /// Message i comes from neighbour `first` + i; of each, `length` numbers from `offset` on are heard.
  /// `ages` is empty when no message is late.
  explicit Inbox(std::span<const std::span<const double>> messages, std::size_t first = 0,
                 std::size_t offset = 0, std::size_t length = std::numeric_limits<std::size_t>::max(),
                 std::span<const Round> ages = {})
      : messages_(messages), ages_(ages), first_(first), offset_(offset), length_(length) {}
  std::size_t size() const { return messages_.size(); }
  std::span<const double> from(std::size_t i) const { return stretch_of(messages_[i]); }
  std::size_t neighbour(std::size_t i) const { return first_ + i; }
  /// How many rounds ago message i was said: 0 unless the network was late.
  Round age(std::size_t i) const { return ages_.empty() ? 0 : ages_[i]; }
  /// Where in the messages these pieces start.
  std::size_t offset() const { return offset_; }
  /// The stretch of a whole vector that these pieces are about, also when everybody is silent.
  template <class Number>
  std::span<Number> stretch_of(std::span<Number> whole) const {
    const std::size_t start = std::min(offset_, whole.size());
    return whole.subspan(start, std::min(length_, whole.size() - start));
  }

 private:
  std::span<const std::span<const double>> messages_;
  std::span<const Round> ages_;
  std::size_t first_;
  std::size_t offset_;
  std::size_t length_;
};

class Participant {
 public:
  virtual ~Participant() = default;
  virtual Hearing hearing() const { return Hearing::kTogether; }
  virtual void speak(Round round, Outbox& out) = 0;
  virtual void listen(Round round, const Inbox& in) = 0;
  /// Everything this node hears in this round has been heard.
  virtual void finish(Round) {}

  /// All that changes while the protocol runs, for a checkpoint between two rounds.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

}  // namespace earshot
