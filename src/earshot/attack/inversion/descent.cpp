#include "earshot/attack/inversion/descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "earshot/attack/inversion/lbfgs.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/vectorised.hpp"
#include "earshot/training/optimiser.hpp"

namespace earshot {
namespace {

/// After 3/8, 5/8 and 7/8 of the way a tenth, as in the code of Geiping et al. 2020.
double decayed(double rate, std::size_t step, std::size_t steps) {
  for (const std::size_t eighths : {3, 5, 7})
    if (8 * step >= eighths * steps) rate *= 0.1;
  return rate;
}

void put_into(const std::optional<Box>& box, std::span<double> point) {
  if (!box) return;
  for (double& x : point.first(box->variables)) x = std::clamp(x, box->low, box->high);
}

/// One step along every gradient, for as many steps as were asked for.
template <class Step>
class FirstOrderDescent : public Descent {
 public:
  FirstOrderDescent(const FirstOrderOptions& options, std::span<const double> start)
      : options_(options), point_(start.begin(), start.end()), direction_(start.size()), step_(start.size()) {
    if (options.box && options.box->variables > start.size())
      fail(Fault::kInternal, "a box has more variables than the problem");
    put_into(options.box, point_);
  }

  std::span<const double> wanted() const override { return point_; }
  bool finished() const override {
    return iterations_ > options_.iterations || (!best().empty() && best_value() <= options_.target);
  }

  void tell(double value, std::span<const double> gradient) override {
    note(point_, value);
    set_direction(gradient);
    const double rate =
        options_.decay ? decayed(options_.rate, iterations_, options_.iterations) : options_.rate;
    step_.move(point_, direction_, rate);
    put_into(options_.box, point_);
    ++iterations_;
  }

 private:
  /// Zero where the gradient is not finite.
  void set_direction(std::span<const double> gradient) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    const double* const from = gradient.data();
    double* const to = direction_.data();
    const std::size_t size = direction_.size();
    vectorised([=, signs = options_.signs]() EARSHOT_VECTOR_BODY {
      for (std::size_t i = 0; i < size; ++i) {
        const double g = std::abs(from[i]) <= kLargest ? from[i] : 0;
        to[i] = g;
      }
      if (!signs) return;
      for (std::size_t i = 0; i < size; ++i) to[i] = to[i] > 0 ? 1 : to[i] < 0 ? -1 : 0;
    });
  }

  FirstOrderOptions options_;
  std::vector<double> point_;
  std::vector<double> direction_;
  Step step_;
};

struct PlainStep {
  explicit PlainStep(std::size_t) {}
  void move(std::span<double> point, std::span<const double> direction, double rate) {
    for (std::size_t i = 0; i < point.size(); ++i) point[i] -= rate * direction[i];
  }
};

struct AdamStep {
  explicit AdamStep(std::size_t size) : adam(size, {}) {}
  void move(std::span<double> point, std::span<const double> direction, double rate) {
    adam.set_rate(rate);
    adam.step(point, direction);
  }
  Adam adam;
};

struct Maker {
  std::span<const double> start;

  std::unique_ptr<Descent> operator()(const FirstOrderOptions& options) const {
    if (options.rule == StepRule::kAdam) return std::make_unique<FirstOrderDescent<AdamStep>>(options, start);
    return std::make_unique<FirstOrderDescent<PlainStep>>(options, start);
  }
  std::unique_ptr<Descent> operator()(const LbfgsOptions& options) const {
    return std::make_unique<Lbfgs>(options, start);
  }
};

/// body(k) for all k < count, shared out among threads a few at a time: a step takes microseconds.
template <class Body>
void in_blocks(std::size_t count, const Body& body) {
  constexpr std::size_t kBlock = 8;
  parallel_for((count + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t k = block * kBlock; k < std::min(count, (block + 1) * kBlock); ++k) body(k);
  });
}

std::vector<std::size_t> unfinished(std::span<const std::unique_ptr<Descent>> descents) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < descents.size(); ++i)
    if (!descents[i]->finished() && !descents[i]->dropped()) which.push_back(i);
  return which;
}

using Descents = std::span<const std::unique_ptr<Descent>>;

/// Infinite before the first finite value.
double standing(const Descent& descent) {
  return descent.best().empty() ? std::numeric_limits<double>::infinity() : descent.best_value();
}

double best_standing(Descents descents) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& descent : descents) best = std::min(best, standing(*descent));
  return best;
}

/// Drops all but the best so many of those still in the race, whether or not they are finished; between
/// equals the first stays, so that no thread count matters.
void keep_best(std::size_t count, Descents descents) {
  std::vector<Descent*> racing;
  for (const auto& descent : descents)
    if (!descent->dropped()) racing.push_back(descent.get());
  std::ranges::stable_sort(racing, {}, [](const Descent* descent) { return standing(*descent); });
  for (std::size_t k = count; k < racing.size(); ++k) racing[k]->drop();
}

/// After so many batches.
void run_race(const Race& race, std::size_t batches, Descents descents) {
  if (best_standing(descents) <= race.target) keep_best(1, descents);
  for (const std::size_t halvings : {1, 2, 3, 4}) {
    if (batches == (race.steps << (halvings - 1)) / 16)
      keep_best(std::max(race.kept, descents.size() >> halvings), descents);
  }
}

}  // namespace

void Descent::note(std::span<const double> point, double value) {
  ++evaluations_;
  if (!std::isfinite(value) || (!best_.empty() && value >= best_value_)) return;
  best_.assign(point.begin(), point.end());
  best_value_ = value;
}

std::unique_ptr<Descent> make_descent(const DescentOptions& options, std::span<const double> start) {
  return std::visit(Maker{start}, options);
}

void descend_together(std::span<const std::unique_ptr<Descent>> descents, const BatchEvaluation& evaluate,
                      const std::optional<Race>& race, const OnSearchStep& on_step) {
  if (descents.empty()) return;
  const std::size_t size = descents.front()->wanted().size();
  std::vector<double> points(descents.size() * size);
  std::vector<double> gradients(descents.size() * size);
  std::vector<double> values(descents.size());
  std::size_t batches = 0;
  for (auto which = unfinished(descents); !which.empty(); which = unfinished(descents)) {
    const std::size_t count = which.size();
    for (std::size_t k = 0; k < count; ++k)
      std::ranges::copy(descents[which[k]]->wanted(), points.begin() + static_cast<std::ptrdiff_t>(k * size));
    evaluate(which, std::span(points).first(count * size), std::span(values).first(count),
             std::span(gradients).first(count * size));
    in_blocks(count, [&](std::size_t k) {
      descents[which[k]]->tell(values[k], std::span(gradients).subspan(k * size, size));
    });
    ++batches;
    if (race) run_race(*race, batches, descents);
    if (on_step) on_step({batches, count, best_standing(descents)});
  }
}

}  // namespace earshot
