#include "earshot/attack/inversion/decoder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/attack/inversion/exponential.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kLeast = 1e-4;

/// What the exponentials are taken of: at most 0 in a softmax.
template <class Real>
void prepare(DecoderKind kind, std::span<const Real> variables, std::span<Real> shares) {
  if (kind == DecoderKind::kSoftmax) {
    const Real largest = std::ranges::max(variables);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = variables[i] - largest;
  } else if (kind == DecoderKind::kSigmoid) {
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = -variables[i];
  } else {
    std::ranges::fill(shares, Real(0));
  }
}

/// Shares from the exponentials; the identity's are the variables, and what is fixed has none.
template <class Real>
void finish(DecoderKind kind, std::span<const Real> variables, std::span<Real> shares) {
  switch (kind) {
    case DecoderKind::kIdentity:
      std::ranges::copy(variables, shares.begin());
      return;
    case DecoderKind::kFixed:
      std::ranges::fill(shares, Real(0));
      return;
    case DecoderKind::kSoftmax: {
      Real sum = 0;
      for (const Real e : shares) sum += e;
      for (Real& share : shares) share /= sum;
      return;
    }
    case DecoderKind::kSigmoid:
      for (Real& share : shares) share = 1 / (1 + share);
      return;
  }
}

/// From slopes by shares.
template <class Real>
void pull_block(DecoderKind kind, std::span<const Real> shares, std::span<Real> slopes) {
  if (kind == DecoderKind::kSigmoid) {
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= shares[i] * (1 - shares[i]);
  } else if (kind == DecoderKind::kSoftmax) {
    Real mean = 0;
    for (std::size_t i = 0; i < slopes.size(); ++i) mean += shares[i] * slopes[i];
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = shares[i] * (slopes[i] - mean);
  }
}

double undecode_number(const DecoderBlock& block, std::size_t i, double number) {
  if (block.kind == DecoderKind::kIdentity) return number;
  if (block.kind == DecoderKind::kFixed) return 0;
  const double share = block.range(i).share(number);
  if (block.kind == DecoderKind::kSoftmax) return std::log(std::max(share, kLeast));
  const double inside = std::clamp(share, kLeast, 1 - kLeast);
  return std::log(inside / (1 - inside));
}

void require_ranges(const DecoderBlock& block) {
  if (block.ranges.size() != 1 && block.ranges.size() != block.size)
    fail(Fault::kConfig, fmt::format("a decoder's block of {} columns has {} ranges; give one, or one each",
                                     block.size, block.ranges.size()));
  for (const Range& range : block.ranges) {
    const bool order = range.low < range.high || block.kind == DecoderKind::kFixed;
    if (!(std::isfinite(range.low) && std::isfinite(range.high) && order))
      fail(Fault::kConfig, "a decoder's block needs a finite lower bound below a finite upper one");
  }
}

}  // namespace

void require_valid(const Decoder& decoder, std::size_t width) {
  std::size_t next = 0;
  for (const DecoderBlock& block : decoder) {
    if (block.first != next || block.size == 0)
      fail(Fault::kConfig, fmt::format("a decoder's block of {} columns begins at column {}, expected at {}; "
                                       "blocks are not empty and follow one another",
                                       block.size, block.first, next));
    require_ranges(block);
    next += block.size;
  }
  if (!decoder.empty() && next != width)
    fail(Fault::kConfig, fmt::format("a decoder covers {} columns, a record has {}", next, width));
}

template <class Real>
RecordDecoder<Real>::RecordDecoder(const Decoder& decoder, std::size_t width)
    : low_(width, Real(0)), span_(width, Real(1)) {
  if (decoder.empty()) blocks_.push_back({DecoderKind::kIdentity, 0, width});
  for (const DecoderBlock& block : decoder) {
    blocks_.push_back({block.kind, block.first, block.size});
    for (std::size_t i = 0; i < block.size && block.kind != DecoderKind::kIdentity; ++i) {
      const bool fixed = block.kind == DecoderKind::kFixed;
      low_[block.first + i] = static_cast<Real>(block.range(i).low);
      span_[block.first + i] = fixed ? Real(0) : static_cast<Real>(block.range(i).high - block.range(i).low);
    }
  }
}

template <class Real>
void RecordDecoder<Real>::decode(std::span<const Real> variables, std::span<Real> shares,
                                 std::span<Real> records) const {
  const std::size_t width = low_.size();
  for (std::size_t row = 0; row < records.size(); row += width) {
    const auto each_block = [&](const auto& use) {
      for (const Block& block : blocks_)
        use(block.kind, variables.subspan(row + block.first, block.size),
            shares.subspan(row + block.first, block.size));
    };
    each_block(prepare<Real>);
    exponentials(shares.subspan(row, width));
    each_block(finish<Real>);
    for (std::size_t i = 0; i < width; ++i) records[row + i] = low_[i] + span_[i] * shares[row + i];
  }
}

template <class Real>
void RecordDecoder<Real>::pull_back(std::span<const Real> shares, std::span<Real> slopes) const {
  const std::size_t width = low_.size();
  for (std::size_t row = 0; row < slopes.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) slopes[row + i] *= span_[i];
    for (const Block& block : blocks_)
      pull_block(block.kind, shares.subspan(row + block.first, block.size),
                 slopes.subspan(row + block.first, block.size));
  }
}

template class RecordDecoder<float>;
template class RecordDecoder<double>;

void decode(const Decoder& decoder, std::size_t width, std::span<const double> variables,
            std::span<double> records) {
  std::vector<double> shares(records.size());
  RecordDecoder<double>(decoder, width).decode(variables, shares, records);
}

std::vector<double> undecode(const Decoder& decoder, std::size_t width, std::span<const double> records) {
  std::vector<double> variables(records.begin(), records.end());
  for (std::size_t row = 0; row < records.size(); row += width) {
    for (const DecoderBlock& block : decoder) {
      const std::size_t first = row + block.first;
      for (std::size_t i = 0; i < block.size; ++i)
        variables[first + i] = undecode_number(block, i, records[first + i]);
    }
  }
  return variables;
}

}  // namespace earshot
