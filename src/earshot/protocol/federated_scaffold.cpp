#include "earshot/protocol/federated_scaffold.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/protocol/federated.hpp"

namespace earshot {
namespace {

struct ScaffoldOptions {
  LocalWorkload workload;
  double rate = 0.1;
  bool gradient_control = false;  // option I: the gradient at the server's model
};

/// Request: the server's state, then c. Reply: the change of the state, then the change of c_i.
class ControlledModel : public ClientWork {
 public:
  ControlledModel(const ScaffoldOptions& options, std::size_t parameters)
      : options_(options), control_(parameters) {}

  bool answer(Learner& learner, std::span<const double> request, Scratch& scratch,
              std::span<double> reply) override {
    const std::size_t size = learner.task().state_size();
    const std::span<const double> model = request.first(size);
    const std::span<const double> common = request.subspan(size);
    const std::span<double> change = reply.first(size);
    const std::span<double> control_change = reply.subspan(size);
    const std::size_t steps = train(learner, model, common, scratch);
    if (steps == 0) return false;
    for (std::size_t i = 0; i < size; ++i) change[i] = scratch.state[i] - model[i];
    if (!learner.protect_update(change.first(control_.size()))) return false;
    if (options_.gradient_control) {
      gradient_at(learner, model, scratch, control_change);
    } else {
      // Option II, from the change as it is sent: it tells nothing that the change does not.
      const double span = static_cast<double>(steps) * options_.rate;
      for (std::size_t i = 0; i < control_.size(); ++i) control_change[i] = -common[i] - change[i] / span;
    }
    if (!all_finite(reply)) return true;  // the server rejects it, and the control variate stays
    for (std::size_t i = 0; i < control_.size(); ++i) control_[i] += control_change[i];
    return true;
  }

  void save(StateWriter& out) const override { out.reals(control_); }
  void load(StateReader& in) override { in.reals(control_); }

 private:
  /// Into scratch.state; answers how many steps were made.
  std::size_t train(Learner& learner, std::span<const double> model, std::span<const double> common,
                    Scratch& scratch) {
    std::ranges::copy(model, scratch.state.begin());
    const std::size_t steps = options_.workload.of(learner);
    for (std::size_t step = 0; step < steps; ++step) {
      if (!learner.gradient(scratch.state, scratch.gradient)) return step;
      for (std::size_t i = 0; i < control_.size(); ++i) {
        scratch.state[i] -= options_.rate * (scratch.gradient[i] - control_[i] + common[i]);
      }
    }
    return steps;
  }

  /// Option I: c_i+ - c_i, where c_i+ is the mean gradient of a pass at the server's model.
  void gradient_at(Learner& learner, std::span<const double> model, Scratch& scratch,
                   std::span<double> control_change) {
    std::ranges::fill(control_change, 0.0);
    std::ranges::copy(model, scratch.state.begin());
    const std::size_t steps = learner.steps_per_epoch();
    std::size_t made = 0;
    for (; made < steps && learner.gradient(scratch.state, scratch.gradient); ++made) {
      for (std::size_t i = 0; i < control_.size(); ++i) control_change[i] += scratch.gradient[i];
    }
    if (made == 0) return;
    for (std::size_t i = 0; i < control_.size(); ++i) {
      control_change[i] = control_change[i] / static_cast<double>(made) - control_[i];
    }
  }

  ScaffoldOptions options_;
  std::vector<double> control_;  // c_i
};

/// x <- x + rate mean(change); c <- c + |S|/N mean(control change), over the replies S of N clients.
class ControlledMean : public ServerWork {
 public:
  ControlledMean(std::vector<double> start, std::size_t parameters, std::size_t clients, double rate)
      : size_(start.size()), clients_(clients), rate_(rate), request_(std::move(start)) {
    request_.resize(size_ + parameters);
    sum_.resize(request_.size());
  }

  std::span<const double> request() const override { return request_; }
  std::size_t reply_size() const override { return request_.size(); }
  bool add(std::span<const double> reply, double) override {
    for (std::size_t i = 0; i < reply.size(); ++i) sum_[i] += reply[i];
    ++heard_;
    return true;
  }
  void apply() override {
    if (heard_ > 0) {
      const double share = rate_ / static_cast<double>(heard_);
      for (std::size_t i = 0; i < size_; ++i) request_[i] += share * sum_[i];
      for (std::size_t i = size_; i < request_.size(); ++i) {
        request_[i] += sum_[i] / static_cast<double>(clients_);
      }
    }
    std::ranges::fill(sum_, 0.0);
    heard_ = 0;
  }
  void result(std::span<double> state) const override {
    std::ranges::copy(std::span(request_).first(size_), state.begin());
  }
  void save(StateWriter& out) const override { out.reals(request_); }
  void load(StateReader& in) override { in.reals(request_); }

 private:
  std::size_t size_;
  std::size_t clients_;
  double rate_;
  std::vector<double> request_;  // x, then c
  std::vector<double> sum_;
  std::size_t heard_ = 0;
};

std::unique_ptr<Protocol> make(const Settings& settings, ProtocolParts parts) {
  ScaffoldOptions scaffold;
  scaffold.workload = local_workload(settings);
  scaffold.rate = settings.real("learning_rate");
  scaffold.gradient_control = settings.text("control") == "gradient";
  if (scaffold.gradient_control && parts.protection.scope == ProtectedScope::kUpdate) {
    fail(Fault::kConfig,
         "the gradients of control \"gradient\" are not part of the update that gets noise: set control to "
         "\"change\"");
  }
  FederatedMethod method;
  const std::size_t parameters = parts.task.parameter_count();
  method.server = std::make_unique<ControlledMean>(parts.start, parameters, parts.shards.size(),
                                                   settings.real("server_learning_rate"));
  for (std::size_t i = 0; i < parts.shards.size(); ++i) {
    method.clients.push_back(std::make_unique<ControlledModel>(scaffold, parameters));
  }
  method.warnings = [](std::uint64_t missing) {
    std::vector<std::string> warnings;
    if (missing > 0) {
      warnings.push_back(fmt::format(
          "{} replies never counted: the server's control variate is no longer the mean of the clients'",
          missing));
    }
    return warnings;
  };
  method.facts = {{"sends", "changes of model and control"},
                  {"learning_rate", scaffold.rate},
                  {"control", settings.text("control")}};
  add_facts(scaffold.workload, method.facts);
  FederatedOptions options = federated_options(settings);
  options.by_records = false;
  return make_federated(options, std::move(method), std::move(parts));
}

std::uint64_t steps(const Settings& settings, std::size_t, std::size_t records) {
  const bool gradient_control = settings.text("control") == "gradient";
  return settings.size("rounds") *
         (steps_per_round(settings, records) + (gradient_control ? steps_per_pass(settings, records) : 0));
}

}  // namespace

const ProtocolComponent& scaffold_component() {
  static const ProtocolComponent component = [] {
    std::vector<Parameter> parameters = local_parameters();
    parameters.push_back(above_minimum(
        real_parameter("server_learning_rate", 1, 0, 1e6, "times the mean change of the clients")));
    parameters.push_back(
        choice_parameter("control", "change", {"change", "gradient"},
                         "control variates from the change of the round (option II), or from "
                         "another pass at the server's model (option I)"));
    return ProtocolComponent{
        {"protocol", "scaffold",
         "federated averaging whose clients correct the drift towards their own optimum; all weigh the same",
         "Karimireddy, Kale, Mohri, Reddi, Stich & Suresh 2020",
         with_federated_parameters(std::move(parameters))},
        NetworkNeed::kNone,
        steps,
        make};
  }();
  return component;
}

}  // namespace earshot
