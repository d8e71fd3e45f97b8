#include "earshot/attack/leak/federated_leak.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "earshot/attack/inversion/local_training.hpp"
#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

/// A round of training is two exchanges: requests, then replies.
std::uint64_t round_of(const Overheard& message) {
  return message.round / 2 + 1;
}
bool is_request(const Overheard& message) {
  return message.round % 2 == 0;
}

class FederatedReader {
 public:
  FederatedReader(const View& view, std::size_t parameters, const FederatedLeakOptions& options)
      : view_(view),
        told_(view.told()),
        parameters_(parameters),
        options_(options),
        sends_(fact<std::string>(told_, "sends")),
        rate_(fact<double>(told_, "learning_rate")) {}

  std::vector<Leak> leaks() {
    std::vector<Leak> all;
    for (const auto& [client, replies] : sort_messages()) {
      if (is_member(client)) continue;
      if (std::optional<Leak> leak = leak_of(client, replies)) all.push_back(std::move(*leak));
    }
    return all;
  }

 private:
  using Replies = std::map<std::uint64_t, std::span<const double>>;  // by round of training

  bool is_member(NodeId node) const { return std::ranges::binary_search(view_.adversary().colluding, node); }

  /// Replies by client; requests on the way. A late reply is ignored, as the server does.
  std::map<NodeId, Replies> sort_messages() {
    std::map<NodeId, Replies> clients;
    for (const Overheard& message : view_.messages()) {
      if (message.said != message.round || message.message.size() < parameters_) continue;
      if (is_request(message))
        requests_.emplace(round_of(message), message.message);
      else
        clients[message.from].emplace(round_of(message), message.message);
    }
    return clients;
  }

  /// What the clients were sent.
  std::optional<Parameters> model_of(std::uint64_t round) const {
    const auto heard = requests_.find(round);
    if (heard != requests_.end()) return heard->second.first(parameters_);
    if (round == 1 && told_.initial_parameters.size() >= parameters_)
      return Parameters(told_.initial_parameters).first(parameters_);
    return {};
  }

  std::optional<Leak> leak_of(NodeId client, const Replies& replies) const {
    const bool differences = sends_ == "differences of gradients";
    auto reply = options_.round ? replies.find(*options_.round) : replies.begin();
    if (differences && !options_.round) reply = replies.upper_bound(1);  // the first one is a zero
    if (reply == replies.end()) return {};
    const std::uint64_t round = reply->first;
    const std::optional<Parameters> model = model_of(round);
    if (!model) return {};
    if (sends_ == "gradients") return gradient(client, round, *model, reply->second);
    if (differences) return difference(client, round, *model, reply->second);
    if (sends_ == "models") return change(client, round, *model, reply->second);
    if (sends_ == "changes of model and control") return control(client, replies, round, *model);
    fail(Fault::kData, fmt::format("nothing is known of replies that are \"{}\"", sends_));
  }

  Leak gradient(NodeId client, std::uint64_t round, Parameters model, std::span<const double> reply) const {
    const auto pruned = fact<double>(told_, "pruned", 0.0);
    const auto cell = fact<double>(told_, "cell", 0.0);
    std::string what = "gradient sent to the server";
    if (pruned > 0) what += fmt::format(", {:.3g} % of its numbers left out", 100 * pruned);
    if (cell > 0) what += fmt::format(", rounded by cells of {:.3g}", cell);
    return {client,
            round,
            1,
            observe_gradient(model, reply.first(parameters_), records_of_step(told_, client)),
            std::move(what),
            cell,
            pruned > 0};
  }

  std::optional<Leak> difference(NodeId client, std::uint64_t round, Parameters model,
                                 std::span<const double> reply) const {
    const auto before = round > 1 ? model_of(round - 1) : std::nullopt;
    if (!before) return {};
    return Leak{
        client, round - 1, 2,
        observe_difference(model, *before, reply.first(parameters_), records_of_step(told_, client)),
        fmt::format("difference of the gradients of rounds {} and {}, sent to the server", round, round - 1)};
  }

  /// start - end of the client's parameters.
  Leak change(NodeId client, std::uint64_t round, Parameters model, std::span<const double> reply) const {
    if (fact<std::size_t>(told_, "clusters", 1) > 1)
      fail(Fault::kConfig, "which of several models a client trained is not told: set clusters to 1");
    std::vector<double> moved(parameters_);
    for (std::size_t i = 0; i < parameters_; ++i) moved[i] = model[i] - reply[i];
    const std::size_t records = records_of_node(told_, client);
    const std::size_t steps = steps_of(client);
    const std::optional<LocalTraining> plain = plain_steps(client, steps);
    if (steps == 1) return one_gradient(client, round, model, moved, 1);
    if (options_.unrolled && plain)
      return {client, round, 1, observe_update(model, moved, records, *plain),
              fmt::format("change of the model by {} local steps, followed through them", steps)};
    return one_gradient(client, round, model, moved, steps);
  }

  Leak one_gradient(NodeId client, std::uint64_t round, Parameters model, std::vector<double> moved,
                    std::size_t steps) const {
    for (double& x : moved) x /= rate_ * static_cast<double>(steps);
    const std::size_t records =
        std::min(steps * records_of_step(told_, client), records_of_node(told_, client));
    return {client, round, 1, observe_gradient(model, moved, records),
            steps == 1 ? "change of the model by one step: its gradient"
                       : fmt::format("change of the model by {} local steps, taken for one gradient", steps)};
  }

  std::size_t steps_of(NodeId client) const {
    const std::size_t records = records_of_node(told_, client);
    const std::size_t batch = records_of_step(told_, client);
    return fact<std::size_t>(told_, "local_steps",
                             fact<std::size_t>(told_, "local_epochs", 1) * ((records + batch - 1) / batch));
  }

  /// None when steps are not plain gradient steps, or not whole passes.
  std::optional<LocalTraining> plain_steps(NodeId client, std::size_t steps) const {
    const std::size_t batch = records_of_step(told_, client);
    const std::size_t pass = (records_of_node(told_, client) + batch - 1) / batch;
    for (const char* extra : {"momentum", "weight_decay", "proximal"}) {
      if (fact<double>(told_, extra, 0.0) != 0) return {};
    }
    if (steps % pass != 0) return {};
    return LocalTraining{steps / pass, batch, rate_};
  }

  /// A client's control variate after a round is the mean gradient of its steps, or of a pass at the server's
  /// model (Karimireddy et al. 2020, options II and I); replies hold its changes, from zero on.
  std::optional<Leak> control(NodeId client, const Replies& replies, std::uint64_t round,
                              Parameters model) const {
    const bool from_the_start = view_.messages().front().round < 2;
    if (!from_the_start) return {};
    std::vector<double> sum(parameters_);
    for (const auto& [when, reply] : replies) {
      if (when > round) break;
      const auto changes = reply.last(parameters_);
      for (std::size_t i = 0; i < parameters_; ++i) sum[i] += changes[i];
    }
    const bool exact = fact<std::string>(told_, "control") == "gradient";
    return Leak{client, round, 1, observe_gradient(model, sum, records_of_node(told_, client)),
                exact ? "control variate: the gradient at the server's model"
                      : "control variate: the mean gradient of the local steps, taken for one gradient"};
  }

  const View& view_;
  const PublicKnowledge& told_;
  std::size_t parameters_;
  const FederatedLeakOptions& options_;
  std::string sends_;
  double rate_;
  std::map<std::uint64_t, std::span<const double>> requests_;
};

}  // namespace

std::vector<Leak> federated_leaks(const View& view, std::size_t parameters,
                                  const FederatedLeakOptions& options) {
  return FederatedReader(view, parameters, options).leaks();
}

}  // namespace earshot
