#include "earshot/core/files.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

Bytes gzip(const Bytes& plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(deflateBound(&stream, plain.size()) + 64);
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes noise(std::size_t size) {
  Stream stream({1, Purpose::kTest, size});
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(stream.below(256));
  return bytes;
}

std::string gunzip_error(const Bytes& compressed, std::size_t largest = kLargestInput) {
  try {
    gunzip(compressed, largest);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData);
    return error.what();
  }
  return "(accepted)";
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "earshot-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(directory_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return directory_ / name;
  }
  std::filesystem::path directory_;
};

TEST(Gunzip, UndoesGzip) {
  for (const std::size_t size : {0U, 1U, 1000U, 65536U, 300000U})
    EXPECT_EQ(gunzip(gzip(noise(size))), noise(size)) << size;
}

TEST(Gunzip, JoinsMembers) {
  Bytes both = gzip(bytes_of("first "));
  for (const Bytes& next : {gzip(bytes_of("")), gzip(bytes_of("second"))})
    both.insert(both.end(), next.begin(), next.end());
  EXPECT_EQ(gunzip(both), bytes_of("first second"));
}

TEST(Gunzip, EveryTruncationIsRefused) {
  const Bytes whole = gzip(noise(2000));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(gunzip_error({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "(accepted)")
        << size;
}

TEST(Gunzip, DamageIsNoticedByTheChecksum) {
  const Bytes whole = gzip(noise(500));
  for (std::size_t i = 10; i < whole.size();
       ++i) {  // the first ten bytes hold time and system, which nothing checks
    Bytes damaged = whole;
    damaged[i] ^= 0x01;
    EXPECT_NE(gunzip_error(damaged), "(accepted)") << "byte " << i;
  }
  Bytes trailing = whole;
  trailing.push_back('x');
  EXPECT_NE(gunzip_error(trailing), "(accepted)") << "bytes after the last member";
}

TEST(Gunzip, ABombIsStoppedAtTheBound) {
  const Bytes bomb = gzip(Bytes(50'000'000, 0));
  EXPECT_LT(bomb.size(), 100'000U);
  EXPECT_THAT(gunzip_error(bomb, 1'000'000), HasSubstr("expands beyond 1000000 bytes"));
  EXPECT_EQ(gunzip(gzip(Bytes(1000, 7)), 1000).size(), 1000U) << "the bound itself is allowed";
  EXPECT_NE(gunzip_error(gzip(Bytes(1001, 7)), 1000), "(accepted)");
}

TEST_F(Files, ReadsPlainAndCompressedAlike) {
  EXPECT_EQ(read_bytes(write("plain", noise(5000))), noise(5000));
  EXPECT_EQ(read_bytes(write("packed.gz", gzip(noise(5000)))), noise(5000));
  EXPECT_EQ(read_text(write("text", bytes_of("zwei\nZeilen\n"))), "zwei\nZeilen\n");
  EXPECT_EQ(read_text(write("empty", {})), "");
}

TEST_F(Files, ErrorsNameThePath) {
  const auto message = [](const std::filesystem::path& path, std::size_t largest) -> std::string {
    try {
      read_bytes(path, largest);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kData);
      return error.what();
    }
    return "(read)";
  };
  EXPECT_THAT(message(directory_ / "absent", 100), HasSubstr("absent: cannot be opened (No such file"));
  EXPECT_THAT(message(directory_, 100), HasSubstr("is a directory"));
  EXPECT_THAT(message(write("big", noise(101)), 100), HasSubstr("big: larger than 100 bytes"));
  EXPECT_EQ(message(write("fits", noise(100)), 100), "(read)");
  EXPECT_THAT(message(write("cut.gz", {0x1f, 0x8b, 8}), 100), HasSubstr("cut.gz: gzip data is truncated"));
}

TEST_F(Files, AtomicWriteReplacesWholeFilesAndLeavesNothingElse) {
  const auto path = directory_ / "result.json";
  write_atomically(path, "old");
  write_atomically(path, std::string(1 << 20, 'n'));
  EXPECT_EQ(read_text(path), std::string(1 << 20, 'n'));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  const auto directory_in_the_way = directory_ / "taken";
  std::filesystem::create_directories(directory_in_the_way / "inside");
  EXPECT_THROW(write_atomically(directory_in_the_way, "x"), Error);
  EXPECT_TRUE(std::filesystem::is_directory(directory_in_the_way));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1)
      << "the temporary file is gone";
  try {
    write_atomically(directory_ / "no" / "such" / "place", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kIo);
  }
}

/// A reader running beside the writer sees one version or the other, never a part.
TEST_F(Files, ReadersNeverSeeAPart) {
  const auto path = directory_ / "shared";
  const std::string a(200000, 'a'), b(100000, 'b');
  write_atomically(path, a);
  std::jthread writer([&] {
    for (int i = 0; i < 20; ++i) write_atomically(path, i % 2 == 0 ? b : a);
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_text(path);
    ASSERT_TRUE(seen == a || seen == b);
  }
}

/// FIPS 180-4 example values.
TEST(Hash, Sha256KnownAnswers) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/// RFC 4648, section 10.
TEST(Hash, Base64KnownAnswers) {
  EXPECT_EQ(base64(bytes_of("")), "");
  EXPECT_EQ(base64(bytes_of("f")), "Zg==");
  EXPECT_EQ(base64(bytes_of("fo")), "Zm8=");
  EXPECT_EQ(base64(bytes_of("foo")), "Zm9v");
  EXPECT_EQ(base64(bytes_of("foob")), "Zm9vYg==");
  EXPECT_EQ(base64(bytes_of("fooba")), "Zm9vYmE=");
  EXPECT_EQ(base64(bytes_of("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(Bytes{0xfb, 0xff}), "+/8=");
}

}  // namespace
}  // namespace earshot
