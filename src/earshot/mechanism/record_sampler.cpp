#include "earshot/mechanism/record_sampler.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

PoissonSampler::PoissonSampler(std::size_t population, double rate) : population_(population), rate_(rate) {
  if (!(rate > 0 && rate <= 1))
    fail(Fault::kConfig, fmt::format("a sampling rate must lie in (0, 1], not {}", rate));
}

std::vector<std::size_t> PoissonSampler::draw(Stream& stream) const {
  std::vector<std::size_t> records;
  for (std::size_t i = 0; i < population_; ++i) {
    if (stream.uniform() < rate_) records.push_back(i);
  }
  return records;
}

ReleasePointer PoissonSampler::release(const ReleasePointer& inner) const {
  return poisson_sampled(rate_, inner);
}

FixedSizeSampler::FixedSizeSampler(std::size_t population, std::size_t sample)
    : population_(population), sample_(sample) {
  if (sample == 0 || sample > population)
    fail(Fault::kConfig,
         fmt::format("a sample must hold between 1 and {} records, not {}", population, sample));
}

std::vector<std::size_t> FixedSizeSampler::draw(Stream& stream) const {
  std::vector<std::size_t> records = stream.sample_without_replacement(sample_, population_);
  std::ranges::sort(records);
  return records;
}

ReleasePointer FixedSizeSampler::release(const ReleasePointer& inner) const {
  return make_release(SampledWithoutReplacementRelease{population_, sample_, inner});
}

std::vector<std::size_t> EveryRecord::draw(Stream&) const {
  std::vector<std::size_t> records(population_);
  std::iota(records.begin(), records.end(), std::size_t{0});
  return records;
}

}  // namespace earshot
