#include "earshot/data/formats/idx.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Bytes header(std::initializer_list<std::uint32_t> words) {
  Bytes bytes;
  for (const std::uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return bytes;
}

Bytes with(Bytes bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

TEST(Idx, ReadsImagesRowByRow) {
  const IdxImages images = parse_idx_images(with(header({0x803, 2, 1, 3}), {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(images.count, 2u);
  EXPECT_EQ(images.rows, 1u);
  EXPECT_EQ(images.columns, 3u);
  EXPECT_THAT(images.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Idx, ReadsLabels) {
  EXPECT_THAT(parse_idx_labels(with(header({0x801, 3}), {9, 0, 4}), 10), ElementsAre(9, 0, 4));
}

template <class Parse>
void expect_refusal(Parse parse, const std::string& part) {
  EXPECT_THAT(parse, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Idx, SaysWhatIsWrong) {
  expect_refusal([] { parse_idx_images({}); }, "ends inside its 16-byte header (it has 0 bytes)");
  expect_refusal(
      [] {
        parse_idx_images(header({0x801, 1, 1, 1}));
      },
      "magic is 0x00000801, expected 0x00000803");
  expect_refusal([] { parse_idx_images(header({0x803, 0, 28, 28})); }, "dimension 1 is 0");
  expect_refusal(
      [] {
        parse_idx_images(with(header({0x803, 1, 2, 2}), {1, 2, 3}));
      },
      "announces 1 x 2 x 2 values, but 3 bytes follow");
  expect_refusal([] { parse_idx_images(with(header({0x803, 1, 1, 2}), {1, 2, 3})); }, "3 bytes follow");
  expect_refusal(
      [] {
        parse_idx_labels(with(header({0x801, 2}), {3, 10}), 10);
      },
      "label 1 is 10, allowed: 0..9");
}

// The products overflow 64 bits, the last two to 0; none may be believed.
TEST(Idx, AHostileHeaderCannotOverflow) {
  for (const Bytes& hostile :
       {header({0x803, 0xffffffff, 0xffffffff, 0xffffffff}), header({0x803, 0x10000, 0x1000000, 0x1000000}),
        header({0x803, 0x80000000, 0x80000000, 4})}) {
    expect_refusal([&] { parse_idx_images(hostile); }, "0 bytes follow");
    expect_refusal([&] { parse_idx_images(with(hostile, Bytes(64))); }, "64 bytes follow");
  }
}

TEST(Idx, EveryTruncationAndExtensionIsRefused) {
  const Bytes whole = with(header({0x803, 2, 2, 2}), Bytes(8, 1));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse_idx_images(std::span(whole).first(length)), Error) << length;
  EXPECT_NO_THROW(parse_idx_images(whole));
  EXPECT_THROW(parse_idx_images(with(whole, {0})), Error);
}

TEST(Idx, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("idx", [](const Bytes& bytes) {
    const bool labels = bytes.size() >= 4 && bytes[3] == 0x01;
    if (labels) {
      parse_idx_labels(bytes, 10);
    } else {
      parse_idx_images(bytes);
    }
  });
}

TEST(IdxTable, ReadsRowsOfSignedNumbers) {
  const IdxTable table = parse_idx_table(header({0xc02, 2, 3, 1, 2, 0xffffffff, 4, 0x80000000, 6}));
  EXPECT_EQ(table.rows, 2u);
  EXPECT_EQ(table.columns, 3u);
  EXPECT_THAT(table.values, ElementsAre(1, 2, -1, 4, -2147483648, 6));
  EXPECT_EQ(table.at(1, 2), 6);
}

TEST(IdxTable, SaysWhatIsWrong) {
  expect_refusal([] { parse_idx_table(header({0x803, 1, 1, 1})); }, "expected 0x00000c02");
  expect_refusal(
      [] {
        parse_idx_table(header({0xc02, 1, 2, 1}));
      },
      "announces 1 x 2 values, but 4 bytes follow");
  expect_refusal([] { parse_idx_table(with(header({0xc02, 1, 1, 1}), {0})); }, "5 bytes follow");
  expect_refusal([] { parse_idx_table(header({0xc02, 0x80000000, 0x80000000})); }, "0 bytes follow");
}

TEST(IdxTable, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("idx2", [](const Bytes& bytes) { parse_idx_table(bytes); });
}

}  // namespace
}  // namespace earshot
