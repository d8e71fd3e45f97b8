#include "earshot/attack/inversion/decoder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/attack/inversion/exponential.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/vectorised.hpp"

namespace earshot {
namespace {

constexpr double kLeast = 1e-4;

/// Records decoded together: sums over their categories are independent, so that none waits for another.
constexpr std::size_t kTogether = 8;

/// One block of columns of several records, `width` apart.
template <class Real>
struct Columns {
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t size = 0;
  Real* shares = nullptr;
};

/// `total[r]` = all shares of record r, or their products with `factors`, in order.
template <class Real>
[[gnu::always_inline]] inline void add_up(const Columns<Real>& of, const Real* factors, Real* total) {
  const auto add = [&](std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) total[r] = 0;
    for (std::size_t i = 0; i < of.size; ++i) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r * of.width + i;
        total[r] += factors == nullptr ? of.shares[at] : of.shares[at] * factors[at];
      }
    }
  };
  if (of.rows == kTogether)
    add(kTogether);
  else
    add(of.rows);
}

template <class Real>
[[gnu::always_inline]] inline void find_largest(const Columns<const Real>& of, Real* largest) {
  const auto find = [&](std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) largest[r] = of.shares[r * of.width];
    for (std::size_t i = 1; i < of.size; ++i) {
      for (std::size_t r = 0; r < rows; ++r) {
        const Real x = of.shares[r * of.width + i];
        largest[r] = x > largest[r] ? x : largest[r];
      }
    }
  };
  if (of.rows == kTogether)
    find(kTogether);
  else
    find(of.rows);
}

/// Shares of what the exponentials are taken of: at most 0 in a softmax.
template <class Real>
[[gnu::always_inline]] inline void prepare(DecoderKind kind, const Real* variables,
                                           const Columns<Real>& out) {
  Real largest[kTogether];
  if (kind == DecoderKind::kSoftmax) find_largest<Real>({out.rows, out.width, out.size, variables}, largest);
  for (std::size_t r = 0; r < out.rows; ++r) {
    const Real* from = variables + r * out.width;
    Real* to = out.shares + r * out.width;
    if (kind == DecoderKind::kSoftmax) {
      for (std::size_t i = 0; i < out.size; ++i) to[i] = from[i] - largest[r];
    } else if (kind == DecoderKind::kSigmoid) {
      for (std::size_t i = 0; i < out.size; ++i) to[i] = -from[i];
    } else {
      std::fill_n(to, out.size, Real(0));
    }
  }
}

/// From the exponentials, a share as what is divided, in their place, and the divisor; the identity's shares
/// are the variables, and what is fixed has none.
template <class Real>
[[gnu::always_inline]] inline void finish(DecoderKind kind, const Real* variables, const Columns<Real>& out,
                                          Real* divisors) {
  Real sums[kTogether];
  if (kind == DecoderKind::kSoftmax) add_up<Real>(out, nullptr, sums);
  for (std::size_t r = 0; r < out.rows; ++r) {
    const std::size_t row = r * out.width;
    switch (kind) {
      case DecoderKind::kIdentity:
        std::copy_n(variables + row, out.size, out.shares + row);
        std::fill_n(divisors + row, out.size, Real(1));
        break;
      case DecoderKind::kFixed:
        std::fill_n(out.shares + row, out.size, Real(0));
        std::fill_n(divisors + row, out.size, Real(1));
        break;
      case DecoderKind::kSoftmax:
        for (std::size_t i = row; i < row + out.size; ++i) divisors[i] = sums[r];
        break;
      case DecoderKind::kSigmoid:
        for (std::size_t i = row; i < row + out.size; ++i) divisors[i] = 1 + out.shares[i];
        std::fill_n(out.shares + row, out.size, Real(1));
        break;
    }
  }
}

/// From slopes by shares.
template <class Real>
[[gnu::always_inline]] inline void pull_block(DecoderKind kind, const Real* shares,
                                              const Columns<Real>& slopes) {
  Real means[kTogether];
  if (kind == DecoderKind::kSoftmax) add_up<Real>(slopes, shares, means);
  for (std::size_t r = 0; r < slopes.rows; ++r) {
    const Real* share = shares + r * slopes.width;
    Real* slope = slopes.shares + r * slopes.width;
    if (kind == DecoderKind::kSigmoid) {
      for (std::size_t i = 0; i < slopes.size; ++i) slope[i] *= share[i] * (1 - share[i]);
    } else if (kind == DecoderKind::kSoftmax) {
      for (std::size_t i = 0; i < slopes.size; ++i) slope[i] = share[i] * (slope[i] - means[r]);
    }
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
    add_block(block);
    for (std::size_t i = 0; i < block.size && block.kind != DecoderKind::kIdentity; ++i) {
      const bool fixed = block.kind == DecoderKind::kFixed;
      low_[block.first + i] = static_cast<Real>(block.range(i).low);
      span_[block.first + i] = fixed ? Real(0) : static_cast<Real>(block.range(i).high - block.range(i).low);
    }
  }
}

/// All but categories are decoded number by number, so that neighbours of one kind are one block.
template <class Real>
void RecordDecoder<Real>::add_block(const DecoderBlock& block) {
  const bool joins =
      !blocks_.empty() && blocks_.back().kind == block.kind && block.kind != DecoderKind::kSoftmax;
  if (joins)
    blocks_.back().size += block.size;
  else
    blocks_.push_back({block.kind, block.first, block.size});
}

template <class Real>
void RecordDecoder<Real>::decode(std::span<const Real> variables, std::span<Real> shares,
                                 std::span<Real> records) const {
  const std::size_t width = low_.size();
  const std::size_t rows = records.size() / width;
  for (std::size_t first = 0; first < rows; first += kTogether)
    decode_rows(std::min(kTogether, rows - first), &variables[first * width], &shares[first * width],
                &records[first * width]);
}

/// Until the end the divisors of shares lie where the records will be.
template <class Real>
void RecordDecoder<Real>::decode_rows(std::size_t rows, const Real* variables, Real* shares,
                                      Real* records) const {
  const std::size_t width = low_.size();
  const Real* const low = low_.data();
  const Real* const span = span_.data();
  vectorised([&]() EARSHOT_VECTOR_BODY {
    for (const Block& block : blocks_)
      prepare<Real>(block.kind, variables + block.first, {rows, width, block.size, shares + block.first});
  });
  exponentials(std::span(shares, rows * width));
  vectorised([&]() EARSHOT_VECTOR_BODY {
    for (const Block& block : blocks_)
      finish<Real>(block.kind, variables + block.first, {rows, width, block.size, shares + block.first},
                   records + block.first);
    for (std::size_t row = 0; row < rows * width; row += width) {
      for (std::size_t i = 0; i < width; ++i) {
        const Real share = shares[row + i] / records[row + i];
        shares[row + i] = share;
        records[row + i] = low[i] + span[i] * share;
      }
    }
  });
}

template <class Real>
void RecordDecoder<Real>::pull_back(std::span<const Real> shares, std::span<Real> slopes) const {
  const std::size_t width = low_.size();
  const std::size_t rows = slopes.size() / width;
  for (std::size_t first = 0; first < rows; first += kTogether)
    pull_rows(std::min(kTogether, rows - first), &shares[first * width], &slopes[first * width]);
}

template <class Real>
void RecordDecoder<Real>::pull_rows(std::size_t rows, const Real* shares, Real* slopes) const {
  const std::size_t width = low_.size();
  const Real* const span = span_.data();
  vectorised([&]() EARSHOT_VECTOR_BODY {
    for (std::size_t row = 0; row < rows * width; row += width)
      for (std::size_t i = 0; i < width; ++i) slopes[row + i] *= span[i];
    for (const Block& block : blocks_)
      pull_block<Real>(block.kind, shares + block.first, {rows, width, block.size, slopes + block.first});
  });
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
