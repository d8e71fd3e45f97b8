// Federated training for tests: run, looked into, broken off and resumed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "earshot/protocol/test_setting.hpp"

namespace earshot {

struct ProtocolUse {
  const testing::SmallTask& small;
  const ProtocolComponent& component;
  Json given;
  Protection protection = no_protection();
};

namespace testing {

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Speaks for one client and puts NaN into what it says.
class BrokenClient : public Participant {
 public:
  explicit BrokenClient(std::size_t node) : node_(node) {}
  std::size_t node() const { return node_; }
  void replace(Participant*& participant) {
    inner_ = participant;
    participant = this;
  }
  void speak(Round round, Outbox& out) override {
    inner_->speak(round, out);
    if (!out.has_single(0)) return;
    message_.assign(out.message_for(0).begin(), out.message_for(0).end());
    message_.back() = std::numeric_limits<double>::quiet_NaN();
    out.send(0, message_);
  }
  void listen(Round round, const Inbox& in) override { inner_->listen(round, in); }
  void save(StateWriter& out) const override { inner_->save(out); }
  void load(StateReader& in) override { inner_->load(in); }

 private:
  std::size_t node_;
  Participant* inner_ = nullptr;
  std::vector<double> message_;
};

/// Remembers the replies that reached the server, the last node.
class HeardByServer : public Observer {
 public:
  void on_broadcast(Round, NodeId, const Audience&, std::span<const double>) override {}
  void on_message(Round round, NodeId from, NodeId, std::span<const double> message) override {
    if (round % 2 == 1) messages.emplace_back(from, std::vector<double>(message.begin(), message.end()));
  }
  std::vector<std::pair<NodeId, std::vector<double>>> messages;
};

class Federation {
 public:
  Federation(const ProtocolUse& use, Round rounds, const FaultOptions& faults = {}, std::uint64_t seed = 1)
      : Federation(use) {
    network_->suffer(faults, seed, 0);
    run(rounds);
  }
  Federation(const ProtocolUse& use, Round rounds, BrokenClient& broken) : Federation(use) {
    std::vector<Participant*> participants = protocol_->participants();
    broken.replace(participants[broken.node()]);
    network_ = std::make_unique<LocalNetwork>(protocol_->topology(), participants);
    run(rounds);
  }
  Federation(const ProtocolUse& use, const std::string& sealed, Round rounds) : Federation(use) {
    StateReader in(sealed, "memory");
    network_->load(in);
    protocol_->load(in);
    in.finish();
    run(rounds);
  }

  Protocol& protocol() const { return *protocol_; }
  std::vector<double> state() const {
    std::vector<double> state(state_size_);
    protocol_->result(state);
    return state;
  }
  std::string sealed() const {
    StateWriter out;
    network_->save(out);
    protocol_->save(out);
    return out.sealed();
  }
  bool heard(NodeId client) const {
    return std::ranges::any_of(observer_->messages, [&](const auto& m) { return m.first == client; });
  }
  /// What that client said, round by round.
  std::vector<std::vector<double>> said_by(NodeId client) const {
    std::vector<std::vector<double>> said;
    for (const auto& [from, message] : observer_->messages) {
      if (from == client) said.push_back(message);
    }
    return said;
  }

 private:
  explicit Federation(const ProtocolUse& use)
      : protocol_(use.component.make(settings_of(use.component, use.given), use.small.parts(use.protection))),
        network_(std::make_unique<LocalNetwork>(protocol_->topology(), protocol_->participants())),
        state_size_(use.small.start.size()) {}
  void run(Round rounds) {
    network_->attach(*observer_);
    network_->run(2 * rounds);
  }

  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<HeardByServer> observer_ = std::make_unique<HeardByServer>();
  std::unique_ptr<LocalNetwork> network_;
  std::size_t state_size_;
};

}  // namespace testing
}  // namespace earshot
