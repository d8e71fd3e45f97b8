#include "earshot/protocol/central.hpp"

#include <algorithm>

#include "earshot/training/optimiser.hpp"

namespace earshot {
namespace {

std::vector<std::size_t> all_records(const std::vector<std::vector<std::size_t>>& shards) {
  std::vector<std::size_t> records;
  for (const auto& shard : shards) records.insert(records.end(), shard.begin(), shard.end());
  std::ranges::sort(records);
  return records;
}

/// Speaks to nobody.
class LoneTrainer : public Participant {
 public:
  LoneTrainer(const Settings& settings, ProtocolParts& parts)
      : learner_(parts.task, all_records(parts.shards), options(settings), parts.protection,
                 {parts.seed, parts.trial, 0}),
        steps_(settings.boolean("whole_passes") ? learner_.steps_per_epoch() : 1),
        optimiser_(parts.task.parameter_count(), {settings.real("learning_rate"), settings.real("momentum"),
                                                  settings.real("weight_decay")}),
        state_(std::move(parts.start)),
        gradient_(parts.task.parameter_count()) {}

  void speak(Round, Outbox&) override {
    for (std::size_t i = 0; i < steps_; ++i) {
      if (!learner_.gradient(state_, gradient_)) return;
      optimiser_.step(std::span(state_).first(gradient_.size()), gradient_);
    }
  }
  void listen(Round, const Inbox&) override {}

  void save(StateWriter& out) const override {
    learner_.save(out);
    optimiser_.save(out);
    out.reals(state_);
  }
  void load(StateReader& in) override {
    learner_.load(in);
    optimiser_.load(in);
    in.reals(state_);
  }

  Learner& learner() { return learner_; }
  std::span<const double> state() const { return state_; }

 private:
  static LearnerOptions options(const Settings& settings) {
    LearnerOptions options;
    options.batch = batch_options(settings);
    options.observer = "everyone who sees the model";
    return options;
  }

  Learner learner_;
  std::size_t steps_;
  Sgd optimiser_;
  std::vector<double> state_;
  std::vector<double> gradient_;
};

class CentralTraining : public Protocol {
 public:
  CentralTraining(const Settings& settings, ProtocolParts parts)
      : alone_(1, {}), topology_(alone_), trainer_(settings, parts) {}

  Topology& topology() override { return topology_; }
  std::vector<Participant*> participants() override { return {&trainer_}; }
  Round exchanges() const override { return 1; }
  std::vector<Learner*> learners() override { return {&trainer_.learner()}; }
  void result(std::span<double> state) const override { std::ranges::copy(trainer_.state(), state.begin()); }
  void save(StateWriter& out) const override { trainer_.save(out); }
  void load(StateReader& in) override { trainer_.load(in); }

 private:
  Graph alone_;
  FixedTopology topology_;
  LoneTrainer trainer_;
};

std::uint64_t steps(const Settings& settings, std::size_t, std::size_t records) {
  const std::size_t batch = settings.size("batch") == 0 ? records : std::min(settings.size("batch"), records);
  const std::size_t passes = settings.boolean("whole_passes") ? (records + batch - 1) / batch : 1;
  return settings.size("rounds") * passes;
}

std::unique_ptr<Protocol> make(const Settings& settings, ProtocolParts parts) {
  return std::make_unique<CentralTraining>(settings, std::move(parts));
}

}  // namespace

const ProtocolComponent& central_component() {
  static const ProtocolComponent component{
      {"protocol", "central", "all records in one place, minibatch SGD; the baseline of every protocol",
       "Robbins & Monro 1951",
       with_common_parameters(
           {above_minimum(real_parameter("learning_rate", 0.1, 0, 1e6, "step size")),
            real_parameter("momentum", 0, 0, 1, "share of the last step that is kept"),
            real_parameter("weight_decay", 0, 0, 1e6, "times the parameters, added to the gradient"),
            boolean_parameter("whole_passes", true,
                              "a round is a pass over the data (an epoch); otherwise one step")})},
      NetworkNeed::kNone,
      steps,
      make};
  return component;
}

}  // namespace earshot
