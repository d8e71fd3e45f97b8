#include "earshot/attack/inversion/inversion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// Sizes of one search: variables are the records, then, when labels are sought, their logits.
struct Layout {
  std::size_t records = 0;
  std::size_t input_size = 0;
  std::size_t output_size = 0;
  bool soft_labels = false;

  std::size_t inputs() const { return records * input_size; }
  std::size_t targets() const { return records * output_size; }
  std::size_t variables() const { return inputs() + (soft_labels ? targets() : 0); }
};

Layout layout_of(const Model& model, const Observation& observation, const InversionOptions& options) {
  return {observation.records, model.input_size(), model.output_size(), options.labels == Labels::kOptimised};
}

std::size_t candidate_count(const Layout& layout, const InversionOptions& options) {
  return options.labels == Labels::kTraversed ? options.targets.size() / layout.targets() : 1;
}

void require_targets(const Layout& layout, const InversionOptions& options) {
  const std::size_t given = options.targets.size();
  if (options.labels == Labels::kOptimised) return;
  const bool fits = options.labels == Labels::kKnown ? given == layout.targets()
                                                     : given > 0 && given % layout.targets() == 0;
  if (!fits) {
    fail(Fault::kConfig, fmt::format("labels of {} records with {} outputs were expected, {} numbers given",
                                     layout.records, layout.output_size, given));
  }
}

void require_valid(const Model& model, const Shape& input, const Layout& layout,
                   const InversionOptions& options) {
  if (input.size() != model.input_size()) {
    fail(Fault::kConfig,
         fmt::format("a record has {} numbers, the model takes {}", input.size(), model.input_size()));
  }
  require_valid(options.matching, model.parameter_count());
  require_valid(options.prior, input);
  require_targets(layout, options);
  if (options.restarts == 0) fail(Fault::kConfig, "an inversion needs at least one restart");
  if (options.box && !(options.box->low < options.box->high))
    fail(Fault::kConfig, "the box must have its lower bound below the upper");
  if (options.box && std::holds_alternative<LbfgsOptions>(options.descent))
    fail(Fault::kConfig, "L-BFGS searches without bounds; leave out the box or use adam");
  if (options.start == Start::kGiven && options.given.size() != layout.inputs()) {
    fail(Fault::kConfig, fmt::format("the given start has {} numbers, {} records have {}",
                                     options.given.size(), layout.records, layout.inputs()));
  }
  if (options.labels == Labels::kOptimised && model.loss() == LossKind::kMeanSquared)
    fail(Fault::kConfig, "soft labels are for classes; give the targets of a regression");
}

void softmax(std::span<const double> logits, std::span<double> out) {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] = std::exp(logits[i] - largest);
  for (double& p : out) p /= sum;
}

/// Soft labels from logits: softmax over classes, or a sigmoid each under binary cross-entropy.
void to_labels(LossKind loss, std::size_t width, std::span<const double> logits, std::span<double> out) {
  if (loss == LossKind::kBinaryCrossEntropy) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 1 / (1 + std::exp(-logits[i]));
    return;
  }
  for (std::size_t row = 0; row < out.size(); row += width)
    softmax(logits.subspan(row, width), out.subspan(row, width));
}

/// Derivatives by the logits from those by the labels, in place.
void to_logits(LossKind loss, std::size_t width, std::span<const double> labels, std::span<double> slopes) {
  if (loss == LossKind::kBinaryCrossEntropy) {
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= labels[i] * (1 - labels[i]);
    return;
  }
  for (std::size_t row = 0; row < slopes.size(); row += width) {
    double mean = 0;
    for (std::size_t i = row; i < row + width; ++i) mean += labels[i] * slopes[i];
    for (std::size_t i = row; i < row + width; ++i) slopes[i] = labels[i] * (slopes[i] - mean);
  }
}

/// The objective at many points in one call.
template <class Real>
class Objective {
 public:
  Objective(const Model& model, const Shape& input, const Observation& observation,
            const InversionOptions& options, const Layout& layout)
      : options_(options),
        layout_(layout),
        shape_(input),
        loss_(model.loss()),
        size_(observation.values.size()),
        predictor_(make_predictor<Real>(model, observation)),
        observed_(observation.values.begin(), observation.values.end()) {}

  /// `candidates` says which labels each point is tried with.
  void evaluate(std::span<const std::size_t> candidates, std::span<const double> points,
                std::span<double> values, std::span<double> gradients) {
    const std::size_t count = candidates.size();
    resize(count);
    decode(candidates, points);
    const Guesses<Real> guesses{count, layout_.records, inputs_, targets_};
    const ProblemGradient<Real> slopes{input_slopes_, target_slopes_, {}};
    if (!match_squares(guesses, slopes)) match(guesses, slopes);
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = distances_[k] + finish(k, points.subspan(k * layout_.variables(), layout_.variables()),
                                         gradients.subspan(k * layout_.variables(), layout_.variables()));
    }
  }
  double distance(std::size_t k) const { return distances_[k]; }

 private:
  /// Whether the matching is of squares and the predictor has a shortcut for it.
  bool match_squares(const Guesses<Real>& guesses, const ProblemGradient<Real>& slopes) {
    const std::optional<double> factor = factor_of_squares(options_.matching);
    if (!factor || !predictor_->match(guesses, observed_, distances_, slopes)) return false;
    if (*factor == 1) return true;
    for (double& distance : distances_) distance *= *factor;
    for (const auto numbers : {slopes.inputs, slopes.targets})
      for (Real& slope : numbers) slope *= static_cast<Real>(*factor);
    return true;
  }
  /// A few at a time: gradients and directions of all would not stay in the cache.
  void match(const Guesses<Real>& guesses, const ProblemGradient<Real>& slopes) {
    constexpr std::size_t kTogether = 8;
    for (std::size_t first = 0; first < guesses.count; first += kTogether) {
      const std::size_t count = std::min(kTogether, guesses.count - first);
      const auto part = [&](auto numbers) {
        const std::size_t size = numbers.size() / guesses.count;
        return numbers.subspan(first * size, count * size);
      };
      predicted_.resize(count * size_);
      directions_.resize(count * size_);
      predictor_->predict({count, guesses.records, part(guesses.inputs), part(guesses.targets)}, predicted_);
      for (std::size_t k = 0; k < count; ++k) {
        distances_[first + k] =
            compare<Real>(options_.matching, observed_, row(predicted_, k), row(directions_, k));
      }
      predictor_->pull(directions_, {part(slopes.inputs), part(slopes.targets), {}});
    }
  }

  void resize(std::size_t count) {
    inputs_.resize(count * layout_.inputs());
    targets_.resize(count * layout_.targets());
    distances_.resize(count);
    input_slopes_.resize(count * layout_.inputs());
    target_slopes_.resize(layout_.soft_labels ? count * layout_.targets() : 0);
    labels_.resize(count * layout_.targets());
  }
  std::span<Real> row(std::vector<Real>& all, std::size_t k) {
    return std::span(all).subspan(k * size_, size_);
  }
  std::span<double> labels(std::size_t k) {
    return std::span(labels_).subspan(k * layout_.targets(), layout_.targets());
  }

  void decode(std::span<const std::size_t> candidates, std::span<const double> points) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const auto point = points.subspan(k * layout_.variables(), layout_.variables());
      for (std::size_t i = 0; i < layout_.inputs(); ++i)
        inputs_[k * layout_.inputs() + i] = static_cast<Real>(point[i]);
      if (layout_.soft_labels) {
        to_labels(loss_, layout_.output_size, point.subspan(layout_.inputs()), labels(k));
      } else {
        std::ranges::copy(
            std::span(options_.targets).subspan(candidates[k] * layout_.targets(), layout_.targets()),
            labels(k).begin());
      }
      for (std::size_t i = 0; i < layout_.targets(); ++i)
        targets_[k * layout_.targets() + i] = static_cast<Real>(labels(k)[i]);
    }
  }

  /// Derivatives by the variables; returns the value of the priors.
  double finish(std::size_t k, std::span<const double> point, std::span<double> gradient) {
    for (std::size_t i = 0; i < layout_.inputs(); ++i)
      gradient[i] = static_cast<double>(input_slopes_[k * layout_.inputs() + i]);
    if (layout_.soft_labels) {
      const auto slopes = gradient.subspan(layout_.inputs());
      for (std::size_t i = 0; i < slopes.size(); ++i)
        slopes[i] = static_cast<double>(target_slopes_[k * layout_.targets() + i]);
      to_logits(loss_, layout_.output_size, labels(k), slopes);
    }
    double value = 0;
    for (std::size_t r = 0; r < layout_.records; ++r) {
      value += add_prior(options_.prior, shape_, point.subspan(r * layout_.input_size, layout_.input_size),
                         gradient.subspan(r * layout_.input_size, layout_.input_size));
    }
    return value;
  }

  const InversionOptions& options_;
  Layout layout_;
  Shape shape_;
  LossKind loss_;
  std::size_t size_;
  std::unique_ptr<Predictor<Real>> predictor_;
  std::vector<Real> observed_;
  std::vector<Real> inputs_;
  std::vector<Real> targets_;
  std::vector<Real> predicted_;
  std::vector<Real> directions_;
  std::vector<Real> input_slopes_;
  std::vector<Real> target_slopes_;
  std::vector<double> labels_;
  std::vector<double> distances_;
};

double middle(const std::optional<Box>& box) {
  return box ? 0.5 * (box->low + box->high) : 0.0;
}

std::vector<double> start_point(const Layout& layout, const InversionOptions& options, std::size_t restart) {
  std::vector<double> point(layout.variables());
  const auto inputs = std::span(point).first(layout.inputs());
  Stream stream({options.seed, Purpose::kAttack, options.trial, restart});
  const double low = options.box ? options.box->low : 0;
  const double high = options.box ? options.box->high : 1;
  switch (options.start) {
    case Start::kNormal:
      stream.fill_normal(inputs, 1);
      break;
    case Start::kUniform:
      for (double& x : inputs) x = low + (high - low) * stream.uniform();
      break;
    case Start::kMiddle:
      std::ranges::fill(inputs, middle(options.box));
      break;
    case Start::kGiven:
      std::ranges::copy(options.given, inputs.begin());
      break;
  }
  stream.fill_normal(std::span(point).subspan(layout.inputs()), 1);  // logits, if labels are sought
  return point;
}

DescentOptions with_box(DescentOptions descent, const std::optional<Box>& box, std::size_t variables) {
  if (!box) return descent;
  const Box bounds{variables, box->low, box->high};
  if (auto* first_order = std::get_if<FirstOrderOptions>(&descent)) first_order->box = bounds;
  return descent;
}

/// All restarts of all candidates; restart r of candidate c is number c x restarts + r and starts like
/// restart r of every other candidate, so that labels are compared on equal terms.
struct Searches {
  std::vector<std::unique_ptr<Descent>> descents;
  std::vector<std::vector<double>> starts;
  std::vector<std::size_t> candidates;
};

Searches set_out(const Layout& layout, const InversionOptions& options) {
  Searches out;
  const DescentOptions descent = with_box(options.descent, options.box, layout.inputs());
  for (std::size_t candidate = 0; candidate < candidate_count(layout, options); ++candidate) {
    for (std::size_t restart = 0; restart < options.restarts; ++restart) {
      const std::vector<double> start = start_point(layout, options, restart);
      out.descents.push_back(make_descent(descent, start));
      out.starts.emplace_back(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(layout.inputs()));
      out.candidates.push_back(candidate);
    }
  }
  return out;
}

template <class Real>
class Search {
 public:
  Search(const Model& model, const Shape& input, const Observation& observation,
         const InversionOptions& options, const Layout& layout)
      : options_(options),
        layout_(layout),
        loss_(model.loss()),
        objective_(model, input, observation, options, layout),
        searches_(set_out(layout, options)) {}

  Inversion run(const std::function<void(std::size_t)>& on_step) {
    Inversion out;
    out.restarts.resize(searches_.descents.size());
    bool first = true;
    descend_together(
        searches_.descents,
        [&](std::span<const std::size_t> which, std::span<const double> points, std::span<double> values,
            std::span<double> gradients) {
          candidates_.clear();
          for (const std::size_t i : which) candidates_.push_back(searches_.candidates[i]);
          objective_.evaluate(candidates_, points, values, gradients);
          for (std::size_t k = 0; first && k < which.size(); ++k) out.restarts[k].start_value = values[k];
          first = false;
        },
        on_step);
    report(out);
    return out;
  }

 private:
  void report(Inversion& out) {
    std::optional<std::size_t> chosen;
    for (std::size_t i = 0; i < out.restarts.size(); ++i) {
      const Descent& descent = *searches_.descents[i];
      RestartReport& restart = out.restarts[i];
      restart.candidate = searches_.candidates[i];
      restart.value = descent.best_value();
      restart.iterations = descent.iterations();
      restart.evaluations = descent.evaluations();
      if (descent.best().empty()) continue;
      if (!chosen || descent.best_value() < searches_.descents[*chosen]->best_value()) chosen = i;
    }
    if (!chosen) fail(Fault::kData, "the inversion met no finite value at any start");
    keep(*chosen, out);
  }

  void keep(std::size_t chosen, Inversion& out) {
    const auto point = searches_.descents[chosen]->best();
    out.chosen = chosen;
    out.start = searches_.starts[chosen];
    out.inputs.assign(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(layout_.inputs()));
    out.targets.resize(layout_.targets());
    if (layout_.soft_labels) {
      to_labels(loss_, layout_.output_size, point.subspan(layout_.inputs()), out.targets);
    } else {
      const std::size_t candidate = searches_.candidates[chosen];
      std::ranges::copy(std::span(options_.targets).subspan(candidate * layout_.targets(), layout_.targets()),
                        out.targets.begin());
    }
    std::vector<double> gradient(layout_.variables());
    candidates_.assign(1, searches_.candidates[chosen]);
    objective_.evaluate(candidates_, point, {&out.value, 1}, gradient);
    out.distance = objective_.distance(0);
  }

  const InversionOptions& options_;
  Layout layout_;
  LossKind loss_;
  Objective<Real> objective_;
  Searches searches_;
  std::vector<std::size_t> candidates_;
};

}  // namespace

Inversion invert(const Model& model, const Shape& input, const Observation& observation,
                 const InversionOptions& options, const std::function<void(std::size_t)>& on_step) {
  const auto begin = std::chrono::steady_clock::now();
  const Layout layout = layout_of(model, observation, options);
  require_valid(model, input, layout, options);
  Inversion out = options.single_precision
                      ? Search<float>(model, input, observation, options, layout).run(on_step)
                      : Search<double>(model, input, observation, options, layout).run(on_step);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace earshot
