#include "earshot/audit/distinguisher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "earshot/audit/clopper_pearson.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

/// Samples that share a stream; part of what a seed means.
constexpr std::size_t kBlock = 1000;
/// Candidate thresholds cut off tails whose sizes grow by this factor.
constexpr double kTailGrowth = 1.1;
/// Two orders of the inputs, two bounds each.
constexpr double kBoundsTogether = 4;

using Samples = std::vector<double>;

void require_valid(double delta, const DistinguisherOptions& options) {
  if (!(delta >= 0 && delta < 1)) fail(Fault::kConfig, "delta must be at least 0 and below 1");
  if (!(options.false_alarm > 0 && options.false_alarm < 1))
    fail(Fault::kConfig, "the false-alarm probability must lie strictly between 0 and 1");
  if (options.samples < 2) fail(Fault::kConfig, "an audit needs at least two samples per input");
}

void draw_block(const BlackBox& box, std::size_t input, std::size_t block, std::uint64_t seed, Samples& out) {
  Stream stream({seed, Purpose::kAudit, block, input});
  const std::size_t end = std::min(out.size(), (block + 1) * kBlock);
  for (std::size_t i = block * kBlock; i < end; ++i) {
    out[i] = box.run(input, stream);
    if (!std::isfinite(out[i]))
      fail(Fault::kNumeric, "an audited mechanism put out a value that is not finite");
  }
}

std::array<Samples, 2> draw(const BlackBox& box, const DistinguisherOptions& options, Progress* progress) {
  std::array<Samples, 2> samples = {Samples(options.samples), Samples(options.samples)};
  const std::size_t blocks = (options.samples + kBlock - 1) / kBlock;
  parallel_for(2 * blocks, [&](std::size_t i) {
    stop_if_interrupted();
    draw_block(box, i % 2, i / 2, options.seed, samples[i % 2]);
    if (progress != nullptr) progress->advance(std::min(kBlock, options.samples - i / 2 * kBlock));
  });
  return samples;
}

/// The half that chooses events, sorted.
Samples choosing_half(const Samples& all) {
  Samples half(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  std::ranges::sort(half);
  return half;
}

std::uint64_t count_at_least(const Samples& sorted, double threshold) {
  return static_cast<std::uint64_t>(sorted.end() - std::ranges::lower_bound(sorted, threshold));
}

std::uint64_t count_at_most(const Samples& sorted, double threshold) {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(sorted, threshold) - sorted.begin());
}

/// Keeps the candidate that bounds epsilon best on the choosing half.
class Choice {
 public:
  Choice(std::uint64_t trials, double delta, double miss) : trials_(trials), delta_(delta), miss_(miss) {}

  void offer(std::uint64_t likelier_hits, std::uint64_t other_hits, const std::function<Event()>& event) {
    const double epsilon = bound_of_hits(likelier_hits, other_hits, trials_, delta_, miss_).epsilon;
    if (epsilon <= best_epsilon_) return;
    best_epsilon_ = epsilon;
    best_ = event();
  }
  const Event& best() const { return best_; }

 private:
  std::uint64_t trials_;
  double delta_;
  double miss_;
  double best_epsilon_ = -1;
  Event best_;
};

void offer_thresholds(const Samples& likelier, const Samples& other, Choice& choice) {
  Samples pooled;
  pooled.reserve(likelier.size() + other.size());
  std::ranges::merge(likelier, other, std::back_inserter(pooled));
  for (double size = 1; size <= static_cast<double>(pooled.size()); size = std::ceil(size * kTailGrowth)) {
    const auto tail = static_cast<std::size_t>(size);
    const double high = pooled[pooled.size() - tail];
    choice.offer(count_at_least(likelier, high), count_at_least(other, high), [&] {
      return Event{Event::Kind::kAtLeast, high, {}};
    });
    const double low = pooled[tail - 1];
    choice.offer(count_at_most(likelier, low), count_at_most(other, low), [&] {
      return Event{Event::Kind::kAtMost, low, {}};
    });
  }
}

struct CategoryCount {
  double category = 0;
  std::uint64_t likelier = 0;
  std::uint64_t other = 0;

  /// Half a hit is added to both, so that rare categories do not lead by accident.
  double ratio() const { return (static_cast<double>(likelier) + 0.5) / (static_cast<double>(other) + 0.5); }
};

std::vector<CategoryCount> by_falling_ratio(const Samples& likelier, const Samples& other) {
  std::map<double, CategoryCount> counts;
  for (const double category : likelier) ++counts[category].likelier;
  for (const double category : other) ++counts[category].other;
  std::vector<CategoryCount> ordered;
  for (auto& [category, count] : counts) {
    count.category = category;
    ordered.push_back(count);
  }
  std::ranges::stable_sort(ordered, std::greater<>(), &CategoryCount::ratio);
  return ordered;
}

/// The best events are the sets of categories whose likelihood ratio exceeds a threshold (Neyman & Pearson).
void offer_categories(const Samples& likelier, const Samples& other, Choice& choice) {
  const auto ordered = by_falling_ratio(likelier, other);
  CategoryCount sum;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    sum.likelier += ordered[i].likelier;
    sum.other += ordered[i].other;
    choice.offer(sum.likelier, sum.other, [&] {
      Event event{Event::Kind::kCategories, 0, {}};
      for (std::size_t j = 0; j <= i; ++j) event.categories.push_back(ordered[j].category);
      std::ranges::sort(event.categories);
      return event;
    });
  }
}

std::uint64_t count_in_testing_half(const Event& event, const Samples& all) {
  const auto start = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  return static_cast<std::uint64_t>(
      std::count_if(start, all.end(), [&](double observation) { return event.contains(observation); }));
}

}  // namespace

bool Event::contains(double observation) const {
  switch (kind) {
    case Kind::kAtLeast:
      return observation >= threshold;
    case Kind::kAtMost:
      return observation <= threshold;
    case Kind::kCategories:
      return std::ranges::binary_search(categories, observation);
  }
  return false;
}

std::string describe(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kAtLeast:
      return fmt::format("score at least {:.6g}", event.threshold);
    case Event::Kind::kAtMost:
      return fmt::format("score at most {:.6g}", event.threshold);
    case Event::Kind::kCategories:
      break;
  }
  constexpr std::size_t kShown = 12;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kShown, event.categories.size()));
  const std::string list =
      fmt::format("{}", fmt::join(event.categories.begin(), event.categories.begin() + shown, ", "));
  if (event.categories.size() > kShown)
    return fmt::format("output in {{{}, ...}} ({} outputs)", list, event.categories.size());
  return fmt::format("output in {{{}}}", list);
}

EpsilonBound bound_of_hits(std::uint64_t likelier_hits, std::uint64_t other_hits, std::uint64_t trials,
                           double delta, double miss) {
  EpsilonBound bound;
  bound.likelier_hits = likelier_hits;
  bound.other_hits = other_hits;
  bound.trials = trials;
  bound.likelier_at_least = probability_at_least(likelier_hits, trials, miss);
  bound.other_at_most = probability_at_most(other_hits, trials, miss);
  if (bound.likelier_at_least > delta)
    bound.epsilon = std::max(0.0, std::log((bound.likelier_at_least - delta) / bound.other_at_most));
  return bound;
}

double largest_bound(double delta, const DistinguisherOptions& options) {
  require_valid(delta, options);
  const std::uint64_t trials = options.samples - options.samples / 2;
  return bound_of_hits(trials, 0, trials, delta, options.false_alarm / kBoundsTogether).epsilon;
}

EpsilonBound epsilon_lower_bound(const BlackBox& box, double delta, const DistinguisherOptions& options,
                                 Progress* progress) {
  require_valid(delta, options);
  const auto samples = draw(box, options, progress);
  const std::array<Samples, 2> choosing = {choosing_half(samples[0]), choosing_half(samples[1])};
  const double miss = options.false_alarm / kBoundsTogether;
  EpsilonBound best;
  for (const std::size_t likelier : {0, 1}) {
    Choice choice(choosing[0].size(), delta, miss);
    if (box.observation == Observation::kScore)
      offer_thresholds(choosing[likelier], choosing[1 - likelier], choice);
    else
      offer_categories(choosing[likelier], choosing[1 - likelier], choice);
    EpsilonBound bound = bound_of_hits(count_in_testing_half(choice.best(), samples[likelier]),
                                       count_in_testing_half(choice.best(), samples[1 - likelier]),
                                       options.samples - choosing[0].size(), delta, miss);
    bound.event = choice.best();
    bound.likelier = likelier;
    if (best.trials == 0 || bound.epsilon > best.epsilon) best = std::move(bound);
  }
  return best;
}

}  // namespace earshot
