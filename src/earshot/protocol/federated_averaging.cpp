#include "earshot/protocol/federated_averaging.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/protocol/federated.hpp"
#include "earshot/protocol/model_clusters.hpp"

namespace earshot {
namespace {

struct LocalTraining {
  LocalWorkload workload;
  double proximal = 0;         // mu
  std::size_t clusters = 1;    // models in a request
  bool tells_cluster = false;  // the reply ends with the number of the model chosen
};

/// Trains the model of the request, or that of several which fits its records best.
class TrainedModel : public ClientWork {
 public:
  explicit TrainedModel(const LocalTraining& options) : options_(options) {}

  bool answer(Learner& learner, std::span<const double> request, Scratch& scratch,
              std::span<double> reply) override {
    const std::size_t size = learner.task().state_size();
    const std::size_t cluster = options_.clusters == 1 ? 0 : best_fit(learner, request);
    const std::span<const double> model = request.subspan(cluster * size, size);
    const std::span<double> state = reply.first(size);
    std::ranges::copy(model, state.begin());
    if (!train(learner, model, scratch, state)) return false;
    if (!protect_change(learner, model, scratch.gradient, state)) return false;
    if (options_.tells_cluster) reply.back() = static_cast<double>(cluster);
    return true;
  }

 private:
  static std::size_t best_fit(Learner& learner, std::span<const double> models) {
    const std::size_t size = learner.task().state_size();
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < models.size() / size; ++j) {
      const double loss = learner.task().scores(models.subspan(j * size, size), learner.records()).loss;
      if (loss < least) {
        least = loss;
        best = j;
      }
    }
    return best;
  }

  /// False when the budget allows no step at all.
  bool train(Learner& learner, std::span<const double> model, Scratch& scratch, std::span<double> state) {
    const std::span<double> parameters = state.first(scratch.gradient.size());
    const std::size_t steps = options_.workload.of(learner);
    scratch.optimiser.restart();
    for (std::size_t step = 0; step < steps; ++step) {
      if (!learner.gradient(state, scratch.gradient)) return step > 0;
      if (options_.proximal > 0) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          scratch.gradient[i] += options_.proximal * (parameters[i] - model[i]);
        }
      }
      scratch.optimiser.step(parameters, scratch.gradient);
    }
    return true;
  }

  static bool protect_change(Learner& learner, std::span<const double> model, std::span<double> change,
                             std::span<double> state) {
    if (learner.protection().scope != ProtectedScope::kUpdate) return true;
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = state[i] - model[i];
    if (!learner.protect_update(change)) return false;
    for (std::size_t i = 0; i < change.size(); ++i) state[i] = model[i] + change[i];
    return true;
  }

  LocalTraining options_;
};

/// The first model is the common start; the others start anywhere, as IFCA needs.
std::vector<double> start_models(const ProtocolParts& parts, std::size_t clusters) {
  std::vector<double> models = parts.start;
  for (std::size_t j = 1; j < clusters; ++j) {
    Stream stream({parts.seed, Purpose::kModelInit, parts.trial, j});
    std::ranges::copy(parts.task.initial_state(stream), std::back_inserter(models));
  }
  return models;
}

void check_clusters(const ProtocolParts& parts, std::size_t clusters) {
  if (clusters > 1 && parts.protection.scope != ProtectedScope::kNothing) {
    fail(Fault::kConfig,
         "which cluster a client chooses depends on its records and gets no noise: set \"clusters\" to 1, or "
         "the mechanism to \"none\"");
  }
}

std::unique_ptr<Protocol> make_averaging(const Settings& settings, LocalTraining local,
                                         const ModelClusters::Choice& choice, ProtocolParts parts) {
  check_clusters(parts, local.clusters);
  FederatedOptions options = federated_options(settings);
  options.by_records = settings.text("weighting") == "records";
  options.local = {settings.real("learning_rate"), settings.real("momentum"), settings.real("weight_decay")};
  local.workload = local_workload(settings);
  const SgdOptions server{settings.real("server_learning_rate"), settings.real("server_momentum"), 0};
  FederatedMethod method;
  method.server = std::make_unique<ModelClusters>(start_models(parts, local.clusters), local.clusters,
                                                  parts.task.parameter_count(), server, choice);
  for (std::size_t i = 0; i < parts.shards.size(); ++i) {
    method.clients.push_back(std::make_unique<TrainedModel>(local));
  }
  method.facts = {{"sends", "models"},
                  {"learning_rate", options.local.rate},
                  {"momentum", options.local.momentum},
                  {"weight_decay", options.local.weight_decay},
                  {"proximal", local.proximal},
                  {"clusters", local.clusters}};
  add_facts(local.workload, method.facts);
  return make_federated(options, std::move(method), std::move(parts));
}

std::unique_ptr<Protocol> make_fedavg(const Settings& settings, ProtocolParts parts) {
  LocalTraining local;
  local.clusters = settings.size("clusters");
  const bool told = settings.text("cluster_choice") == "told";
  local.tells_cluster = local.clusters > 1 && told;
  return make_averaging(settings, local, told ? ModelClusters::Choice() : nearest_model, std::move(parts));
}

std::unique_ptr<Protocol> make_fedprox(const Settings& settings, ProtocolParts parts) {
  LocalTraining local;
  local.proximal = settings.real("mu");
  return make_averaging(settings, local, {}, std::move(parts));
}

std::uint64_t steps(const Settings& settings, std::size_t, std::size_t records) {
  return settings.size("rounds") * steps_per_round(settings, records);
}

std::vector<Parameter> averaging_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all = local_parameters();
  std::ranges::move(
      std::vector<Parameter>{
          real_parameter("momentum", 0, 0, 1, "of the clients, anew in every round"),
          real_parameter("weight_decay", 0, 0, 1e6, "times the parameters, added to the gradient"),
          choice_parameter("weighting", "records", {"records", "uniform"},
                           "clients weigh as much as they have records, or all the same"),
          above_minimum(real_parameter("server_learning_rate", 1, 0, 1e6,
                                       "times the mean change of the clients; 1: the mean of their models")),
          real_parameter("server_momentum", 0, 0, 1, "share of the server's last step that is kept")},
      std::back_inserter(all));
  std::ranges::move(more, std::back_inserter(all));
  return with_federated_parameters(std::move(all));
}

}  // namespace

const ProtocolComponent& fedavg_component() {
  static const ProtocolComponent component{
      {"protocol", "fedavg", "clients train on their own records, the server averages their models",
       "McMahan et al. 2017; Hsu, Qi & Brown 2019 (server_momentum); Ghosh et al. 2020 (clusters)",
       averaging_parameters(
           {integer_parameter("clusters", 1, 1, 1000, "models; each client trains the one that fits it best"),
            choice_parameter("cluster_choice", "told", {"told", "nearest"},
                             "the client tells which model it trained, or the server takes the nearest")})},
      NetworkNeed::kNone,
      steps,
      make_fedavg};
  return component;
}

const ProtocolComponent& fedprox_component() {
  static const ProtocolComponent component{
      {"protocol", "fedprox", "federated averaging whose clients are held back to the server's model",
       "Li, Sahu, Zaheer, Sanjabi, Talwalkar & Smith 2020",
       averaging_parameters({real_parameter("mu", {}, 0, 1e9, "weight of the proximal term; 0 is fedavg")})},
      NetworkNeed::kNone,
      steps,
      make_fedprox};
  return component;
}

}  // namespace earshot
