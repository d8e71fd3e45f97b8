#include "earshot/attack/leak/primal_dual_leak.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "earshot/attack/leak/primal_dual_rounds.hpp"
#include "earshot/attack/leak/public_facts.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::VectorXd;

std::vector<double> numbers(const VectorXd& vector) {
  return {vector.begin(), vector.end()};
}

Round last_exchange(const PrimalDualFacts& facts, std::uint64_t rounds) {
  constexpr Round kAll = std::numeric_limits<Round>::max();
  return rounds == 0 || rounds > kAll / facts.exchanges ? kAll : static_cast<Round>(rounds) * facts.exchanges;
}

class PrimalDualReader {
 public:
  /// Where given, `read` gathers the messages that leaks are read off.
  PrimalDualReader(const View& view, const PrimalDualLeakOptions& options, MessageKeys* read = nullptr)
      : view_(view), options_(options), transcript_(make_transcript(view, options.until, read)) {
    const PrimalDualFacts& facts = transcript_.facts();
    rule_ = options.exact_rule ? LocalRule::kExact : facts.rule;
  }

  std::vector<Leak> leaks() {
    set_bend();
    std::vector<Leak> all;
    std::size_t read = 0;
    for (const NodeId node : victims()) {
      if (options_.victims != 0 && read == options_.victims) break;
      std::vector<Leak> own;
      const std::size_t first = first_step(node);
      for (std::size_t k = 0; k < options_.rounds; ++k) {
        std::optional<Leak> leak = leak_of(node, first + k);
        if (!leak) break;
        own.push_back(std::move(*leak));
      }
      if (!own.empty()) ++read;
      if (options_.together && own.size() > 1) own = {added_up(own)};
      std::ranges::move(own, std::back_inserter(all));
    }
    return all;
  }

 private:
  static PrimalDualTranscript make_transcript(const View& view, std::uint64_t until, MessageKeys* read) {
    PrimalDualFacts facts = primal_dual_facts(view.told());
    const Round end = last_exchange(facts, until);
    return PrimalDualTranscript(view, std::move(facts), end, read);
  }

  void set_bend() {
    if (rule_ == LocalRule::kExact || rule_ == LocalRule::kSteps) return;
    const std::optional<double> step = options_.fit_step != nullptr ? fitted_step()
                                       : options_.step              ? options_.step
                                                                    : transcript_.facts().step;
    if (!step)
      fail(Fault::kConfig,
           "the size of a step is secret (protocol.private_step): give a guess, have it fitted, or take "
           "updates for exact ones");
    bend_ = bend_factor(rule_, *step);
  }

  /// Everybody uses the same: the median of what the rounds of a few victims say.
  std::optional<double> fitted_step() const {
    constexpr std::size_t kVictims = 9, kRounds = 5;
    std::vector<double> steps;
    for (const NodeId node : victims()) {
      if (steps.size() == kVictims) break;
      if (transcript_.facts().records[node] != 1) continue;
      std::vector<SteppedDifference> differences;
      for (std::size_t k = 0; k < kRounds; ++k) {
        auto one = difference_of(node, first_step(node) + k);
        if (!one) break;
        differences.push_back(std::move(*one));
      }
      if (const auto step = fit_step(*options_.fit_step, rule_, differences)) steps.push_back(*step);
    }
    if (steps.empty())
      fail(Fault::kData,
           "the size of a step cannot be fitted: that takes a victim with one record, several of its rounds, "
           "and a network that begins with a dense layer with bias");
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::ranges::nth_element(steps, middle);
    return *middle;
  }

  /// Honest nodes that learn.
  std::vector<NodeId> victims() const {
    std::vector<NodeId> all;
    for (NodeId node = 0; node < transcript_.facts().learners(); ++node) {
      if (!transcript_.member(node)) all.push_back(node);
    }
    return all;
  }
  std::size_t first_step(NodeId node) const {
    const std::span<const Round> steps = transcript_.steps(node);
    const auto first = std::ranges::find_if(
        steps, [&](Round at) { return transcript_.training_round(at) >= options_.round; });
    return static_cast<std::size_t>(first - steps.begin());
  }

  static Leak added_up(const std::vector<Leak>& own) {
    std::vector<VectorXd> differences;
    for (const Leak& one : own)
      differences.emplace_back(Eigen::Map<const VectorXd>(
          one.observation.values.data(), static_cast<Eigen::Index>(one.observation.values.size())));
    Leak leak = own.front();
    leak.rounds = own.back().round + own.back().rounds - leak.round;
    leak.observation.values = numbers(aligned_sum(differences));
    leak.observation.terms = {{1, {}}, {-1, {}}};
    leak.what = fmt::format("weighted sum of {} leaks from round {} on", own.size(), leak.round);
    return leak;
  }

  std::optional<Leak> leak_of(NodeId node, std::size_t m) const {
    if (options_.form == DualForm::kBest) {
      if (const auto gradient = whole_gradient(transcript_, node, m, rule_, options_.links))
        return gradient_leak(node, m, *gradient);
    }
    const auto difference = difference_of(node, m);
    if (!difference) return {};
    return difference_leak(node, m, *difference);
  }

  std::optional<SteppedDifference> difference_of(NodeId node, std::size_t m) const {
    if (options_.form == DualForm::kPublished)
      return published_difference(transcript_, node, m, rule_,
                                  [&](NodeId one, std::size_t step) { return model(one, step); });
    return gradient_difference(transcript_, node, m, rule_, options_.links);
  }

  std::optional<VectorXd> model(NodeId node, std::size_t step) const {
    return options_.anchor == ModelAnchor::kLast ? model_from_the_end(transcript_, node, step, options_.links)
                                                 : model_along_links(transcript_, node, step, options_.links);
  }
  /// Empty when it is not known.
  std::vector<double> parameters(NodeId node, std::size_t step) const {
    const auto known = model(node, step);
    return known ? numbers(*known) : std::vector<double>();
  }

  std::vector<double> of_mean_loss(NodeId node, const SteppedDifference& difference) const {
    return numbers(difference.value(bend_) / transcript_.facts().scales[node]);
  }

  Leak gradient_leak(NodeId node, std::size_t m, const SteppedDifference& gradient) const {
    const auto at = model_at_known_link(transcript_, node, m, options_.links);
    Leak leak = leak_at(node, m, 1);
    leak.observation = {
        {{1, numbers(*at)}}, of_mean_loss(node, gradient), records_of_step(view_.told(), node)};
    leak.what =
        fmt::format("gradient of round {}: every auxiliary variable of the node is known", leak.round);
    return leak;
  }

  Leak difference_leak(NodeId node, std::size_t m, const SteppedDifference& difference) const {
    const std::size_t records = transcript_.facts().records[node];
    if (records_of_step(view_.told(), node) != records)
      fail(Fault::kConfig,
           "steps see other records every time, so their gradients do not compare; leave protocol.batch out");
    const bool published = options_.form == DualForm::kPublished;
    const std::size_t other = published ? m + 2 : m + 1;
    Leak leak = leak_at(node, m, steps_needed());
    const double sign = published ? 1 : -1;  // of the earlier gradient
    leak.observation = {{{sign, parameters(node, m)}, {-sign, parameters(node, other)}},
                        of_mean_loss(node, difference),
                        records};
    leak.what = fmt::format("difference of the gradients of rounds {} and {}, read off {}", leak.round,
                            transcript_.training_round(transcript_.steps(node)[other]),
                            published ? "models (as published)" : "the messages");
    return leak;
  }

  std::size_t steps_needed() const {
    return (bend_ == 0 ? 2 : 3) + (options_.form == DualForm::kPublished ? 1 : 0);
  }

  /// `needed` of the node's steps go into it.
  Leak leak_at(NodeId node, std::size_t m, std::size_t needed) const {
    const std::span<const Round> steps = transcript_.steps(node);
    Leak leak;
    leak.victim = node;
    leak.round = transcript_.training_round(steps[m]);
    const Round end = steps[std::min(m + needed, steps.size()) - 1];
    leak.rounds = transcript_.training_round(end) - leak.round + 1;
    leak.cell = transcript_.facts().cell;
    return leak;
  }

  const View& view_;
  const PrimalDualLeakOptions& options_;
  PrimalDualTranscript transcript_;
  LocalRule rule_ = LocalRule::kExact;
  double bend_ = 0;
};

/// Everybody tells every neighbour something in every exchange: one number, and always the same.
void rehearse(const Graph& network, const RoundWindow& window, Recorder& recorder) {
  const double nothing = 0;
  const std::span<const double> message(&nothing, 1);
  const auto every_link = [&](const auto& tell) {
    for (NodeId from = 0; from < network.node_count(); ++from) {
      for (const NodeId to : network.neighbours(from)) tell(from, to);
    }
  };
  every_link([&](NodeId from, NodeId to) { recorder.on_encrypted(from, to, message); });
  for (Round round = window.first; round < window.end; ++round)
    every_link([&](NodeId from, NodeId to) { recorder.on_message(round, from, to, message); });
}

}  // namespace

std::optional<MessageKeys> messages_read(const Adversary& adversary, const PublicKnowledge& told,
                                         const RoundWindow& window, PrimalDualLeakOptions options) {
  const bool foreseeable = options.fit_step == nullptr && options.anchor != ModelAnchor::kLast;
  if (!foreseeable || fact<std::string>(told, "activation", "") != "all") return {};
  options.together = false;  // the same messages, and zeros cannot be aligned
  Recorder recorder(told.network->node_count(), {&adversary, 1}, told, window);
  rehearse(*told.network, window, recorder);
  MessageKeys read;
  PrimalDualReader(recorder.views()[0], options, &read).leaks();
  return read;
}

std::vector<Leak> primal_dual_leaks(const View& view, const PrimalDualLeakOptions& options) {
  return PrimalDualReader(view, options).leaks();
}

}  // namespace earshot
