// The two participants of federated learning.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "earshot/protocol/federated.hpp"

namespace earshot {

/// Answers when asked in time, and keeps no model between rounds.
class FederatedClient : public Participant {
 public:
  /// `pool` must outlive the client.
  FederatedClient(std::unique_ptr<Learner> learner, std::unique_ptr<ClientWork> work, ScratchPool& pool,
                  std::size_t reply_size);

  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  Learner& learner() const { return *learner_; }

 private:
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<ClientWork> work_;
  ScratchPool& pool_;
  std::size_t reply_size_;
  std::span<const double> request_;  // the server's memory; empty when not asked
};

/// What became of the requests so far.
struct ReplyCount {
  std::uint64_t asked = 0;
  std::uint64_t used = 0;
  std::uint64_t rejected = 0;  // not finite, of another size, or senseless
  std::uint64_t timed_out = 0;
};

class FederatedServer : public Participant {
 public:
  FederatedServer(const FederatedOptions& options, std::unique_ptr<ServerWork> work,
                  std::vector<double> weights, std::uint64_t seed, std::uint64_t trial);

  Hearing hearing() const override { return Hearing::kOneByOne; }
  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void finish(Round round) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  /// The clients asked in a round of training, ascending.
  std::vector<NodeId> chosen(std::uint64_t round) const;
  const ServerWork& work() const { return *work_; }
  const LatencyClock& clock() const { return clock_; }
  double elapsed() const { return elapsed_; }
  const ReplyCount& replies() const { return replies_; }

 private:
  void ask(std::uint64_t round, Outbox& out);
  void hear(std::uint64_t round, NodeId client, std::span<const double> reply);

  FederatedOptions options_;
  std::unique_ptr<ServerWork> work_;
  std::vector<double> weights_;
  std::uint64_t seed_;
  std::uint64_t trial_;
  LatencyClock clock_;
  std::vector<char> awaited_;  // by client: asked, and not heard yet
  std::span<const NodeId> neighbours_;
  double elapsed_ = 0;
  ReplyCount replies_;
};

}  // namespace earshot
