#include "earshot/attack/inversion/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <cblas.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

constexpr double kFall = 1e-4;  // c1 of the Wolfe conditions
constexpr double kFlat = 0.9;   // c2
constexpr double kGrowth = 2;   // of the step while no bracket is found
constexpr std::size_t kMostTrials = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return cblas_ddot(static_cast<int>(a.size()), a.data(), 1, b.data(), 1);
}

/// sum += factor * values.
void add_multiple(double factor, std::span<const double> values, std::span<double> sum) {
  cblas_daxpy(static_cast<int>(values.size()), factor, values.data(), 1, sum.data(), 1);
}

}  // namespace

InverseHessian::InverseHessian(std::size_t size, std::size_t history)
    : size_(size),
      history_(history),
      steps_(std::make_unique_for_overwrite<double[]>(size * history)),
      changes_(std::make_unique_for_overwrite<double[]>(size * history)),
      inverse_products_(history),
      alphas_(history) {
  if (history == 0) fail(Fault::kConfig, "L-BFGS needs a history of at least one step");
}

void InverseHessian::add(std::span<const double> step, std::span<const double> change) {
  const double product = dot(step, change);
  if (!(product > std::numeric_limits<double>::epsilon() * dot(change, change))) return;
  newest_ = (newest_ + 1) % history_;
  stored_ = std::min(stored_ + 1, history_);
  std::ranges::copy(step, steps(0).begin());
  std::ranges::copy(change, changes(0).begin());
  inverse_products_[newest_] = 1 / product;
}

void InverseHessian::descent_direction(std::span<const double> gradient, std::span<double> out) {
  for (std::size_t i = 0; i < size_; ++i) out[i] = -gradient[i];
  for (std::size_t age = 0; age < stored_; ++age) {
    alphas_[age] = inverse_products_[slot(age)] * dot(steps(age), out);
    add_multiple(-alphas_[age], changes(age), out);
  }
  if (stored_ > 0) {
    const double scale = 1 / (inverse_products_[slot(0)] * dot(changes(0), changes(0)));  // eq. 7.20
    for (double& x : out) x *= scale;
  }
  for (std::size_t age = stored_; age-- > 0;) {
    const double beta = inverse_products_[slot(age)] * dot(changes(age), out);
    add_multiple(alphas_[age] - beta, steps(age), out);
  }
}

void WolfeSearch::start(double value, double slope, double first_step) {
  origin_ = {0, value, slope};
  previous_ = lower_ = origin_;
  trial_ = {first_step, 0, 0};
  bracketed_ = false;
  trials_ = 0;
}

bool WolfeSearch::falls_enough(const Point& p) const {
  return p.value <= origin_.value + kFall * p.step * origin_.slope;
}
bool WolfeSearch::flat_enough(const Point& p) const {
  return std::abs(p.slope) <= -kFlat * origin_.slope;
}

WolfeSearch::Verdict WolfeSearch::tell(double value, double slope) {
  trial_.value = value;
  trial_.slope = slope;
  trial_is_lower_end_ = false;
  ++trials_;
  return bracketed_ ? zoom() : bracket();
}

WolfeSearch::Verdict WolfeSearch::bracket() {
  if (!falls_enough(trial_) || (trials_ > 1 && trial_.value >= previous_.value)) {
    lower_ = previous_;
    upper_ = trial_;
    return look_between();
  }
  if (flat_enough(trial_)) return Verdict::kAccept;
  trial_is_lower_end_ = true;
  lower_ = trial_;
  if (trial_.slope >= 0) {
    upper_ = previous_;
    return look_between();
  }
  if (trials_ >= kMostTrials) return Verdict::kGiveUp;
  previous_ = trial_;
  trial_ = {kGrowth * trial_.step, 0, 0};
  return Verdict::kTryNext;
}

WolfeSearch::Verdict WolfeSearch::zoom() {
  if (!falls_enough(trial_) || trial_.value >= lower_.value) {
    upper_ = trial_;
    return look_between();
  }
  if (flat_enough(trial_)) return Verdict::kAccept;
  if (trial_.slope * (upper_.step - lower_.step) >= 0) upper_ = lower_;
  lower_ = trial_;
  trial_is_lower_end_ = true;
  return look_between();
}

/// The minimum of the cubic through both ends (eq. 3.59), kept off the ends by a tenth of the bracket; the
/// middle where the cubic has none.
WolfeSearch::Verdict WolfeSearch::look_between() {
  bracketed_ = true;
  const double width = upper_.step - lower_.step;
  if (trials_ >= kMostTrials || std::abs(width) <= 1e-16 * std::abs(lower_.step) || width == 0)
    return Verdict::kGiveUp;
  double share = 0.5;
  const double d1 = lower_.slope + upper_.slope - 3 * (lower_.value - upper_.value) / -width;
  const double square = d1 * d1 - lower_.slope * upper_.slope;
  if (std::isfinite(square) && square >= 0) {
    const double d2 = std::copysign(std::sqrt(square), width);
    const double at = 1 - (upper_.slope + d2 - d1) / (upper_.slope - lower_.slope + 2 * d2);
    if (std::isfinite(at)) share = std::clamp(at, 0.1, 0.9);
  }
  trial_ = {lower_.step + share * width, 0, 0};
  return Verdict::kTryNext;
}

Lbfgs::Lbfgs(const LbfgsOptions& options, std::span<const double> start)
    : options_(options),
      point_(start.begin(), start.end()),
      gradient_(start.size()),
      direction_(start.size()),
      trial_(point_),
      lower_point_(start.size()),
      lower_gradient_(start.size()),
      step_(start.size()),
      hessian_(start.size(), options.history) {}

void Lbfgs::tell(double value, std::span<const double> gradient) {
  const bool usable = std::isfinite(value) && all_finite(gradient);
  note(trial_, usable ? value : std::numeric_limits<double>::infinity());
  if (!started_) {
    started_ = true;
    finished_ = !usable;
    if (usable) arrive(value, gradient);
    return;
  }
  const double told = usable ? value : std::numeric_limits<double>::infinity();
  const auto verdict = search_.tell(told, usable ? dot(gradient, direction_) : 0);
  if (verdict == WolfeSearch::Verdict::kAccept) {
    accept(trial_, value, gradient);
    return;
  }
  if (search_.trial_is_lower_end()) {
    lower_point_ = trial_;
    lower_value_ = value;
    std::ranges::copy(gradient, lower_gradient_.begin());
  }
  if (verdict == WolfeSearch::Verdict::kGiveUp) {
    give_up();
    return;
  }
  for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] = point_[i] + search_.trial() * direction_[i];
}

/// Takes what the search did find; without anything tries once more straight downhill.
void Lbfgs::give_up() {
  if (search_.has_lower_end()) {
    const std::vector<double> point = lower_point_;
    const std::vector<double> gradient = lower_gradient_;
    accept(point, lower_value_, gradient);
  } else if (!hessian_.empty()) {
    hessian_.forget();
    set_off();
  } else {
    finished_ = true;
  }
}

void Lbfgs::accept(std::span<const double> point, double value, std::span<const double> gradient) {
  for (std::size_t i = 0; i < point_.size(); ++i) step_[i] = point[i] - point_[i];
  std::ranges::copy(point, point_.begin());
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = gradient[i] - gradient_[i];  // the change
  hessian_.add(step_, gradient_);
  ++iterations_;
  arrive(value, gradient);
}

void Lbfgs::arrive(double value, std::span<const double> gradient) {
  value_ = value;
  std::ranges::copy(gradient, gradient_.begin());
  const double steepest = std::transform_reduce(
      gradient.begin(), gradient.end(), 0.0, [](double a, double b) { return std::max(a, b); },
      [](double x) { return std::abs(x); });
  finished_ =
      iterations_ >= options_.iterations || value <= options_.target || steepest <= options_.flat_gradient;
  if (!finished_) set_off();
}

void Lbfgs::set_off() {
  hessian_.descent_direction(gradient_, direction_);
  double slope = dot(gradient_, direction_);
  if (!(slope < 0)) {
    hessian_.forget();
    hessian_.descent_direction(gradient_, direction_);
    slope = dot(gradient_, direction_);
  }
  double length = 0;
  for (const double g : gradient_) length += std::abs(g);
  search_.start(value_, slope, hessian_.empty() ? std::min(1.0, 1.0 / length) : 1.0);
  for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] = point_[i] + search_.trial() * direction_[i];
}

}  // namespace earshot
