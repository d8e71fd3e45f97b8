#include "earshot/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Random123/philox.h>

#include "earshot/core/box_muller.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random_below.hpp"
#include "earshot/core/vectorised.hpp"

namespace earshot {
namespace {

using Philox = r123::Philox4x64;

struct NormalBlock {
  std::array<std::uint64_t, 64> bits{};
  std::array<double, 32> first{};
  std::array<double, 32> second{};
  std::array<double, 32> cosines{};
  std::array<double, 32> sines{};
};

Philox::ctr_type philox_block(const std::array<std::uint64_t, 2>& key,
                              const std::array<std::uint64_t, 4>& counter) {
  return Philox()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
}

double to_uniform(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

void to_normals(NormalBlock& block) {
  vectorised([&]() EARSHOT_VECTOR_BODY {
    for (std::size_t i = 0; i < block.first.size(); ++i) {
      const auto [cosine, sine] = box_muller(block.first[i], block.second[i]);
      block.cosines[i] = cosine;
      block.sines[i] = sine;
    }
  });
}

}  // namespace

Stream::Stream(const StreamName& name)
    : key_{name.seed, static_cast<std::uint64_t>(name.purpose)},
      counter_{0, name.round, name.node, name.trial} {}

std::uint64_t Stream::bits() {
  if (used_ == 4) {
    const auto out = philox_block(key_, counter_);
    for (unsigned i = 0; i < 4; ++i) block_[i] = out[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

double Stream::uniform() {
  return to_uniform(bits());
}

std::uint64_t Stream::below(std::uint64_t bound) {
  return random_below(*this, bound);
}

double Stream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double first = uniform();
  const auto [cosine, sine] = box_muller(first, uniform());
  spare_normal_ = sine;
  has_spare_normal_ = true;
  return cosine;
}

/// The bits first, whole Philox blocks without a branch between them; then all normals of the block in one
/// vectorised loop.
template <class Use>
void Stream::each_normal(std::size_t count, Use&& use) {
  NormalBlock block;
  std::size_t done = 0;
  if (has_spare_normal_ && count > 0) use(done++, normal());
  while (count - done >= 2) {
    const std::size_t pairs = std::min(block.first.size(), (count - done) / 2);
    std::size_t drawn = 0;
    while (drawn < 2 * pairs && used_ < 4) block.bits[drawn++] = block_[used_++];
    for (; 2 * pairs - drawn >= 4; drawn += 4, ++counter_[0]) {
      const auto four = philox_block(key_, counter_);
      for (unsigned i = 0; i < 4; ++i) block.bits[drawn + i] = four[i];
    }
    while (drawn < 2 * pairs) block.bits[drawn++] = bits();
    for (std::size_t i = 0; i < pairs; ++i) {
      block.first[i] = to_uniform(block.bits[2 * i]);
      block.second[i] = to_uniform(block.bits[2 * i + 1]);
    }
    to_normals(block);
    for (std::size_t i = 0; i < pairs; ++i) {
      use(done + 2 * i, block.cosines[i]);
      use(done + 2 * i + 1, block.sines[i]);
    }
    done += 2 * pairs;
  }
  if (done < count) use(done, normal());
}

void Stream::fill_normal(std::span<double> out, double standard_deviation) {
  each_normal(out.size(), [&](std::size_t i, double z) { out[i] = standard_deviation * z; });
}

void Stream::add_normal(std::span<double> values, double standard_deviation) {
  each_normal(values.size(), [&](std::size_t i, double z) { values[i] += standard_deviation * z; });
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
