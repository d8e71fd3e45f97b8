#include "earshot/attack/tabular/table_layout.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void expect_reached(const TableEncoder& encoder, std::span<const double> cells) {
  const Decoder decoder = table_decoder(encoder);
  ASSERT_NO_THROW(require_valid(decoder, encoder.width()));
  const auto records = to_records(encoder, cells);
  std::vector<double> reached(records.size());
  decode(decoder, encoder.width(), undecode(decoder, encoder.width(), records), reached);
  for (const DecoderBlock& block : decoder) {
    for (std::size_t i = 0; i < block.size; ++i) {
      // Within 1e-4 of a range, or of four others in a softmax of five.
      const double tolerance = 4.1e-4 * (block.range(i).high - block.range(i).low) + 1e-12;
      for (std::size_t at = block.first + i; at < records.size(); at += encoder.width())
        EXPECT_NEAR(reached[at], records[at], tolerance);
    }
  }
  EXPECT_EQ(to_records(encoder, to_cells(encoder, records)), records);
}

TEST(TableLayout, EveryEncodingHasADecoderThatReachesEveryRow) {
  const auto cells = people_cells(0, kPeople);
  for (const CategoryEncoding encoding : kAllEncodings) {
    for (const NumberScaling scaling :
         {NumberScaling::kStandard, NumberScaling::kMinMax, NumberScaling::kNone}) {
      for (const bool alternate_sign : {true, false}) {
        expect_reached(people_encoder(encoding, scaling, alternate_sign), cells);
        expect_reached(people_encoder(encoding, scaling, alternate_sign, CodeScaling::kStandard), cells);
      }
    }
  }
}

TEST(TableLayout, BlocksFollowTheEncoding) {
  const auto kinds = [](const TableEncoder& encoder, CodeRelaxation relaxation = CodeRelaxation::kPlaces) {
    std::vector<DecoderKind> out;
    for (const DecoderBlock& block : table_decoder(encoder, relaxation)) out.push_back(block.kind);
    return out;
  };
  using enum DecoderKind;
  EXPECT_THAT(kinds(people_encoder()),
              ::testing::ElementsAre(kSigmoid, kSoftmax, kSigmoid, kFixed, kSoftmax, kSoftmax));
  EXPECT_THAT(kinds(people_encoder(CategoryEncoding::kBinary)),
              ::testing::ElementsAre(kSigmoid, kSigmoid, kSigmoid, kFixed, kSigmoid, kSigmoid));
  EXPECT_EQ(kinds(people_encoder(), CodeRelaxation::kSoftmax), kinds(people_encoder()));
  EXPECT_THAT(kinds(people_encoder(CategoryEncoding::kBinary), CodeRelaxation::kSoftmax),
              ::testing::ElementsAre(kSigmoid, kSoftmax, kSigmoid, kFixed, kSigmoid, kSoftmax));
  const Decoder decoder = table_decoder(people_encoder(CategoryEncoding::kOneHot, NumberScaling::kMinMax));
  EXPECT_EQ(decoder[0].range(0).low, 0);
  EXPECT_EQ(decoder[0].range(0).high, 1);
}

/// Equal variables are equal shares of a category's code: scaled by hand from the rows, without the encoder.
TEST(TableLayout, SharesAreScaledAsCodesAre) {
  const TableEncoder encoder =
      people_encoder(CategoryEncoding::kOneHot, NumberScaling::kStandard, true, CodeScaling::kStandard);
  const auto cells = people_cells(0, kPeople);
  const ColumnBlock& work = encoder.blocks()[1];
  std::vector<double> records(encoder.width());
  decode(table_decoder(encoder), encoder.width(), std::vector<double>(encoder.width(), 0.7), records);
  for (std::size_t i = 0; i < 5; ++i) {
    double count = 0;
    for (std::size_t row = 0; row < kPeople; ++row) count += cells[row * 6 + 1] == static_cast<double>(i);
    const double share = count / kPeople;
    EXPECT_NEAR(records[work.first + i], (0.2 - share) / std::sqrt(share * (1 - share)), 1e-12);
  }
}

TEST(TableLayout, CellsStayWithinTheFittedValues) {
  const TableEncoder encoder = people_encoder();
  std::vector<double> records(encoder.width(), 1e6);
  const auto high = to_cells(encoder, records);
  EXPECT_EQ(high[0], encoder.blocks()[0].statistics.highest);
  EXPECT_EQ(high[3], 2023);
  records.assign(encoder.width(), -1e6);
  EXPECT_EQ(to_cells(encoder, records)[2], encoder.blocks()[2].statistics.lowest);
}

TEST(TableLayout, BrokenTablesAreRefused) {
  const TableEncoder encoder = people_encoder();
  EXPECT_THROW(to_cells(encoder, {}), Error);
  EXPECT_THROW(to_cells(encoder, std::vector<double>(encoder.width() + 1)), Error);
  EXPECT_THROW(to_records(encoder, std::vector<double>(7)), Error);
}

}  // namespace
}  // namespace earshot
