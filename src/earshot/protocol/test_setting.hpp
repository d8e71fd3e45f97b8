// A small learning problem spread over nodes, for the tests of protocols.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "earshot/core/test_settings.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/protocol/protocol.hpp"

namespace earshot::testing {

/// Two Gaussian clouds in the plane, labels 0 and 1, `per_node` records on each of `nodes` nodes; softmax
/// regression unless another network is given.
struct SmallTask {
  explicit SmallTask(std::size_t nodes, std::size_t per_node = 4, std::uint64_t seed = 1,
                     Architecture architecture = {"", {2}, {Dense{2}}})
      : model(make_native_model(architecture)) {
    Stream stream({seed, Purpose::kTest});
    std::vector<double> inputs, labels;
    for (std::size_t i = 0; i < nodes * per_node; ++i) {
      labels.push_back(static_cast<double>(i % 2));
      for (int k = 0; k < 2; ++k) inputs.push_back(stream.normal() + (i % 2 == 0 ? -1 : 1));
    }
    examples = record_examples({2}, inputs, {2, labels});
    task = std::make_unique<LearningTask>(*model, *examples, Precision::kDouble);
    start = task->initial_state(stream);
    for (std::size_t node = 0; node < nodes; ++node) {
      names.push_back("node " + std::to_string(node));
      shards.emplace_back();
      for (std::size_t i = 0; i < per_node; ++i) shards.back().push_back(node * per_node + i);
    }
  }

  ProtocolParts parts(Protection protection = no_protection(), const GossipMatrix* matrix = nullptr) const {
    return {*task, shards, names, matrix, std::move(protection), start, 1, 0};
  }
  /// Mean loss over all records.
  double loss(std::span<const double> state) const {
    std::vector<std::size_t> all(examples->size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return task->scores(state, all).loss;
  }

  std::unique_ptr<Model> model;
  std::unique_ptr<Examples> examples;
  std::unique_ptr<LearningTask> task;
  std::vector<double> start;
  std::vector<std::vector<std::size_t>> shards;
  std::vector<std::string> names;
};

/// The component's settings with its defaults, some replaced.
inline Settings settings_of(const ProtocolComponent& component, const Json& given) {
  return valid_settings(component.schema, given);
}

inline std::vector<double> result_of(const Protocol& protocol, std::size_t state_size) {
  std::vector<double> state(state_size);
  protocol.result(state);
  return state;
}

/// Runs so many rounds of training and answers with the state reached.
inline std::vector<double> train(Protocol& protocol, std::size_t state_size, Round rounds) {
  LocalNetwork network(protocol.topology(), protocol.participants());
  network.run(rounds * protocol.exchanges());
  return result_of(protocol, state_size);
}

/// A protocol that is stopped after so many exchanges, taken up again by another one made the same way, for
/// so many more.
template <class Make>
std::unique_ptr<Protocol> stop_and_go_on(const Make& make, Round before, Round after) {
  const auto first = make();
  LocalNetwork first_network(first->topology(), first->participants());
  first_network.run(before);
  StateWriter out;
  first->save(out);
  first_network.save(out);
  const std::string sealed = out.sealed();
  std::unique_ptr<Protocol> second = make();
  LocalNetwork second_network(second->topology(), second->participants());
  StateReader in(sealed, "memory");
  second->load(in);
  second_network.load(in);
  in.finish();
  second_network.run(after);
  return second;
}

}  // namespace earshot::testing
