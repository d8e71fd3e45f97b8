#include "earshot/attack/tabular/table_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

DecoderBlock number_block(const ColumnBlock& block) {
  const Range range{block.scale.scaled(block.statistics.lowest),
                    block.scale.scaled(block.statistics.highest)};
  const DecoderKind kind = range.low < range.high ? DecoderKind::kSigmoid : DecoderKind::kFixed;
  return {kind, block.first, block.width, {range}};
}

/// Places of a code hold 0 or 1, and with hashes that have a sign also -1, which a softmax knows nothing of;
/// each is scaled for itself.
DecoderBlock code_block(const ColumnBlock& block, DecoderKind kind) {
  const bool is_signed =
      kind == DecoderKind::kSigmoid && std::ranges::any_of(block.words, [](const CodeWord& word) {
        return std::ranges::any_of(word, [](double x) { return x < 0; });
      });
  DecoderBlock out{kind, block.first, block.width, {}};
  for (const ColumnScale& place : block.places)
    out.ranges.push_back({place.scaled(is_signed ? -1 : 0), place.scaled(1)});
  return out;
}

std::size_t count_of(std::size_t numbers, std::size_t width, std::string_view what) {
  if (numbers == 0 || numbers % width != 0)
    fail(Fault::kConfig, fmt::format("{} {} are no whole rows of {}", numbers, what, width));
  return numbers / width;
}

}  // namespace

std::size_t row_count(const TableEncoder& encoder, std::span<const double> cells) {
  return count_of(cells.size(), encoder.blocks().size(), "cells");
}

Decoder table_decoder(const TableEncoder& encoder, CodeRelaxation relaxation) {
  const bool one_hot = encoder.options().categories.encoding == CategoryEncoding::kOneHot;
  const bool softmax = one_hot || relaxation == CodeRelaxation::kSoftmax;
  Decoder decoder;
  for (const ColumnBlock& block : encoder.blocks()) {
    // The softmax of a single place could not move.
    const bool moves = one_hot || block.width > 1;
    decoder.push_back(block.categorical() ? code_block(block, softmax && moves ? DecoderKind::kSoftmax
                                                                               : DecoderKind::kSigmoid)
                                          : number_block(block));
  }
  return decoder;
}

std::vector<double> to_cells(const TableEncoder& encoder, std::span<const double> records) {
  const auto blocks = encoder.blocks();
  const std::size_t rows = count_of(records.size(), encoder.width(), "numbers");
  std::vector<double> cells;
  cells.reserve(rows * blocks.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = encoder.decode(records.subspan(r * encoder.width(), encoder.width()));
    for (std::size_t c = 0; c < blocks.size(); ++c) {
      const ColumnStatistics& known = blocks[c].statistics;
      cells.push_back(blocks[c].categorical() ? row[c] : std::clamp(row[c], known.lowest, known.highest));
    }
  }
  return cells;
}

std::vector<double> to_records(const TableEncoder& encoder, std::span<const double> cells) {
  const std::size_t columns = encoder.blocks().size();
  const std::size_t rows = row_count(encoder, cells);
  std::vector<double> records(rows * encoder.width());
  for (std::size_t r = 0; r < rows; ++r) {
    encoder.encode(cells.subspan(r * columns, columns),
                   std::span(records).subspan(r * encoder.width(), encoder.width()));
  }
  return records;
}

}  // namespace earshot
