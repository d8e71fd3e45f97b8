#include "earshot/protocol/federated_server.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/finite.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

bool is_request(Round exchange) {
  return exchange % 2 == 0;
}

}  // namespace

FederatedClient::FederatedClient(std::unique_ptr<Learner> learner, std::unique_ptr<ClientWork> work,
                                 ScratchPool& pool, std::size_t reply_size)
    : learner_(std::move(learner)), work_(std::move(work)), pool_(pool), reply_size_(reply_size) {}

/// A request of an earlier round is not answered: its memory may be gone, and so is the round.
void FederatedClient::listen(Round round, const Inbox& in) {
  if (is_request(round) && in.size() > 0 && in.age(0) == 0) request_ = in.from(0);
}

void FederatedClient::speak(Round round, Outbox& out) {
  const std::span<const double> request = std::exchange(request_, {});
  if (is_request(round) || request.empty() || out.neighbours().empty()) return;
  const std::span<double> reply = out.compose(reply_size_);
  learner_->take_part();
  if (pool_.with([&](Scratch& scratch) { return work_->answer(*learner_, request, scratch, reply); })) {
    out.send(0, reply);
  }
}

void FederatedClient::save(StateWriter& out) const {
  learner_->save(out);
  work_->save(out);
}

void FederatedClient::load(StateReader& in) {
  learner_->load(in);
  work_->load(in);
  request_ = {};
}

FederatedServer::FederatedServer(const FederatedOptions& options, std::unique_ptr<ServerWork> work,
                                 std::vector<double> weights, std::uint64_t seed, std::uint64_t trial)
    : options_(options),
      work_(std::move(work)),
      weights_(std::move(weights)),
      seed_(seed),
      trial_(trial),
      clock_(options.latency, seed, trial),
      awaited_(weights_.size()) {}

std::vector<NodeId> FederatedServer::chosen(std::uint64_t round) const {
  const std::size_t all = weights_.size();
  const auto share = static_cast<std::size_t>(options_.fraction * static_cast<double>(all));
  const std::size_t count =
      options_.clients > 0 ? std::min(options_.clients, all) : std::max<std::size_t>(share, 1);
  std::vector<NodeId> clients;
  Stream stream({seed_, Purpose::kParticipation, trial_, 0, round});
  for (const std::size_t client : stream.sample_without_replacement(count, all)) {
    clients.push_back(static_cast<NodeId>(client));
  }
  std::ranges::sort(clients);
  return clients;
}

void FederatedServer::speak(Round round, Outbox& out) {
  neighbours_ = out.neighbours();
  if (is_request(round)) ask(round / 2, out);
}

void FederatedServer::ask(std::uint64_t round, Outbox& out) {
  std::ranges::fill(awaited_, char{0});
  double slowest = 0;
  for (const NodeId client : chosen(round)) {
    awaited_[client] = 1;
    ++replies_.asked;
    slowest = std::max(slowest, std::min(clock_.latency(client, round), clock_.timeout()));
  }
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    if (awaited_[neighbours_[i]] != 0) out.send(i, work_->request());
  }
  if (clock_.runs()) elapsed_ += 2 * options_.latency.communication + slowest;
}

void FederatedServer::listen(Round round, const Inbox& in) {
  if (is_request(round)) return;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in.from(i).empty() && in.age(i) == 0) hear(round / 2, neighbours_[in.neighbour(i)], in.from(i));
  }
}

void FederatedServer::hear(std::uint64_t round, NodeId client, std::span<const double> reply) {
  if (std::exchange(awaited_[client], char{0}) == 0) return;
  if (!clock_.in_time(client, round)) {
    ++replies_.timed_out;
    return;
  }
  const bool sound = reply.size() == work_->reply_size() && all_finite(reply);
  ++(sound && work_->add(reply, weights_[client]) ? replies_.used : replies_.rejected);
}

void FederatedServer::finish(Round round) {
  if (!is_request(round)) work_->apply();
}

void FederatedServer::save(StateWriter& out) const {
  work_->save(out);
  out.real(elapsed_);
  out.number(replies_.asked);
  out.number(replies_.used);
  out.number(replies_.rejected);
  out.number(replies_.timed_out);
}

void FederatedServer::load(StateReader& in) {
  work_->load(in);
  elapsed_ = in.real();
  replies_.asked = in.number();
  replies_.used = in.number();
  replies_.rejected = in.number();
  replies_.timed_out = in.number();
}

}  // namespace earshot
