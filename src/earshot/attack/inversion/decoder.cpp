#include "earshot/attack/inversion/decoder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kLeast = 1e-4;

/// Calls use(block, first) for every block of every record; `first` counts from the first record.
template <class Use>
void for_blocks(const Decoder& decoder, std::size_t width, std::size_t numbers, Use&& use) {
  for (std::size_t record = 0; record < numbers; record += width)
    for (const DecoderBlock& block : decoder) use(block, record + block.first);
}

void softmax(std::span<const double> logits, std::span<double> out) {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] = std::exp(logits[i] - largest);
  for (double& p : out) p /= sum;
}

void decode_block(const DecoderBlock& block, std::span<const double> variables, std::span<double> out) {
  switch (block.kind) {
    case DecoderKind::kIdentity:
      std::ranges::copy(variables, out.begin());
      return;
    case DecoderKind::kSoftmax:
      softmax(variables, out);
      return;
    case DecoderKind::kSigmoid:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = block.low + (block.high - block.low) * (1 / (1 + std::exp(-variables[i])));
      return;
  }
}

void pull_block(const DecoderBlock& block, std::span<const double> decoded, std::span<double> slopes) {
  switch (block.kind) {
    case DecoderKind::kIdentity:
      return;
    case DecoderKind::kSoftmax: {
      double mean = 0;
      for (std::size_t i = 0; i < slopes.size(); ++i) mean += decoded[i] * slopes[i];
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = decoded[i] * (slopes[i] - mean);
      return;
    }
    case DecoderKind::kSigmoid:
      for (std::size_t i = 0; i < slopes.size(); ++i)
        slopes[i] *= (decoded[i] - block.low) * (block.high - decoded[i]) / (block.high - block.low);
      return;
  }
}

double undecode_number(const DecoderBlock& block, double number) {
  switch (block.kind) {
    case DecoderKind::kIdentity:
      return number;
    case DecoderKind::kSoftmax:
      return std::log(std::max(number, kLeast));
    case DecoderKind::kSigmoid:
      break;
  }
  const double share = std::clamp((number - block.low) / (block.high - block.low), kLeast, 1 - kLeast);
  return std::log(share / (1 - share));
}

}  // namespace

void require_valid(const Decoder& decoder, std::size_t width) {
  std::size_t next = 0;
  for (const DecoderBlock& block : decoder) {
    if (block.first != next || block.size == 0)
      fail(Fault::kConfig, fmt::format("a decoder's block of {} columns begins at column {}, expected at {}; "
                                       "blocks are not empty and follow one another",
                                       block.size, block.first, next));
    const bool bounded = std::isfinite(block.low) && std::isfinite(block.high) && block.low < block.high;
    if (block.kind == DecoderKind::kSigmoid && !bounded)
      fail(Fault::kConfig, "a decoder's block needs a finite lower bound below a finite upper one");
    next += block.size;
  }
  if (!decoder.empty() && next != width)
    fail(Fault::kConfig, fmt::format("a decoder covers {} columns, a record has {}", next, width));
}

void decode(const Decoder& decoder, std::size_t width, std::span<const double> variables,
            std::span<double> records) {
  if (decoder.empty()) std::ranges::copy(variables, records.begin());
  for_blocks(decoder, width, records.size(), [&](const DecoderBlock& block, std::size_t first) {
    decode_block(block, variables.subspan(first, block.size), records.subspan(first, block.size));
  });
}

void pull_back(const Decoder& decoder, std::size_t width, std::span<const double> records,
               std::span<double> slopes) {
  for_blocks(decoder, width, records.size(), [&](const DecoderBlock& block, std::size_t first) {
    pull_block(block, records.subspan(first, block.size), slopes.subspan(first, block.size));
  });
}

std::vector<double> undecode(const Decoder& decoder, std::size_t width, std::span<const double> records) {
  std::vector<double> variables(records.begin(), records.end());
  for_blocks(decoder, width, records.size(), [&](const DecoderBlock& block, std::size_t first) {
    for (std::size_t i = first; i < first + block.size; ++i)
      variables[i] = undecode_number(block, records[i]);
  });
  return variables;
}

}  // namespace earshot
