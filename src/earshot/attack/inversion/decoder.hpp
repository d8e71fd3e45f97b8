// How the free variables of a search become the numbers of a record: as they are, or through functions that
// keep categories on the simplex and numbers within their bounds (Vero et al. 2023, TabLeak, section 4.1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot {

enum class DecoderKind {
  kIdentity,  // the variables themselves
  kFixed,     // known: the lower end of its range, whatever the variables
  kSoftmax,   // positive shares of sum 1: a category, one position each
  kSigmoid,   // shares within (0, 1): bits of a code, or a number between its bounds
};

/// What the shares 0 and 1 become.
struct Range {
  double low = 0;
  double high = 1;

  double at(double share) const { return low + (high - low) * share; }
  double share(double number) const { return (number - low) / (high - low); }
};

/// The columns [first, first + size) of a record. Softmax and sigmoid are shares of one; where a record holds
/// them scaled, as standardised codes are, `ranges` says how, for each column.
struct DecoderBlock {
  DecoderKind kind = DecoderKind::kIdentity;
  std::size_t first = 0;
  std::size_t size = 1;
  std::vector<Range> ranges{{}};  // one for all columns, or one for each

  const Range& range(std::size_t i) const { return ranges.size() == 1 ? ranges.front() : ranges[i]; }
};

/// Blocks that cover a record one after the other. Empty: every variable is a number of the record.
using Decoder = std::vector<DecoderBlock>;

/// Refuses blocks that leave out or share columns of a record of `width` numbers, and bounds that are none.
void require_valid(const Decoder& decoder, std::size_t width);

/// A decoder laid out for the inner loop of a search. Records of `width` numbers, one after the other, are
/// made of as many variables.
template <class Real>
class RecordDecoder {
 public:
  /// An empty decoder is the identity.
  RecordDecoder(const Decoder& decoder, std::size_t width);

  /// Records, and which shares of their ranges they are: kept apart because a small share would drown in its
  /// range's rounding, and yet decides where a category goes.
  void decode(std::span<const Real> variables, std::span<Real> shares, std::span<Real> records) const;
  /// Derivatives by the variables from those by the records, in place.
  void pull_back(std::span<const Real> shares, std::span<Real> slopes) const;

 private:
  struct Block {
    DecoderKind kind;
    std::size_t first;
    std::size_t size;
  };
  void add_block(const DecoderBlock& block);
  void decode_rows(std::size_t rows, const Real* variables, Real* shares, Real* records) const;
  void pull_rows(std::size_t rows, const Real* shares, Real* slopes) const;

  std::vector<Block> blocks_;
  std::vector<Real> low_, span_;  // of each column
};

/// Records of `width` numbers from as many variables, for callers that decode once.
void decode(const Decoder& decoder, std::size_t width, std::span<const double> variables,
            std::span<double> records);

/// Variables that decode to the records, as near as functions allow that never reach their bounds: within
/// 1e-4 of a bound (relative to their distance) the records are drawn inside, so that a search can move.
std::vector<double> undecode(const Decoder& decoder, std::size_t width, std::span<const double> records);

}  // namespace earshot
