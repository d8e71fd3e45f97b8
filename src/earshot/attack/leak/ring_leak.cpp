#include "earshot/attack/leak/ring_leak.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

/// Below the radius by more than rounding.
constexpr double kInside = 1 - 1e-9;

/// A token as it is sent: the state, the number of updates, the number of the visit it is bound for, a time.
struct Token {
  const Overheard* heard = nullptr;
  static constexpr std::size_t kHeader = 3;

  double updates() const { return heard->message[heard->message.size() - kHeader]; }
  std::uint64_t visit() const {
    return static_cast<std::uint64_t>(heard->message[heard->message.size() - kHeader + 1]);
  }
};

/// A node's turn: the model before it, and the token it sent on.
struct Turn {
  NodeId victim = 0;
  std::uint64_t round = 1;
  Parameters before{};
  Parameters after{};
  double updates = 1;  // the model has seen when it leaves
};

double norm(std::span<const double> values) {
  double square = 0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

class RingReader {
 public:
  RingReader(const View& view, std::size_t parameters, const StepChoice& choice)
      : view_(view),
        told_(view.told()),
        parameters_(parameters),
        choice_(choice),
        visits_per_round_(fact<std::uint64_t>(told_, "visits_per_round")),
        step_(fact<double>(told_, "step")),
        radius_(fact<double>(told_, "radius", 0.0)) {}

  std::vector<Leak> leaks() const {
    std::vector<Leak> all;
    for (const Turn& turn : chosen_turns()) all.push_back(leak_of(turn));
    return all;
  }

 private:
  /// By the visit they are bound for. Of a token sent again the first is taken.
  std::map<std::uint64_t, Token> tokens() const {
    std::map<std::uint64_t, Token> all;
    for (const Overheard& heard : view_.messages()) {
      if (heard.message.size() < parameters_ + Token::kHeader || !heard.to) continue;
      const Token token{&heard};
      all.emplace(token.visit(), token);
    }
    return all;
  }

  std::optional<Turn> turn_before(const std::map<std::uint64_t, Token>& tokens, const Token& out) const {
    const NodeId victim = out.heard->from;
    Turn turn{victim,
              out.heard->said / visits_per_round_ + 1,
              {},
              out.heard->message.first(parameters_),
              out.updates()};
    double updates = 0;
    const auto in = tokens.find(out.visit() - 1);
    if (in != tokens.end() && in->second.heard->to == victim) {
      turn.before = in->second.heard->message.first(parameters_);
      updates = in->second.updates();
    } else if (out.visit() == 1 && told_.initial_parameters.size() >= parameters_) {
      turn.before = Parameters(told_.initial_parameters).first(parameters_);
    } else {
      return {};
    }
    if (turn.updates != updates + 1) return {};  // skipped, or out of budget
    return turn;
  }

  std::vector<Turn> turns() const {
    const auto tokens = this->tokens();
    std::vector<Turn> all;
    for (const auto& [visit, token] : tokens) {
      if (visit == 0 || std::ranges::binary_search(view_.adversary().colluding, token.heard->from)) continue;
      if (const auto turn = turn_before(tokens, token)) all.push_back(*turn);
    }
    return all;
  }

  std::vector<Turn> chosen_turns() const {
    std::vector<Turn> all = turns();
    if (!choice_.rounds.empty())
      std::erase_if(all, [&](const Turn& t) { return !std::ranges::binary_search(choice_.rounds, t.round); });
    std::ranges::stable_sort(all, {}, &Turn::victim);
    std::set<NodeId> victims;
    std::erase_if(all, [&](const Turn& turn) {
      const bool again = victims.contains(turn.victim);
      if (again) return choice_.rounds.empty();
      if (choice_.victims > 0 && victims.size() == choice_.victims) return true;
      victims.insert(turn.victim);
      return false;
    });
    return all;
  }

  Leak leak_of(const Turn& turn) const {
    const double step = step_ / std::sqrt(turn.updates);
    std::vector<double> released(parameters_);
    for (std::size_t i = 0; i < parameters_; ++i) released[i] = (turn.before[i] - turn.after[i]) / step;
    const bool put_back = radius_ > 0 && norm(turn.after) >= kInside * radius_;
    return {turn.victim, turn.round, 1,
            observe_gradient(turn.before, released, records_of_step(told_, turn.victim)),
            put_back ? "step of the model on its visit, without the part along the model, which was put back "
                       "into its ball"
                     : "step of the model on its visit: the gradient"};
  }

  const View& view_;
  const PublicKnowledge& told_;
  std::size_t parameters_;
  const StepChoice& choice_;
  std::uint64_t visits_per_round_;
  double step_;
  double radius_;
};

}  // namespace

std::vector<Leak> ring_leaks(const View& view, std::size_t parameters, const StepChoice& choice) {
  return RingReader(view, parameters, choice).leaks();
}

}  // namespace earshot
