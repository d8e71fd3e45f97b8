// A protocol from one node's point of view: it speaks, listens, and knows nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot {

using Round = std::uint32_t;

/// What one node says in one round: one message to every neighbour, different ones, or nothing.
class Outbox {
 public:
  explicit Outbox(std::size_t neighbours) : singles_(neighbours) {}

  void broadcast(std::span<const double> message);
  /// Overrides the broadcast for the `neighbour`-th neighbour (order of Graph::neighbours).
  void send(std::size_t neighbour, std::span<const double> message);

  void clear();
  bool has_broadcast() const { return has_broadcast_; }
  bool has_single(std::size_t neighbour) const { return !singles_[neighbour].empty(); }
  /// What that neighbour receives; empty when the node stays silent towards it.
  std::span<const double> message_for(std::size_t neighbour) const;
  std::span<const double> broadcast_message() const { return everyone_; }
  /// Rounds every number to single precision: what a 32-bit wire would carry.
  void round_to_single();

 private:
  std::vector<double> everyone_;
  bool has_broadcast_ = false;
  std::vector<std::vector<double>> singles_;
};

/// What one node hears in one round, by neighbour (order of Graph::neighbours); an empty message means
/// silence.
class Inbox {
 public:
  explicit Inbox(std::span<const std::span<const double>> messages) : messages_(messages) {}
  std::size_t size() const { return messages_.size(); }
  std::span<const double> from(std::size_t neighbour) const { return messages_[neighbour]; }

 private:
  std::span<const std::span<const double>> messages_;
};

class Participant {
 public:
  virtual ~Participant() = default;
  virtual void speak(Round round, Outbox& out) = 0;
  virtual void listen(Round round, const Inbox& in) = 0;
};

}  // namespace earshot
