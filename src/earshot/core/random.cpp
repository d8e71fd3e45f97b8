#include "earshot/core/random.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <Random123/philox.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random_below.hpp"

namespace earshot {

Stream::Stream(const StreamName& name)
    : key_{name.seed, static_cast<std::uint64_t>(name.purpose)},
      counter_{0, name.round, name.node, name.trial} {}

std::uint64_t Stream::bits() {
  if (used_ == 4) {
    const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
    const r123::Philox4x64::ctr_type counter{{counter_[0], counter_[1], counter_[2], counter_[3]}};
    const auto out = r123::Philox4x64()(counter, key);
    for (unsigned i = 0; i < 4; ++i) block_[i] = out[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

double Stream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

std::uint64_t Stream::below(std::uint64_t bound) {
  return random_below(*this, bound);
}

double Stream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));  // 1 - uniform() is never 0
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

void Stream::fill_normal(std::span<double> out, double standard_deviation) {
  for (double& value : out) value = standard_deviation * normal();
}

double Stream::exponential() {
  return -std::log1p(-uniform());
}

double Stream::laplace(double scale) {
  const bool negative = (bits() & 1U) != 0;
  const double magnitude = scale * exponential();
  return negative ? -magnitude : magnitude;
}

std::vector<std::size_t> Stream::permutation(std::size_t count) {
  return sample_without_replacement(count, count);
}

std::vector<std::size_t> Stream::sample_without_replacement(std::size_t count, std::size_t population) {
  if (count > population) fail(Fault::kInternal, "cannot draw more members than the population has");
  std::vector<std::size_t> all(population);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(population - i)]);
  all.resize(count);
  return all;
}

}  // namespace earshot
