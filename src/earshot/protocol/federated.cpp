#include "earshot/protocol/federated.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/protocol/federated_server.hpp"

namespace earshot {
namespace {

Graph star(std::size_t clients) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < clients; ++i) {
    edges.emplace_back(static_cast<NodeId>(i), static_cast<NodeId>(clients));
  }
  return Graph(clients + 1, edges);
}

std::unique_ptr<Learner> make_learner(const FederatedOptions& options, ProtocolParts& parts,
                                      std::size_t client) {
  LearnerOptions learner;
  learner.batch = options.batch;
  learner.name = parts.names[client];
  learner.observer = "the server and everyone who hears the client";
  learner.assumptions = {
      "who takes part in a round is no secret, so choosing clients at random amplifies nothing",
      "the number of records of a client is public",
      "other clients learn what the server makes of the same messages: the guarantee holds against them too"};
  return std::make_unique<Learner>(parts.task, std::move(parts.shards[client]), learner, parts.protection,
                                   NodeAddress{parts.seed, parts.trial, client});
}

std::vector<double> weights_of(const FederatedOptions& options, const ProtocolParts& parts) {
  std::vector<double> weights;
  for (const auto& shard : parts.shards) weights.push_back(client_weight(options, shard.size()));
  return weights;
}

class FederatedTraining : public Protocol {
 public:
  FederatedTraining(const FederatedOptions& options, FederatedMethod method, ProtocolParts parts)
      : star_(star(parts.shards.size())),
        topology_(star_),
        pool_(parts.task.parameter_count(), parts.task.state_size(), options.local),
        warnings_(std::move(method.warnings)),
        facts_(std::move(method.facts)),
        server_(options, std::move(method.server), weights_of(options, parts), parts.seed, parts.trial) {
    const std::size_t reply_size = server_.work().reply_size();
    for (std::size_t i = 0; i < parts.names.size(); ++i) {
      clients_.push_back(std::make_unique<FederatedClient>(make_learner(options, parts, i),
                                                           std::move(method.clients[i]), pool_, reply_size));
    }
  }

  Topology& topology() override { return topology_; }
  std::vector<Participant*> participants() override {
    std::vector<Participant*> all;
    for (const auto& client : clients_) all.push_back(client.get());
    all.push_back(&server_);
    return all;
  }
  Round exchanges() const override { return 2; }
  std::vector<Learner*> learners() override {
    std::vector<Learner*> all;
    for (const auto& client : clients_) all.push_back(&client->learner());
    return all;
  }
  void result(std::span<double> state) const override { server_.work().result(state); }
  std::optional<double> elapsed() const override {
    return server_.clock().runs() ? std::optional(server_.elapsed()) : std::nullopt;
  }
  std::vector<std::string> warnings() const override;
  Json public_facts() const override;

  void save(StateWriter& out) const override {
    for (const auto& client : clients_) client->save(out);
    server_.save(out);
  }
  void load(StateReader& in) override {
    for (const auto& client : clients_) client->load(in);
    server_.load(in);
  }

 private:
  Graph star_;
  FixedTopology topology_;
  ScratchPool pool_;
  std::function<std::vector<std::string>(std::uint64_t)> warnings_;
  Json facts_;
  FederatedServer server_;
  std::vector<std::unique_ptr<FederatedClient>> clients_;
};

std::vector<std::string> FederatedTraining::warnings() const {
  const ReplyCount& replies = server_.replies();
  std::vector<std::string> all =
      warnings_ ? warnings_(replies.asked - replies.used) : std::vector<std::string>();
  if (replies.rejected > 0) {
    all.push_back(
        fmt::format("the server rejected {} of {} replies: they hold NaN or infinite numbers; lower "
                    "the learning rate",
                    replies.rejected, replies.asked));
  }
  return all;
}

Json FederatedTraining::public_facts() const {
  Json facts = facts_;
  facts.update(server_.work().facts());
  const ReplyCount& replies = server_.replies();
  facts["asked"] = replies.asked;
  facts["used"] = replies.used;
  facts["rejected"] = replies.rejected;
  facts["timed_out"] = replies.timed_out;
  for (const auto& client : clients_) facts["participations"].push_back(client->learner().participations());
  return facts;
}

}  // namespace

double client_weight(const FederatedOptions& options, std::size_t records) {
  return options.by_records ? static_cast<double>(records) : 1;
}

std::unique_ptr<Protocol> make_federated(const FederatedOptions& options, FederatedMethod method,
                                         ProtocolParts parts) {
  if (parts.shards.empty()) fail(Fault::kConfig, "federated learning needs at least one client");
  return std::make_unique<FederatedTraining>(options, std::move(method), std::move(parts));
}

std::vector<Parameter> with_federated_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all = {
      above_minimum(
          real_parameter("fraction", 1, 0, 1, "share of the clients asked in a round, at least one")),
      optional(integer_parameter("clients", {}, 1, 1'000'000'000,
                                 "clients asked in a round, instead of a fraction"))};
  std::ranges::move(more, std::back_inserter(all));
  std::ranges::move(latency_parameters(), std::back_inserter(all));
  return with_common_parameters(std::move(all));
}

FederatedOptions federated_options(const Settings& settings) {
  FederatedOptions options;
  options.fraction = settings.real("fraction");
  if (settings.has("clients")) options.clients = settings.size("clients");
  options.batch = batch_options(settings);
  options.latency = latency_options(settings);
  return options;
}

std::vector<Parameter> local_parameters() {
  return {
      integer_parameter("local_epochs", 1, 1, 1'000'000, "passes a client makes over its data in a round"),
      optional(integer_parameter("local_steps", {}, 1, 1'000'000'000,
                                 "steps a client makes in a round, instead of passes")),
      above_minimum(real_parameter("learning_rate", 0.1, 0, 1e6, "step size of the clients"))};
}

LocalWorkload local_workload(const Settings& settings) {
  LocalWorkload work;
  work.epochs = settings.size("local_epochs");
  if (settings.has("local_steps")) work.steps = settings.size("local_steps");
  return work;
}

void add_facts(const LocalWorkload& workload, Json& facts) {
  if (workload.steps > 0)
    facts["local_steps"] = workload.steps;
  else
    facts["local_epochs"] = workload.epochs;
}

std::uint64_t steps_per_pass(const Settings& settings, std::size_t records) {
  const std::size_t batch = settings.size("batch") == 0 ? records : std::min(settings.size("batch"), records);
  return (records + batch - 1) / batch;
}

std::uint64_t steps_per_round(const Settings& settings, std::size_t records) {
  const LocalWorkload work = local_workload(settings);
  return work.steps > 0 ? work.steps : work.epochs * steps_per_pass(settings, records);
}

}  // namespace earshot
