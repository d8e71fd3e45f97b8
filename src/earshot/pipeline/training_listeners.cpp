#include "earshot/pipeline/training_listeners.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/attack/leak/leaks.hpp"
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

void tell_graphs(const Protocol& protocol, std::span<const std::uint64_t> rounds, PublicKnowledge& told) {
  const auto* averaging = dynamic_cast<const DecentralisedTraining*>(&protocol);
  if (averaging == nullptr || averaging->mixing().fixed()) return;
  told.protocol["graphs"] = Json::array();
  for (const std::uint64_t round : rounds) {
    if (round < 2) continue;
    Json links = Json::array();
    const GossipMatrix matrix = averaging->mixing().matrix(static_cast<Round>(round - 2));
    for (const auto& [a, b] : matrix.graph().edges()) links.push_back({a, b});
    told.protocol["graphs"].push_back({{"round", round - 1}, {"links", std::move(links)}});
  }
}

bool ChosenExchanges::wanted(Round round) const {
  return std::ranges::any_of(windows_, [&](const RoundWindow& window) { return window.contains(round); });
}
void ChosenExchanges::on_broadcast(Round round, NodeId from, const Audience& audience,
                                   std::span<const double> message) {
  if (wanted(round)) observer_.on_broadcast(round, from, audience, message);
}
void ChosenExchanges::on_message(Round round, NodeId from, NodeId to, std::span<const double> message) {
  if (wanted(round)) observer_.on_message(round, from, to, message);
}
void ChosenExchanges::on_missed(Round round, NodeId from, NodeId to, std::span<const double> message) {
  if (wanted(round)) observer_.on_missed(round, from, to, message);
}
void ChosenExchanges::on_late(Round round, NodeId from, NodeId to, Round said,
                              std::span<const double> message) {
  if (wanted(round)) observer_.on_late(round, from, to, said, message);
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
  if (cell.find("attack") != nullptr) choose_rounds(cell, protocol, told);
  // What an attack on one round needs may begin in the exchange before it.
  const Round before = attacked_.empty() || first_ == 0 ? 0 : 1;
  const RoundWindow window{exchange_of(first_, exchanges_) - before, exchange_of(end_, exchanges_)};
  recorder_ = std::make_unique<Recorder>(network_.node_count(), adversaries_, std::move(told), window);
  read_.resize(adversaries_.size());
  if (cell.find("attack") != nullptr && attacked_.empty() && cell.find("faults") == nullptr)
    choose_messages(cell, window);
  if (!attacked_.empty()) chosen_ = std::make_unique<ChosenExchanges>(*recorder_, windows_);
}

/// An attack that names its rounds needs no others in memory.
void TrainingListeners::choose_rounds(const Cell& cell, const Protocol& protocol, PublicKnowledge& told) {
  const Settings& attack = cell.at("attack").settings;
  if (!attack.has("rounds")) {
    const bool named = attack.has("round");
    const std::uint64_t first = named ? attack.size("round") : first_ + 1;
    require_heard(named ? "attack.round" : "adversary.rounds", first, told);
    tell_graphs(protocol, std::vector<std::uint64_t>{first, first + 1}, told);
    return;
  }
  attacked_ = step_choice(attack, told).rounds;
  for (const std::uint64_t round : attacked_) {
    require_heard("attack.rounds", round, told);
    windows_.push_back(window_of_round(told, round));
  }
  tell_graphs(protocol, attacked_, told);
}

void TrainingListeners::require_heard(const char* key, std::uint64_t round,
                                      const PublicKnowledge& told) const {
  if (round <= first_ || round > end_)
    throw PlanError({{key, fmt::format("round {} is attacked, but not recorded", round),
                      fmt::format("name rounds from {} to {}, or change adversary.from and adversary.rounds",
                                  first_ + 1, end_)}});
  const std::uint64_t heard = heard_by_round(told, round);
  if (heard > end_)
    throw PlanError(
        {{key,
          fmt::format("what nodes did in round {} is heard in round {}, which is not recorded", round, heard),
          "attack an earlier round, or record one more"}});
}

/// On a network that loses nothing an attack often knows beforehand what it will read.
void TrainingListeners::choose_messages(const Cell& cell, const RoundWindow& window) {
  for (std::size_t i = 0; i < adversaries_.size(); ++i) {
    read_[i] = messages_read(adversaries_[i], recorder_->told(), window, cell.at("attack").settings);
    if (read_[i]) recorder_->keep_only(i, *read_[i]);
  }
}

std::vector<std::uint64_t> TrainingListeners::recorded(std::uint64_t made) const {
  std::vector<std::uint64_t> rounds;
  for (std::uint64_t round = first_ + 1; attacked_.empty() && round <= std::min(made, end_); ++round)
    rounds.push_back(round);
  for (const std::uint64_t round : attacked_)
    if (round <= made) rounds.push_back(round);
  return rounds;
}

std::uint64_t TrainingListeners::recorded_rounds(std::uint64_t made) const {
  return recorded(made).size();
}

std::vector<std::string> TrainingListeners::columns() {
  return {"adversary", "round", "messages", "senders", "numbers", "from"};
}

Json TrainingListeners::table(std::uint64_t rounds_made) const {
  RowTable table(columns());
  for (const View& view : recorder_->views()) {
    std::map<std::uint64_t, Heard> by_round;
    const auto count = [&](Round round, NodeId from, std::size_t numbers) {
      Heard& heard = by_round[round / exchanges_];
      ++heard.messages;
      heard.numbers += numbers;
      heard.from.insert(from);
    };
    for (const Overheard& message : view.messages())
      count(message.round, message.from, message.message.size());
    for (const Unkept& message : view.unkept()) count(message.round, message.from, message.numbers);
    const std::string name = adversary_name(network_, view.adversary());
    for (const std::uint64_t round : recorded(rounds_made)) {
      const Heard& heard = by_round[round - 1];
      table.add(
          {name, round, heard.messages, heard.from.size(), heard.numbers, names_of(network_, heard.from)});
    }
  }
  return table.json();
}

}  // namespace earshot
