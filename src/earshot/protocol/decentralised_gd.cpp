#include "earshot/protocol/decentralised_gd.hpp"

#include "earshot/protocol/gossip_averaging.hpp"

namespace earshot {

DecentralisedGd::DecentralisedGd(const Common& common, NodeId node, Shard shard,
                                 std::vector<double> initial_parameters)
    : common_(common),
      node_(node),
      shard_(std::move(shard)),
      parameters_(std::move(initial_parameters)),
      half_step_(parameters_.size()),
      gradient_(parameters_.size()) {}

void DecentralisedGd::speak(Round round, Outbox& out) {
  common_.model.gradient(parameters_, shard_.batch(), gradient_);
  Stream noise({common_.seed, Purpose::kPrivacyNoise, common_.trial, node_, round});
  releases_.push_back(common_.mechanism.simulate(gradient_, noise));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    half_step_[i] = parameters_[i] - common_.learning_rate * gradient_[i];
  }
  out.broadcast(half_step_);
}

void DecentralisedGd::listen(Round, const Inbox& in) {
  average_neighbourhood(common_.matrix, node_, half_step_, in, parameters_);
}

}  // namespace earshot
