// A source of bits for tests that walks through everything a sampler can do, with exact probabilities.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace earshot {

/// Replays one path of decisions; new decisions start at their first branch. `bits()` is a decision about the
/// top bit only, which is all that `fair_coin` looks at.
class DecisionTree {
 public:
  struct TooUnlikely {};

  explicit DecisionTree(double cutoff) : cutoff_(cutoff) {}

  std::uint64_t below(std::uint64_t bound) {
    if (bound == 1) return 0;
    if (position_ == path_.size()) {
      if (probability_ / static_cast<double>(bound) < cutoff_) throw TooUnlikely();
      path_.push_back({0, bound});
    }
    probability_ /= static_cast<double>(bound);
    return path_[position_++].taken;
  }
  std::uint64_t bits() { return below(2) << 63; }

  double probability() const { return probability_; }

  /// Moves on to the next path; false after the last one.
  bool advance() {
    path_.resize(position_);
    while (!path_.empty() && path_.back().taken + 1 == path_.back().bound) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    position_ = 0;
    probability_ = 1;
    return true;
  }

 private:
  struct Decision {
    std::uint64_t taken;
    std::uint64_t bound;
  };
  double cutoff_;
  std::vector<Decision> path_;
  std::size_t position_ = 0;
  double probability_ = 1;
};

/// Probability of every outcome, each too small by no more than `missing` in total.
template <class Outcome>
struct Enumeration {
  std::map<Outcome, double> probability;
  double missing = 1;
};

template <class Outcome, class Sampler>
Enumeration<Outcome> enumerate(double cutoff, Sampler&& sampler) {
  Enumeration<Outcome> result;
  DecisionTree tree(cutoff);
  do {
    try {
      const Outcome outcome = sampler(tree);
      result.probability[outcome] += tree.probability();
      result.missing -= tree.probability();
    } catch (const DecisionTree::TooUnlikely&) {
    }
  } while (tree.advance());
  return result;
}

}  // namespace earshot
