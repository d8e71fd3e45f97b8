#include "earshot/pipeline/training_listeners.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/rows.hpp"
#include "earshot/pipeline/training_sections.hpp"
#include "earshot/protocol/decentralised.hpp"

namespace earshot {
namespace {

constexpr std::size_t kMostNames = 10;

std::vector<Edge> all_pairs(std::size_t nodes) {
  std::vector<Edge> edges;
  for (NodeId a = 0; a < nodes; ++a) {
    for (NodeId b = a + 1; b < nodes; ++b) edges.emplace_back(a, b);
  }
  return edges;
}

/// Where links change from round to round any two participants may talk; that matters to taps on wires only.
Graph network_of(Protocol& protocol, std::vector<std::string> names, const Settings& adversary) {
  const std::size_t nodes = protocol.participants().size();
  if (nodes > names.size()) names.emplace_back("server");
  const bool wires = adversary.has("wires") && !adversary.texts("wires").empty();
  std::vector<Edge> edges;
  if (protocol.topology().fixed())
    edges = protocol.topology().graph().edges();
  else if (wires)
    edges = all_pairs(nodes);
  return Graph(nodes, edges, std::move(names));
}

/// What the component refuses is a problem of its section.
std::vector<Adversary> adversaries_of(const Choice& choice, const Graph& network, Stream stream) {
  try {
    return adversary_component(choice.kind).make(choice.settings, network, stream);
  } catch (const Error& error) {
    if (error.fault() == Fault::kInternal) throw;
    throw PlanError({{"adversary", error.what(), ""}});
  }
}

Round exchange_of(std::uint64_t training_round, Round exchanges) {
  return static_cast<Round>(
      std::min<std::uint64_t>(training_round * exchanges, std::numeric_limits<Round>::max()));
}

/// What one adversary heard in one round of training.
struct Heard {
  std::uint64_t messages = 0;
  std::uint64_t numbers = 0;
  std::set<NodeId> from;
};

std::string names_of(const Graph& network, const std::set<NodeId>& nodes) {
  std::vector<std::string> names;
  for (const NodeId node : nodes) {
    if (names.size() == kMostNames) break;
    names.push_back(network.name(node));
  }
  const std::string text = join(names, "+");
  return nodes.size() <= kMostNames ? text : fmt::format("{} and {} more", text, nodes.size() - kMostNames);
}

}  // namespace

const Schema& listening_schema() {
  static const Schema schema{
      "adversary",
      "listening",
      "",
      "",
      {integer_parameter("from", 1, 1, 1'000'000'000, "first round of training that is recorded"),
       integer_parameter("rounds", 0, 0, 1'000'000'000,
                         "rounds of training recorded from then on; 0: all that follow")}};
  return schema;
}

PublicKnowledge public_knowledge(const Protocol& protocol, const GossipMatrix* matrix,
                                 std::vector<double> start) {
  PublicKnowledge told;
  told.gossip_matrix = matrix;
  told.initial_parameters = std::move(start);
  if (const auto* averaging = dynamic_cast<const DecentralisedTraining*>(&protocol))
    told.mixing = averaging->options().mixing;
  told.protocol = protocol.public_facts();
  if (told.protocol.contains("learning_rate"))
    told.learning_rate = told.protocol.at("learning_rate").get<double>();
  return told;
}

TrainingListeners::TrainingListeners(const Cell& cell, const TrialAddress& address, Protocol& protocol,
                                     const std::vector<std::string>& names, PublicKnowledge told)
    : network_(network_of(protocol, names, cell.at("adversary").settings)),
      adversaries_(
          adversaries_of(cell.at("adversary"), network_, Stream(address.stream(Purpose::kCoalition)))),
      exchanges_(protocol.exchanges()) {
  const Settings settings = settings_for(listening_schema(), cell.at("adversary"));
  const std::uint64_t rounds = cell.at("protocol").settings.size("rounds");
  first_ = settings.size("from") - 1;
  if (first_ >= rounds)
    throw PlanError(
        {{"adversary.from",
          fmt::format("recording starts with round {}, the training ends after {}", first_ + 1, rounds),
          fmt::format("use at most {}", rounds)}});
  const std::uint64_t wanted = settings.size("rounds");
  end_ = wanted == 0 ? rounds : std::min<std::uint64_t>(rounds, first_ + wanted);
  if (protocol.topology().fixed()) told.network = &network_;
  recorder_ =
      std::make_unique<Recorder>(network_.node_count(), adversaries_, std::move(told),
                                 RoundWindow{exchange_of(first_, exchanges_), exchange_of(end_, exchanges_)});
}

std::uint64_t TrainingListeners::recorded_rounds(std::uint64_t made) const {
  return std::max(first_, std::min(made, end_)) - first_;
}

std::vector<std::string> TrainingListeners::columns() {
  return {"adversary", "round", "messages", "senders", "numbers", "from"};
}

Json TrainingListeners::table(std::uint64_t rounds_made) const {
  RowTable table(columns());
  for (const View& view : recorder_->views()) {
    std::map<std::uint64_t, Heard> by_round;
    for (const Overheard& message : view.messages()) {
      Heard& heard = by_round[message.round / exchanges_];
      ++heard.messages;
      heard.numbers += message.message.size();
      heard.from.insert(message.from);
    }
    const std::string name = adversary_name(network_, view.adversary());
    for (std::uint64_t i = 0; i < recorded_rounds(rounds_made); ++i) {
      const Heard& heard = by_round[first_ + i];
      table.add({name, first_ + i + 1, heard.messages, heard.from.size(), heard.numbers,
                 names_of(network_, heard.from)});
    }
  }
  return table.json();
}

}  // namespace earshot
