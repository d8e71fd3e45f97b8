#include "earshot/attack/tabular/table_layout.hpp"

#include <gmock/gmock.h>

#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(TableLayout, EveryEncodingHasADecoderThatReachesEveryRow) {
  const auto cells = people_cells(0, kPeople);
  for (const CategoryEncoding encoding : kAllEncodings) {
    for (const NumberScaling scaling :
         {NumberScaling::kStandard, NumberScaling::kMinMax, NumberScaling::kNone}) {
      for (const bool alternate_sign : {true, false}) {
        const TableEncoder encoder = people_encoder(encoding, scaling, alternate_sign);
        const Decoder decoder = table_decoder(encoder);
        ASSERT_NO_THROW(require_valid(decoder, encoder.width()));
        const auto records = to_records(encoder, cells);
        std::vector<double> reached(records.size());
        decode(decoder, encoder.width(), undecode(decoder, encoder.width(), records), reached);
        for (std::size_t i = 0; i < records.size(); ++i) {
          // Within 1e-4 of the width of a block, which is at most eighty years, or of a softmax of five.
          EXPECT_NEAR(reached[i], records[i], scaling == NumberScaling::kNone ? 1e-2 : 1e-3);
        }
        EXPECT_EQ(to_records(encoder, to_cells(encoder, records)), records);
      }
    }
  }
}

TEST(TableLayout, BlocksFollowTheEncoding) {
  const auto kinds = [](const TableEncoder& encoder) {
    std::vector<DecoderKind> out;
    for (const DecoderBlock& block : table_decoder(encoder)) out.push_back(block.kind);
    return out;
  };
  using enum DecoderKind;
  EXPECT_THAT(kinds(people_encoder()),
              ::testing::ElementsAre(kSigmoid, kSoftmax, kSigmoid, kIdentity, kSoftmax, kSoftmax));
  EXPECT_THAT(kinds(people_encoder(CategoryEncoding::kBinary)),
              ::testing::ElementsAre(kSigmoid, kSigmoid, kSigmoid, kIdentity, kSigmoid, kSigmoid));
  const Decoder decoder = table_decoder(people_encoder(CategoryEncoding::kOneHot, NumberScaling::kMinMax));
  EXPECT_EQ(decoder[0].low, 0);
  EXPECT_EQ(decoder[0].high, 1);
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
