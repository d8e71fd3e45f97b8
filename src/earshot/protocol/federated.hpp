// Learning with a server: who is asked, who answers, and what both do is left to the method.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "earshot/protocol/federated_scratch.hpp"
#include "earshot/protocol/latency.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// What a client does when it is asked: one object per client, which holds what that client remembers.
class ClientWork {
 public:
  virtual ~ClientWork() = default;
  /// Fills `reply` from what the server sent. False: nothing to say, because the budget is used up.
  virtual bool answer(Learner& learner, std::span<const double> request, Scratch& scratch,
                      std::span<double> reply) = 0;
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

/// What the server makes of the replies. It takes them one by one and never holds two.
class ServerWork {
 public:
  virtual ~ServerWork() = default;
  /// What the clients of the next round are sent; unchanged until `apply`.
  virtual std::span<const double> request() const = 0;
  virtual std::size_t reply_size() const = 0;
  /// A reply of finite numbers; false if it makes no sense. Replies of a round come in the order of the
  /// clients.
  virtual bool add(std::span<const double> reply, double weight) = 0;
  /// The round is over; without any reply the model stays as it is.
  virtual void apply() = 0;
  virtual void result(std::span<double> state) const = 0;
  virtual Json facts() const { return Json::object(); }
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

struct FederatedOptions {
  double fraction = 1;      // of the clients are asked in a round, at least one
  std::size_t clients = 0;  // so many, instead of the fraction; 0: the fraction
  bool by_records = true;   // clients weigh as much as they have records, otherwise all the same
  BatchOptions batch;
  LatencyOptions latency;
  SgdOptions local;  // of the optimiser that clients may use
};

/// What every protocol has, "fraction", "clients", then `more`, and the clock.
std::vector<Parameter> with_federated_parameters(std::vector<Parameter> more);
FederatedOptions federated_options(const Settings& settings);

/// One method: the server's work, and one work per client.
struct FederatedMethod {
  std::unique_ptr<ServerWork> server;
  std::vector<std::unique_ptr<ClientWork>> clients;
  /// What a user should know when so many replies never arrived or were rejected.
  std::function<std::vector<std::string>(std::uint64_t missing)> warnings;
  /// What everybody knows: "sends", what replies are, and the clients' step sizes and counts.
  Json facts = Json::object();
};

/// A star whose hub, the last node, is the server. A round is two exchanges: the server sends its request to
/// the clients it chose, and they reply. What arrives late is ignored; replies that are not finite or of
/// another size are rejected and counted.
std::unique_ptr<Protocol> make_federated(const FederatedOptions& options, FederatedMethod method,
                                         ProtocolParts parts);

/// How much a client weighs, by its records or not.
double client_weight(const FederatedOptions& options, std::size_t records);

/// Passes over the local data, or so many steps if "local_steps" is given.
struct LocalWorkload {
  std::size_t epochs = 1;
  std::size_t steps = 0;
  std::size_t of(const Learner& learner) const {
    return steps > 0 ? steps : epochs * learner.steps_per_epoch();
  }
};
/// "local_epochs", "local_steps", "learning_rate".
std::vector<Parameter> local_parameters();
LocalWorkload local_workload(const Settings& settings);
/// The same for everybody to know.
void add_facts(const LocalWorkload& workload, Json& facts);
/// The most steps a round takes with `records` records.
std::uint64_t steps_per_round(const Settings& settings, std::size_t records);
/// Steps of one pass over so many records.
std::uint64_t steps_per_pass(const Settings& settings, std::size_t records);

}  // namespace earshot
