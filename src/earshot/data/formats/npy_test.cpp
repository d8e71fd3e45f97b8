#include "earshot/data/formats/npy.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A version 1 file with this header text and the values' bytes.
template <class Value>
Bytes file(const std::string& header, const std::vector<Value>& values) {
  Bytes bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.push_back(static_cast<std::uint8_t>(header.size() + 1));
  bytes.push_back(static_cast<std::uint8_t>((header.size() + 1) >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.push_back('\n');
  const auto* raw = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), raw, raw + values.size() * sizeof(Value));
  return bytes;
}

std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }   ";
}

template <class Value>
std::vector<double> round_trip(const std::string& type, const std::vector<Value>& values) {
  return npy_numbers(parse_npy(file(header(type, "(" + std::to_string(values.size()) + ",)"), values)));
}

TEST(Npy, ReadsEveryTypeOfNumber) {
  EXPECT_THAT(round_trip<std::uint8_t>("|u1", {0, 255}), ElementsAre(0, 255));
  EXPECT_THAT(round_trip<std::int8_t>("|i1", {-128, 127}), ElementsAre(-128, 127));
  EXPECT_THAT(round_trip<std::uint16_t>("<u2", {1, 65535}), ElementsAre(1, 65535));
  EXPECT_THAT(round_trip<std::int16_t>("<i2", {-32768, 2}), ElementsAre(-32768, 2));
  EXPECT_THAT(round_trip<std::uint32_t>("<u4", {4294967295u}), ElementsAre(4294967295.0));
  EXPECT_THAT(round_trip<std::int32_t>("<i4", {-2147483647 - 1}), ElementsAre(-2147483648.0));
  EXPECT_THAT(round_trip<std::uint64_t>("<u8", {std::uint64_t{1} << 53}), ElementsAre(0x1p53));
  EXPECT_THAT(round_trip<std::int64_t>("<i8", {-3, std::int64_t{1} << 53}), ElementsAre(-3, 0x1p53));
  EXPECT_THAT(round_trip<float>("<f4", {-0.1f, 1e30f}), ElementsAre(-0.1f, 1e30f));
  EXPECT_THAT(round_trip<double>("<f8", {-0.1, 1e300}), ElementsAre(-0.1, 1e300));
}

TEST(Npy, ShapeAndBytesAreKept) {
  NpyArray array = parse_npy(file<std::uint8_t>(header("|u1", "(2, 1, 3)"), {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(array.shape, ElementsAre(2, 1, 3));
  EXPECT_THAT(npy_bytes(array), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THROW(npy_bytes(parse_npy(file<std::int8_t>(header("|i1", "(1,)"), {1}))), Error);
}

TEST(Npy, KeysMayComeInAnyOrder) {
  const std::string text = "{ 'shape':(2,3),'fortran_order' : False ,'descr': '|u1'}";
  EXPECT_THAT(parse_npy(file<std::uint8_t>(text, {1, 2, 3, 4, 5, 6})).shape, ElementsAre(2, 3));
}

void expect_refusal(const Bytes& bytes, const std::string& part) {
  EXPECT_THAT([&] { npy_numbers(parse_npy(bytes)); }, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Npy, SaysWhatIsWrong) {
  const std::vector<std::uint8_t> one{1};
  expect_refusal({}, "does not start with the magic");
  expect_refusal(file(header("|O", "(1,)"), one), "type \"|O\" are not supported");
  expect_refusal(file(header("<i8", "(1,)"), one), "(1) numbers of 8 bytes, but 1 bytes follow");
  expect_refusal(file<std::uint8_t>(header("|u1", "(2, 3)"), Bytes(7)),
                 "(2, 3) numbers of 1 bytes, but 7 bytes");
  expect_refusal(file(header("|u1", "(0,)"), one), "a dimension is 0");
  expect_refusal(file(header("|u1", "(1)"), one), "not the dictionary numpy writes");
  expect_refusal(file<std::uint8_t>("{'fortran_order': True, 'descr': '|u1', 'shape': (1,)}", {1}),
                 "Fortran order");
  expect_refusal(file<std::uint8_t>("{'descr': '|u1', 'shape': (1,)}", {1}), "must all be there");
  expect_refusal(file<std::uint8_t>("{'descr': '|u1', 'descr': '|u1'}", {1}), "\"descr\" comes twice");
  expect_refusal(file<std::uint8_t>("{'order': 'C'}", {1}), "unknown key \"order\"");
}

// The products overflow 64 bits to 0 or to the right size; none may be believed.
TEST(Npy, AHostileShapeCannotOverflow) {
  for (const std::string shape :
       {"(4294967296, 4294967296)", "(9223372036854775809, 2)", "(18446744073709551615, 1)"})
    expect_refusal(file<std::uint8_t>(header("|u1", shape), {1, 2}), "2 bytes follow");
}

TEST(Npy, NumbersADoubleCannotHoldAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT([] { round_trip<std::int64_t>("<i8", {(std::int64_t{1} << 53) + 1}); },
              ThrowsMessage<Error>(HasSubstr("too large")));
  EXPECT_THAT([] { round_trip<std::uint64_t>("<u8", {~std::uint64_t{0}}); },
              ThrowsMessage<Error>(HasSubstr("too large")));
  EXPECT_THAT(
      [&] {
        round_trip<double>("<f8", {0.0, infinity});
      },
      ThrowsMessage<Error>(HasSubstr("number 1 is not finite")));
  EXPECT_THAT([] { round_trip<float>("<f4", {std::numeric_limits<float>::quiet_NaN()}); },
              ThrowsMessage<Error>(HasSubstr("number 0 is not finite")));
}

TEST(Npy, EveryTruncationAndExtensionIsRefused) {
  Bytes whole = file<std::int16_t>(header("<i2", "(2, 2)"), {1, 2, 3, 4});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse_npy(std::span(whole).first(length)), Error) << length;
  whole.push_back(0);
  EXPECT_THROW(parse_npy(whole), Error);
}

TEST(Npy, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("npy", [](const Bytes& bytes) { parse_npy(bytes); });
}

}  // namespace
}  // namespace earshot
