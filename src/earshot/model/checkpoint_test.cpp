#include "earshot/model/checkpoint.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.network = Architecture{"tiny", {2}, {BatchNorm{}, Dense{2}}};
  checkpoint.provenance = {{"data", "digits"}, {"seed", 7}, {"accuracy", 0.5}};
  checkpoint.parameters = {1, 2, 3, 4, -0.0, 5e-324, std::nextafter(1, 2), 8, 9, 1e300};
  checkpoint.buffers = {0.25, -0.5, 1, 2};
  return checkpoint;
}

std::string refusal(const std::string& bytes) {
  try {
    parse_checkpoint(as_bytes(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "accepted";
}

/// The same content with the checksum it would need: what somebody writes who wants to harm us.
std::string signed_again(std::string bytes) {
  bytes.resize(bytes.size() - 64);
  return bytes + sha256(as_bytes(bytes));
}

TEST(Checkpoint, ComesBackToTheBit) {
  const Checkpoint written = sample();
  const std::string bytes = to_bytes(written);
  const Checkpoint read = parse_checkpoint(as_bytes(bytes));
  EXPECT_EQ(to_bytes(read), bytes);
  ASSERT_EQ(read.parameters.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(read.parameters[i], written.parameters[i]);
    EXPECT_EQ(std::signbit(read.parameters[i]), std::signbit(written.parameters[i]));
  }
  EXPECT_EQ(read.buffers, written.buffers);
  EXPECT_EQ(read.provenance, written.provenance);
  EXPECT_EQ(to_json(std::get<Architecture>(read.network)), to_json(std::get<Architecture>(written.network)));
}

/// docs/models.md describes these bytes; a change of the format needs a new version.
TEST(Checkpoint, HasTheDocumentedBytes) {
  const std::string bytes = to_bytes(sample());
  EXPECT_EQ(bytes.substr(0, 8), "EARSHOT\n");
  EXPECT_EQ(bytes.substr(8, 4), std::string("\x01\0\0\0", 4));
  const std::size_t header =
      static_cast<unsigned char>(bytes[12]) + 256 * static_cast<unsigned char>(bytes[13]);
  EXPECT_EQ(bytes.substr(16, 8), std::string("\x0a\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(24, 8), std::string("\x04\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.size(), 32 + header + 14 * 8 + 64);
  const Json json = Json::parse(bytes.substr(32, header));
  EXPECT_EQ(json["provenance"]["seed"], 7);
  EXPECT_EQ(bytes.substr(32 + header, 8), std::string("\0\0\0\0\0\0\xf0\x3f", 8));  // 1.0
  EXPECT_EQ(bytes.substr(bytes.size() - 64), sha256(as_bytes(bytes.substr(0, bytes.size() - 64))));
}

TEST(Checkpoint, NamesAUsersTorchScript) {
  Checkpoint checkpoint;
  checkpoint.network = ScriptReference{std::string(64, 'a'), {3, 8, 8}, 5, LossKind::kMeanSquared};
  checkpoint.parameters = {1, 2, 3};
  const Checkpoint read = parse_checkpoint(as_bytes(to_bytes(checkpoint)));
  EXPECT_EQ(std::get<ScriptReference>(read.network), std::get<ScriptReference>(checkpoint.network));
  EXPECT_EQ(read.parameters, checkpoint.parameters);
  std::get<ScriptReference>(checkpoint.network).sha256 = "short";
  EXPECT_THAT(refusal(to_bytes(checkpoint)), HasSubstr("64 lower-case hexadecimal digits"));
}

TEST(Checkpoint, EveryTruncationIsRefused) {
  const std::string bytes = to_bytes(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_NE(refusal(bytes.substr(0, size)), "accepted") << size;
    ASSERT_NE(refusal(bytes.substr(0, size)), "") << size;
  }
  EXPECT_THAT(refusal(bytes + "x"), HasSubstr("add up to"));
}

TEST(Checkpoint, EveryChangedByteIsRefused) {
  const std::string bytes = to_bytes(sample());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    ASSERT_NE(refusal(changed), "accepted") << at;
  }
  std::string changed = bytes;
  changed[bytes.size() - 80] ^= 1;
  EXPECT_THAT(refusal(changed), HasSubstr("checksum is wrong"));
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const std::string bytes = to_bytes(sample());
  const auto with = [&](std::size_t at, char value) {
    std::string changed = bytes;
    changed[at] = value;
    return refusal(signed_again(changed));
  };
  EXPECT_THAT(with(0, 'X'), HasSubstr("is not an earshot checkpoint"));
  EXPECT_THAT(with(8, 2), HasSubstr("format version 2; this program reads version 1"));
  EXPECT_THAT(with(16, 11), HasSubstr("its sizes add up to"));
  EXPECT_THAT(with(23, 1), HasSubstr("more than any network holds"));
  EXPECT_THAT(with(31, '\x7f'), HasSubstr("more than any network holds"));
  EXPECT_THAT(with(32, '['), HasSubstr("not JSON"));
  const std::string name = "\"tiny\"";
  EXPECT_THAT(with(bytes.find(name), '5'), HasSubstr("not JSON"));
  const std::size_t numbers = bytes.size() - 64 - 14 * 8;
  EXPECT_THAT(with(numbers + 7, '\x7f'), HasSubstr("parameter 0 of 10 is not a finite number"));
  EXPECT_THAT(with(numbers + 13 * 8 + 7, '\xc0'), HasSubstr("layer 0.batch_norm has a negative variance"));
}

TEST(Checkpoint, CountsMustFitTheNetwork) {
  // Ten numbers for parameters and four for buffers: eleven and three have the right total only.
  std::string bytes = to_bytes(sample());
  bytes[16] = 11;
  bytes[24] = 3;
  EXPECT_THAT(refusal(signed_again(bytes)), HasSubstr("has 11 parameters, its network 10"));
  Checkpoint wrong = sample();
  wrong.parameters.pop_back();
  EXPECT_THROW(to_bytes(wrong), Error);
  wrong = sample();
  wrong.parameters[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(to_bytes(wrong), Error);
  wrong = sample();
  wrong.buffers[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(to_bytes(wrong), Error);
}

TEST(Checkpoint, DeepHeadersAreRefused) {
  Checkpoint deep = sample();
  Json nested = 1;
  for (int i = 0; i < 200; ++i) nested = Json::array({nested});
  deep.provenance["nested"] = nested;
  EXPECT_THAT(refusal(to_bytes(deep)), HasSubstr("nested more than 100 deep"));
}

TEST(Checkpoint, Files) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "earshot_checkpoint_test.ckpt";
  save_checkpoint(path, sample());
  EXPECT_TRUE(looks_like_checkpoint(path));
  EXPECT_EQ(load_checkpoint(path).parameters, sample().parameters);
  write_atomically(path, "nothing of the kind");
  EXPECT_FALSE(looks_like_checkpoint(path));
  try {
    load_checkpoint(path);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("earshot_checkpoint_test.ckpt: is not an earshot checkpoint"));
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(looks_like_checkpoint(path));
}

TEST(Checkpoint, Samples) {
  testing::check_corpus("checkpoint", [](const Bytes& bytes) { parse_checkpoint(bytes); });
  testing::check_corpus("architecture", [](const Bytes& bytes) {
    const std::string text(bytes.begin(), bytes.end());
    architecture_from_json(Json::parse(text));
  });
}

}  // namespace
}  // namespace earshot
