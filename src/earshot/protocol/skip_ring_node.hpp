// A node of a ring that a model travels on: it holds the model for one visit and passes it on.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "earshot/network/participant.hpp"
#include "earshot/protocol/latency.hpp"
#include "earshot/training/learner.hpp"

namespace earshot {

/// Whose turn each visit is; everybody knows it.
class RingOrder {
 public:
  /// `random`: a fresh random order for every lap, else 0, 1, ..., n - 1.
  RingOrder(std::size_t nodes, bool random, std::uint64_t seed, std::uint64_t trial);
  NodeId at(std::uint64_t visit) const;
  std::size_t nodes() const { return nodes_; }

 private:
  std::size_t nodes_;
  bool random_;
  std::uint64_t seed_;
  std::uint64_t trial_;
};

/// What all nodes of a ring go by.
struct RingRules {
  RingOrder order;
  LatencyClock clock;
  double step = 0.1;         // zeta: the c-th update has step zeta / sqrt(c)
  double radius = 0;         // of the ball the parameters stay in; 0: no bound
  std::size_t attempts = 3;  // times a token is sent before its receiver is passed over
};

/// The model on its way: the state, then how many updates it has seen, the number of the visit it is bound
/// for, and how long it has travelled.
class RingToken {
 public:
  static constexpr std::size_t kHeader = 3;
  static std::vector<double> start(std::span<const double> state);

  explicit RingToken(std::span<double> values) : values_(values) {}
  std::span<double> state() const { return values_.first(values_.size() - kHeader); }
  double& updates() const { return values_[values_.size() - 3]; }
  double& visit() const { return values_[values_.size() - 2]; }
  double& time() const { return values_[values_.size() - 1]; }
  std::uint64_t visit_number() const { return static_cast<std::uint64_t>(visit()); }

  static std::uint64_t visit_of(std::span<const double> token) {
    return static_cast<std::uint64_t>(token[token.size() - 2]);
  }
  static double time_of(std::span<const double> token) { return token.back(); }

 private:
  std::span<double> values_;
};

/// One visit of Skip-Ring (Yakimenka et al. 2022, Algorithm 1): unless the node is later than the time-out,
/// it moves the model by zeta / sqrt(c) against its clipped and noised gradient, projects, and passes it on.
/// A receiver acknowledges a token in the round after; the sender keeps its copy until then, repeats it every
/// other round, and passes the receiver over when that does not help. Every visit has a number and one node
/// whose turn it is, and a node accepts only numbers it has not seen, so copies of a token merge where
/// they meet and no visit is made twice.
class SkipRingNode : public Participant {
 public:
  SkipRingNode(const RingRules& rules, NodeId node, LearningTask& task, std::vector<std::size_t> records,
               const LearnerOptions& options, Protection protection, const NodeAddress& address);

  /// This node has the first turn.
  void begin(std::span<const double> state);

  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  /// Whom it will talk to in the next round.
  void append_links(std::vector<Edge>& links) const;
  /// The newest token it has; empty when it has none.
  std::span<const double> token() const { return incoming_.empty() ? token_ : incoming_; }
  Learner& learner() { return learner_; }

 private:
  enum class Phase : std::uint8_t {
    kNothing,
    kTurn,  // the token's next visit is here
    kSent   // waiting for the acknowledgement
  };

  void take_turn();
  void update(const RingToken& token);
  void aim();
  bool time_to_repeat();
  void receive(NodeId from, std::span<const double> message);
  std::uint64_t own_visit() const { return RingToken::visit_of(token_); }

  const RingRules& rules_;
  NodeId node_;
  Learner learner_;
  Phase phase_ = Phase::kNothing;
  std::vector<double> token_;
  std::vector<double> incoming_;  // accepted, not yet taken up
  NodeId target_ = 0;
  std::uint64_t next_visit_ = 0;  // smaller numbers have been seen here
  std::size_t tries_ = 0;
  bool said_ = false;          // the token, in the last round
  bool acknowledged_ = false;  // the token sent
  std::vector<std::pair<NodeId, std::uint64_t>> to_acknowledge_;
  std::vector<NodeId> neighbours_;  // of this round
};

}  // namespace earshot
