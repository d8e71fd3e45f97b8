#include "earshot/training/optimiser.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/vectorised.hpp"

namespace earshot {
namespace {

void check_rates(double rate, double weight_decay) {
  if (!(std::isfinite(rate) && rate > 0)) fail(Fault::kConfig, "the learning rate must be above 0");
  if (!(std::isfinite(weight_decay) && weight_decay >= 0)) {
    fail(Fault::kConfig, "the weight decay must be at least 0");
  }
}

void check_sizes(std::size_t size, std::size_t parameters, std::size_t gradient) {
  if (parameters == size && gradient == size) return;
  fail(Fault::kInternal, fmt::format("an optimiser of {} parameters was given {} and a gradient of {}", size,
                                     parameters, gradient));
}

}  // namespace

Sgd::Sgd(std::size_t size, const SgdOptions& options) : options_(options), velocity_(size) {
  check_rates(options.rate, options.weight_decay);
  if (!(options.momentum >= 0 && options.momentum < 1)) {
    fail(Fault::kConfig, "the momentum must be at least 0 and below 1");
  }
}

void Sgd::step(std::span<double> parameters, std::span<const double> gradient) {
  check_sizes(velocity_.size(), parameters.size(), gradient.size());
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    velocity_[i] = options_.momentum * velocity_[i] + gradient[i] + options_.weight_decay * parameters[i];
    parameters[i] -= options_.rate * velocity_[i];
  }
}

void Sgd::restart() {
  std::ranges::fill(velocity_, 0.0);
}

Adam::Adam(std::size_t size, const AdamOptions& options)
    : options_(options), first_(size), second_(size), largest_(options.amsgrad ? size : 0) {
  check_rates(options.rate, options.weight_decay);
}

void Adam::step(std::span<double> parameters, std::span<const double> gradient) {
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  constexpr double kStabiliser = 1e-8;
  check_sizes(first_.size(), parameters.size(), gradient.size());
  first_decay_ *= kBeta1;
  second_decay_ *= kBeta2;
  const double rate = options_.rate / (1 - first_decay_);
  const double scale = 1 / std::sqrt(1 - second_decay_);
  // Locals: members and captures could be what is written to, for all the compiler knows.
  const double decay = options_.weight_decay;
  double* const first = first_.data();
  double* const second = second_.data();
  double* const largest = largest_.data();
  const auto move = [=](auto amsgrad) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double g = gradient[i] + decay * parameters[i];
      const double mean = kBeta1 * first[i] + (1 - kBeta1) * g;
      double square = kBeta2 * second[i] + (1 - kBeta2) * (g * g);
      first[i] = mean;
      second[i] = square;
      if constexpr (amsgrad) square = largest[i] = square > largest[i] ? square : largest[i];
      parameters[i] -= rate * mean / (std::sqrt(square) * scale + kStabiliser);
    }
  };
  vectorised(
      [&]() EARSHOT_VECTOR_BODY { options_.amsgrad ? move(std::true_type()) : move(std::false_type()); });
}

void Sgd::save(StateWriter& out) const {
  out.reals(velocity_);
}

void Sgd::load(StateReader& in) {
  in.reals(velocity_);
}

void Adam::save(StateWriter& out) const {
  out.real(first_decay_);
  out.real(second_decay_);
  out.reals(first_);
  out.reals(second_);
  out.reals(largest_);
}

void Adam::load(StateReader& in) {
  first_decay_ = in.real();
  second_decay_ = in.real();
  in.reals(first_);
  in.reals(second_);
  in.reals(largest_);
}

}  // namespace earshot
