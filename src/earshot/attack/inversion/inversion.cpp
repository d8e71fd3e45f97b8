#include "earshot/attack/inversion/inversion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/large_array.hpp"
#include "earshot/core/random.hpp"
#include "earshot/core/vectorised.hpp"

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
  require_valid(options.decoder, input.size());
  require_targets(layout, options);
  if (options.restarts == 0) fail(Fault::kConfig, "an inversion needs at least one restart");
  if (options.box && !(options.box->low < options.box->high))
    fail(Fault::kConfig, "the box must have its lower bound below the upper");
  if (options.box && std::holds_alternative<LbfgsOptions>(options.descent))
    fail(Fault::kConfig, "L-BFGS searches without bounds; leave out the box or use adam");
  if (options.box && !options.decoder.empty())
    fail(Fault::kConfig, "a decoder has its own bounds; leave out the box");
  if (options.start == Start::kGiven && options.given.size() != layout.inputs()) {
    fail(Fault::kConfig, fmt::format("the given start has {} numbers, {} records have {}",
                                     options.given.size(), layout.records, layout.inputs()));
  }
  if (options.labels == Labels::kOptimised && model.loss() == LossKind::kMeanSquared)
    fail(Fault::kConfig, "soft labels are for classes; give the targets of a regression");
}

/// Soft labels from logits: softmax over classes, or a sigmoid each under binary cross-entropy.
Decoder label_decoder(LossKind loss, std::size_t width) {
  const bool binary = loss == LossKind::kBinaryCrossEntropy;
  return {{binary ? DecoderKind::kSigmoid : DecoderKind::kSoftmax, 0, width}};
}

template <class From, class To>
void convert(std::span<const From> from, std::span<To> to) {
  vectorised([=]() EARSHOT_VECTOR_BODY {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<To>(from[i]);
  });
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
        decoder_(options.decoder, layout.input_size),
        label_decoder_(label_decoder(model.loss(), layout.output_size), layout.output_size),
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
    if (!match_squares(guesses, slopes) && !match_angles(guesses, slopes)) match(guesses, slopes);
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = distances_[k] + finish(k, gradients.subspan(k * layout_.variables(), layout_.variables()));
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
  /// The same for angles.
  bool match_angles(const Guesses<Real>& guesses, const ProblemGradient<Real>& slopes) {
    const bool plain = options_.matching.kind == MatchingKind::kCosine && options_.matching.weights.empty();
    return plain && predictor_->match_cosine(guesses, observed_, distances_, slopes);
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
    variables_.resize(layout_.variables());
    input_shares_.resize(count * layout_.inputs());
    label_shares_.resize(layout_.soft_labels ? count * layout_.targets() : 0);
  }
  std::span<Real> row(std::vector<Real>& all, std::size_t k) {
    return std::span(all).subspan(k * size_, size_);
  }
  std::span<Real> inputs(std::vector<Real>& all, std::size_t k) {
    return std::span(all).subspan(k * layout_.inputs(), layout_.inputs());
  }
  std::span<Real> labels(std::vector<Real>& all, std::size_t k) {
    return std::span(all).subspan(k * layout_.targets(), layout_.targets());
  }

  void decode(std::span<const std::size_t> candidates, std::span<const double> points) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      convert(points.subspan(k * layout_.variables(), layout_.variables()), std::span(variables_));
      const std::span<const Real> variables(variables_);
      decoder_.decode(variables.first(layout_.inputs()), inputs(input_shares_, k), inputs(inputs_, k));
      if (layout_.soft_labels) {
        label_decoder_.decode(variables.subspan(layout_.inputs()), labels(label_shares_, k),
                              labels(targets_, k));
      } else {
        const double* given = options_.targets.data() + candidates[k] * layout_.targets();
        for (std::size_t i = 0; i < layout_.targets(); ++i)
          targets_[k * layout_.targets() + i] = static_cast<Real>(given[i]);
      }
    }
  }

  /// Derivatives by the variables; returns the value of the priors.
  double finish(std::size_t k, std::span<double> gradient) {
    const double value = add_priors(k);
    decoder_.pull_back(inputs(input_shares_, k), inputs(input_slopes_, k));
    convert<Real>(inputs(input_slopes_, k), gradient.first(layout_.inputs()));
    if (layout_.soft_labels) {
      label_decoder_.pull_back(labels(label_shares_, k), labels(target_slopes_, k));
      convert<Real>(labels(target_slopes_, k), gradient.subspan(layout_.inputs()));
    }
    return value;
  }

  /// Of the records of point k, to the slopes by them.
  double add_priors(std::size_t k) {
    if (!is_active(options_.prior)) return 0;
    record_.resize(layout_.input_size);
    record_slopes_.resize(layout_.input_size);
    double value = 0;
    for (std::size_t r = 0; r < layout_.records; ++r) {
      const auto part = [&](std::span<Real> all) {
        return all.subspan(r * layout_.input_size, layout_.input_size);
      };
      std::ranges::copy(part(inputs(inputs_, k)), record_.begin());
      std::ranges::fill(record_slopes_, 0.0);
      value += add_prior(options_.prior, shape_, record_, record_slopes_);
      const auto slopes = part(inputs(input_slopes_, k));
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] += static_cast<Real>(record_slopes_[i]);
    }
    return value;
  }

  const InversionOptions& options_;
  Layout layout_;
  Shape shape_;
  RecordDecoder<Real> decoder_;
  RecordDecoder<Real> label_decoder_;
  std::size_t size_;
  std::unique_ptr<Predictor<Real>> predictor_;
  LargeArray<Real> observed_;
  std::vector<Real> inputs_;
  std::vector<Real> targets_;
  std::vector<Real> predicted_;
  std::vector<Real> directions_;
  std::vector<Real> input_slopes_;
  std::vector<Real> target_slopes_;
  std::vector<Real> variables_;
  std::vector<Real> input_shares_;
  std::vector<Real> label_shares_;
  std::vector<double> record_;  // one, for priors
  std::vector<double> record_slopes_;
  std::vector<double> distances_;
};

double middle(const std::optional<Box>& box) {
  return box ? 0.5 * (box->low + box->high) : 0.0;
}

std::vector<double> start_point(const Layout& layout, const InversionOptions& options, std::size_t restart) {
  std::vector<double> point(layout.variables());
  const auto inputs = std::span(point).first(layout.inputs());
  Stream stream({options.seed, Purpose::kAttack, options.trial, restart});
  const double low = options.box ? options.box->low : options.decoder.empty() ? 0 : -1;
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
      std::ranges::copy(undecode(options.decoder, layout.input_size, options.given), inputs.begin());
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

std::optional<Race> race_of(const InversionOptions& options) {
  if (!options.racing) return {};
  return std::visit(
      [](const auto& descent) {
        return Race{descent.iterations, descent.target};
      },
      options.descent);
}

/// The records among the variables of a point.
std::vector<double> records_of(const Layout& layout, const InversionOptions& options,
                               std::span<const double> point) {
  std::vector<double> records(layout.inputs());
  decode(options.decoder, layout.input_size, point.first(layout.inputs()), records);
  return records;
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
      out.starts.push_back(records_of(layout, options, start));
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
        label_decoder_(label_decoder(model.loss(), layout.output_size)),
        objective_(model, input, observation, options, layout),
        searches_(set_out(layout, options)) {}

  Inversion run(const OnSearchStep& on_step) {
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
        race_of(options_), on_step);
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
      restart.dropped = descent.dropped();
      if (descent.best().empty()) continue;
      restart.inputs = records_of(layout_, options_, descent.best());
      if (!chosen || descent.best_value() < searches_.descents[*chosen]->best_value()) chosen = i;
    }
    if (!chosen) fail(Fault::kData, "the inversion met no finite value at any start");
    keep(*chosen, out);
  }

  void keep(std::size_t chosen, Inversion& out) {
    const auto point = searches_.descents[chosen]->best();
    out.chosen = chosen;
    out.start = searches_.starts[chosen];
    out.inputs = out.restarts[chosen].inputs;
    out.targets.resize(layout_.targets());
    if (layout_.soft_labels) {
      decode(label_decoder_, layout_.output_size, point.subspan(layout_.inputs()), out.targets);
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
  Decoder label_decoder_;
  Objective<Real> objective_;
  Searches searches_;
  std::vector<std::size_t> candidates_;
};

}  // namespace

Inversion invert(const Model& model, const Shape& input, const Observation& observation,
                 const InversionOptions& options, const OnSearchStep& on_step) {
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
