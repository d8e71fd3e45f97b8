#include "earshot/network/faults.hpp"

#include <cmath>

#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// The k with P[k] = (1 - p) p^k, of mean p / (1 - p) = `mean`, at the quantile `uniform`.
Round geometric(double mean, double uniform) {
  if (mean == 0) return 0;
  return static_cast<Round>(std::log1p(-uniform) / std::log(mean / (1 + mean)));
}

Parameter probability(std::string key, double fallback, std::string help) {
  return real_parameter(std::move(key), fallback, 0, 1, std::move(help));
}

std::vector<Parameter> random_parameters() {
  return {
      probability("loss", 0, "probability that a message never arrives"),
      boolean_parameter("symmetric", false,
                        "a loss is a link's and takes the messages of both directions, so that averaging "
                        "keeps the mean"),
      real_parameter("delay", 0, 0, 1000, "mean number of rounds a message is late (geometric)"),
      boolean_parameter("reorder", true,
                        "late messages are heard even after newer ones of the same sender; otherwise they "
                        "are dropped"),
      probability("straggler", 0, "probability that all messages of a node are one round later"),
      probability("crash", 0, "probability per round that a running node goes down"),
      probability("return", 0.5, "probability per round that a node comes back, with the state it had")};
}

FaultOptions make_none(const Settings&) {
  return {};
}

FaultOptions make_random(const Settings& settings) {
  return {settings.real("loss"),       settings.boolean("symmetric"), settings.real("delay"),
          settings.boolean("reorder"), settings.real("straggler"),    settings.real("crash"),
          settings.real("return")};
}

}  // namespace

Json to_json(const FaultReport& report) {
  return {{"sent", report.sent},       {"lost", report.lost},
          {"delayed", report.delayed}, {"superseded", report.superseded},
          {"crashes", report.crashes}, {"rounds_down", report.rounds_down}};
}

std::span<const FaultsComponent> faults_components() {
  static const std::vector<FaultsComponent> components = {
      {{"faults", "none", "every message arrives in its round and no node fails", "", {}}, make_none},
      {{"faults", "random", "messages are lost or late and nodes crash and return, independently at random",
        "Lynch 1996, Distributed Algorithms (omission and crash failures)", random_parameters()},
       make_random}};
  return components;
}

FaultLaw::FaultLaw(const FaultOptions& options, std::uint64_t seed, std::uint64_t trial, std::size_t nodes)
    : options_(options), seed_(seed), trial_(trial), down_(nodes, 0) {
  report_.rounds_down.assign(nodes, 0);
}

void FaultLaw::enter(Round round, const Graph& graph, std::span<const std::size_t> reverse) {
  fates_.resize(reverse.size());
  std::vector<char> crashed(graph.node_count(), 0);
  parallel_for(graph.node_count(), [&](std::size_t i) {
    const auto node = static_cast<NodeId>(i);
    Stream stream({seed_, Purpose::kFault, trial_, node, round});
    const double turn = stream.uniform();
    crashed[i] = down_[i] == 0 && turn < options_.crash;
    down_[i] = down_[i] == 0 ? crashed[i] : turn >= options_.comeback;
    const Round slow = stream.uniform() < options_.straggler ? 1 : 0;
    const std::size_t first = graph.first_slot(node);
    for (std::size_t slot = first; slot < first + graph.degree(node); ++slot) {
      fates_[slot].lost = stream.uniform() < options_.loss;
      fates_[slot].late = slow + geometric(options_.delay, stream.uniform());
    }
  });
  // The link's loss is the one drawn for the direction that comes first.
  if (options_.symmetric) {
    for (std::size_t slot = 0; slot < reverse.size(); ++slot)
      if (reverse[slot] < slot) fates_[slot].lost = fates_[reverse[slot]].lost;
  }
  for (std::size_t i = 0; i < down_.size(); ++i) {
    report_.crashes += static_cast<std::uint64_t>(crashed[i]);
    report_.rounds_down[i] += static_cast<std::uint64_t>(down_[i]);
  }
}

void FaultLaw::save(StateWriter& out) const {
  for (const std::uint64_t count :
       {report_.sent, report_.lost, report_.delayed, report_.superseded, report_.crashes})
    out.number(count);
  for (std::size_t i = 0; i < down_.size(); ++i) {
    out.number(static_cast<std::uint64_t>(down_[i]));
    out.number(report_.rounds_down[i]);
  }
}

void FaultLaw::load(StateReader& in) {
  for (std::uint64_t* count :
       {&report_.sent, &report_.lost, &report_.delayed, &report_.superseded, &report_.crashes})
    *count = in.number();
  for (std::size_t i = 0; i < down_.size(); ++i) {
    down_[i] = in.number() != 0;
    report_.rounds_down[i] = in.number();
  }
}

}  // namespace earshot
