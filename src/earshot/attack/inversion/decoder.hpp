// How the free variables of a search become the numbers of a record: as they are, or through functions that
// keep categories on the simplex and numbers within their bounds (Vero et al. 2023, TabLeak, section 4.1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot {

enum class DecoderKind {
  kIdentity,  // the variables themselves
  kSoftmax,   // positive and of sum 1: a category, one position each
  kSigmoid,   // each within (low, high): bits of a code, or a number with known bounds
};

/// The columns [first, first + size) of a record.
struct DecoderBlock {
  DecoderKind kind = DecoderKind::kIdentity;
  std::size_t first = 0;
  std::size_t size = 1;
  double low = 0;  // of kSigmoid
  double high = 1;
};

/// Blocks that cover a record one after the other. Empty: every variable is a number of the record.
using Decoder = std::vector<DecoderBlock>;

/// Refuses blocks that leave out or share columns of a record of `width` numbers, and bounds that are none.
void require_valid(const Decoder& decoder, std::size_t width);

/// Records of `width` numbers, one after the other, from as many variables.
void decode(const Decoder& decoder, std::size_t width, std::span<const double> variables,
            std::span<double> records);

/// Derivatives by the variables from those by the decoded records, in place.
void pull_back(const Decoder& decoder, std::size_t width, std::span<const double> records,
               std::span<double> slopes);

/// Variables that decode to the records, as near as functions allow that never reach their bounds: within
/// 1e-4 of a bound (relative to their distance) the records are drawn inside, so that a search can move.
std::vector<double> undecode(const Decoder& decoder, std::size_t width, std::span<const double> records);

}  // namespace earshot
