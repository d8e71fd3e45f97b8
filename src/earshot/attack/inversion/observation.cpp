#include "earshot/attack/inversion/observation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/attack/inversion/local_training.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/large_array.hpp"
#include "earshot/model/cosine_matcher.hpp"
#include "earshot/model/squared_matcher.hpp"

namespace earshot {
namespace {

std::vector<double> copied(std::span<const double> values) {
  return {values.begin(), values.end()};
}

void require_sizes(const Model& model, const Observation& observation) {
  const std::size_t size = model.parameter_count();
  if (observation.terms.empty()) fail(Fault::kInternal, "an observation without parameters");
  for (const GradientTerm& term : observation.terms) {
    if (term.parameters.size() != size)
      fail(Fault::kConfig, fmt::format("the observation is of {} parameters, the model has {}",
                                       term.parameters.size(), size));
  }
  if (observation.values.size() != size)
    fail(Fault::kConfig, fmt::format("a gradient of the model has {} numbers, {} were observed", size,
                                     observation.values.size()));
  if (observation.records == 0) fail(Fault::kConfig, "an observation of no records reveals none");
  for (const double value : observation.values)
    if (!std::isfinite(value)) fail(Fault::kData, "the observed gradient has a number that is not finite");
}

/// sum_k factor_k grad L(parameters_k).
template <class Real>
class GradientSum : public Predictor<Real> {
 public:
  GradientSum(const Model& model, const Observation& observation) {
    for (const GradientTerm& term : observation.terms) {
      Part part;
      part.factor = static_cast<Real>(term.factor);
      part.parameters.assign(term.parameters.begin(), term.parameters.end());
      if constexpr (std::is_same_v<Real, double>)
        part.evaluation = model.evaluation();
      else
        part.evaluation = model.fast_evaluation();
      parts_.push_back(std::move(part));
    }
    if (parts_.size() != 1 || parts_[0].factor != 1) return;
    matcher_ = dynamic_cast<SquaredMatcher<Real>*>(parts_[0].evaluation.get());
    cosine_matcher_ = dynamic_cast<CosineMatcher<Real>*>(parts_[0].evaluation.get());
  }

  void predict(const Guesses<Real>& guesses, std::span<Real> out) override {
    losses_.resize(guesses.count);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::span<Real> into = k == 0 ? out : sized(term_, out.size());
      parts_[k].evaluation->gradients(problems(parts_[k], guesses), losses_, into);
      if (k == 0) {
        scale(into, parts_[k].factor);
      } else {
        add(into, parts_[k].factor, out);
      }
    }
  }

  void pull(std::span<const Real> directions, ProblemGradient<Real> out) override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const ProblemGradient<Real> into{k == 0 ? out.inputs : sized(inputs_, out.inputs.size()),
                                       k == 0 ? out.targets : sized(targets_, out.targets.size()),
                                       {}};
      parts_[k].evaluation->pullbacks(directions, into);
      if (k == 0) {
        scale(into.inputs, parts_[k].factor);
        scale(into.targets, parts_[k].factor);
      } else {
        add(into.inputs, parts_[k].factor, out.inputs);
        add(into.targets, parts_[k].factor, out.targets);
      }
    }
  }

  bool match(const Guesses<Real>& guesses, std::span<const Real> observed, std::span<double> distances,
             ProblemGradient<Real> out) override {
    if (matcher_ != nullptr) matcher_->match(problems(parts_[0], guesses), observed, distances, out);
    return matcher_ != nullptr;
  }
  bool match_cosine(const Guesses<Real>& guesses, std::span<const Real> observed, std::span<double> distances,
                    ProblemGradient<Real> out) override {
    if (cosine_matcher_ != nullptr)
      cosine_matcher_->match_cosine(problems(parts_[0], guesses), observed, distances, out);
    return cosine_matcher_ != nullptr;
  }

 private:
  struct Part {
    Real factor = 1;
    LargeArray<Real> parameters;
    std::unique_ptr<Evaluation<Real>> evaluation;
  };

  static Problems<Real> problems(const Part& part, const Guesses<Real>& guesses) {
    Problems<Real> out;
    out.count = guesses.count;
    out.rows = guesses.records;
    out.parameters = part.parameters;
    out.inputs = guesses.inputs;
    out.targets = guesses.targets;
    return out;
  }
  static std::span<Real> sized(std::vector<Real>& memory, std::size_t size) {
    if (memory.size() < size) memory.resize(size);
    return std::span(memory).first(size);
  }
  static void scale(std::span<Real> values, Real factor) {
    if (factor == 1) return;
    for (Real& x : values) x *= factor;
  }
  static void add(std::span<const Real> values, Real factor, std::span<Real> sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * values[i];
  }

  std::vector<Part> parts_;
  SquaredMatcher<Real>* matcher_ = nullptr;
  CosineMatcher<Real>* cosine_matcher_ = nullptr;
  std::vector<Real> losses_;
  std::vector<Real> term_;
  std::vector<Real> inputs_;
  std::vector<Real> targets_;
};

}  // namespace

Observation observe_gradient(Parameters parameters, std::span<const double> gradient, std::size_t records) {
  return {{{1, copied(parameters)}}, copied(gradient), records};
}

Observation observe_difference(Parameters first, Parameters second, std::span<const double> difference,
                               std::size_t records) {
  return {{{1, copied(first)}, {-1, copied(second)}}, copied(difference), records};
}

Observation observe_update(Parameters start, std::span<const double> change, std::size_t records,
                           const LocalTraining& training) {
  return {{{1, copied(start)}}, copied(change), records, training};
}

Observation observe_update_as_gradient(Parameters start, std::span<const double> change, std::size_t records,
                                       const LocalTraining& training) {
  Observation out = observe_gradient(start, change, records);
  const double steps = static_cast<double>(local_steps(training, records));
  for (double& x : out.values) x /= training.rate * steps;
  return out;
}

template <class Real>
std::unique_ptr<Predictor<Real>> make_predictor(const Model& model, const Observation& observation) {
  require_sizes(model, observation);
  if (!observation.local_training) return std::make_unique<GradientSum<Real>>(model, observation);
  if constexpr (std::is_same_v<Real, double>) {
    return make_unrolled_training(model, observation);
  } else {
    fail(Fault::kConfig,
         "local training is unrolled in 64-bit arithmetic only; set precision to float64, or take its result "
         "for one gradient");
  }
}

template std::unique_ptr<Predictor<float>> make_predictor(const Model&, const Observation&);
template std::unique_ptr<Predictor<double>> make_predictor(const Model&, const Observation&);

}  // namespace earshot
