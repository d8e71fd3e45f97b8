// The parsers of image sets that come in archives, on small archives made here.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/png.hpp"
#include "earshot/data/formats/tar_sample.hpp"
#include "earshot/data/images/aptos.hpp"
#include "earshot/data/images/digits.hpp"
#include "earshot/data/images/femnist.hpp"
#include "earshot/data/images/retinamnist.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Files = std::vector<std::pair<std::string, Bytes>>;

Bytes tar_of(const Files& files) {
  std::vector<Bytes> members;
  for (const auto& [path, content] : files)
    members.push_back(tar_sample::member(path, std::string(content.begin(), content.end())));
  return tar_sample::archive(members);
}

Bytes grey(std::uint8_t value) {
  return encode_png({1, 2, 2}, Bytes(4, value));
}

Bytes sample(const std::string& path) {
  return read_bytes(EARSHOT_SOURCE_DIR "/tests/corpus/" + path);
}

template <class Body>
void expect_refusal(Body body, const std::string& part) {
  EXPECT_THAT(body, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Femnist, ClientAndDigitComeFromThePath) {
  const ImageDataset dataset = parse_femnist(tar_of({{"f/client_1/train/7/a.png", grey(9)},
                                                     {"f/client_0/train/0/b.png", grey(8)},
                                                     {"f/client_1/train/9/a.png", grey(7)}}));
  EXPECT_THAT(dataset.clients, ElementsAre(1, 0, 1));
  EXPECT_THAT(dataset.labels, ElementsAre(7, 0, 9));
  EXPECT_EQ(dataset.client_count, 2u);
  EXPECT_EQ(dataset.shape, (ImageShape{1, 2, 2}));
  EXPECT_THAT(dataset.image(1), ElementsAre(8, 8, 8, 8));
}

TEST(Femnist, SaysWhatIsWrong) {
  for (const std::string path :
       {"client_0/train/7/a.png", "f/client_0/train/10/a.png", "f/client_x/train/1/a.png",
        "f/client_0/test/1/a.png", "f/client_0/train/1/a.jpg", "f/client_00/train/1/a.png",
        "f/client_4000000000/train/1/a.png", "f/client_/train/1/a.png"})
    expect_refusal(
        [&] {
          parse_femnist(tar_of({{path, grey(1)}}));
        },
        "expected FOLDER/client_K/train/DIGIT/NAME.png");
  expect_refusal(
      [] {
        parse_femnist(tar_of({{"f/client_1/train/7/a.png", grey(1)}}));
      },
      "client_0 has no images");
  expect_refusal([] { parse_femnist(tar_of({})); }, "holds no images");
  expect_refusal(
      [] {
        parse_femnist(tar_of({{"f/client_0/train/7/a.png", {1, 2, 3}}}));
      },
      "f/client_0/train/7/a.png: PNG:");
  expect_refusal(
      [] {
        parse_femnist(tar_of({{"f/client_0/train/7/a.png", encode_png({3, 1, 1}, Bytes(3))}}));
      },
      "expected a grey image");
  expect_refusal(
      [] {
        parse_femnist(tar_of({{"f/client_0/train/7/a.png", grey(1)},
                              {"f/client_0/train/7/b.png", encode_png({1, 1, 1}, Bytes(1))}}));
      },
      "b.png: image is 1x1x1");
}

TEST(Digits, PixelsAreScaledToBytes) {
  std::string line;
  for (int i = 0; i < 64; ++i) line += fmt::format("{},", i % 17);
  const ImageDataset dataset = parse_digits(line + "3\n" + line + "9\n", "digits.csv");
  EXPECT_THAT(dataset.labels, ElementsAre(3, 9));
  EXPECT_EQ(dataset.shape, (ImageShape{1, 8, 8}));
  for (std::size_t i = 0; i < 64; ++i) {
    const double value = dataset.image(1)[i] * 16 / 255.0;
    EXPECT_NEAR(value, static_cast<double>(i % 17), 0.5 * 16 / 255);
  }
  expect_refusal([&] { parse_digits("17," + line.substr(2) + "3\n", "digits.csv"); },
                 "digits.csv:1: column \"pixel 0\"");
  expect_refusal([&] { parse_digits(line + "10\n", "digits.csv"); }, "column \"label\"");
  expect_refusal([&] { parse_digits(line + "\n", "digits.csv"); }, "digits.csv:1");
}

std::vector<AptosRecord> aptos_index(const std::string& table, const Bytes& tar) {
  return index_aptos(table, "train.csv", tar);
}

TEST(Aptos, RecordsMatchTheArchiveOneToOne) {
  const Bytes tar = tar_of({{"t/b.jpg", {2}}, {"t/a.jpg", {1}}});
  const auto records = aptos_index("id_code,diagnosis\na,4\nb,0\n", tar);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].id, "a");
  EXPECT_EQ(records[0].grade, 4);
  EXPECT_THAT(records[0].jpeg, ElementsAre(1));
  EXPECT_THAT(records[1].jpeg, ElementsAre(2));
}

TEST(Aptos, SaysWhatIsWrong) {
  const Bytes tar = tar_of({{"t/b.jpg", {2}}, {"t/a.jpg", {1}}});
  const auto refuse = [&](const std::string& table, const std::string& part) {
    expect_refusal([&] { aptos_index(table, tar); }, part);
  };
  refuse("id_code,diagnosis\na,4\n", "no line for the image \"b\"");
  refuse("id_code,diagnosis\na,4\nb,1\nc,1\n", "train.csv:4: \"c\" has no image");
  refuse("id_code,diagnosis\na,4\na,1\n", "train.csv:3: \"a\" has no image in the archive, or comes twice");
  refuse("id_code,diagnosis\na,5\nb,1\n", "train.csv:2: \"5\" is no grade, allowed: 0..4");
  refuse("id_code,diagnosis\na,04\nb,1\n", "is no grade");
  refuse("id_code,diagnosis\na\nb,1\n", "not two cells");
  refuse("id,diagnosis\n", "the first line must be id_code,diagnosis");
  refuse("", "the first line must be");
  expect_refusal(
      [] {
        aptos_index("id_code,diagnosis\n", tar_of({{"a.jpg", {1}}}));
      },
      "expected FOLDER/ID.jpg");
  expect_refusal(
      [] {
        aptos_index("id_code,diagnosis\n", tar_of({{"t/a.jpg", {1}}, {"u/a.jpg", {1}}}));
      },
      "two images of \"a\"");
}

/// Alternating grades, image i holding the byte i / 2: every image comes twice.
std::vector<AptosRecord> many_records(const Bytes& contents) {
  std::vector<AptosRecord> records;
  for (std::size_t i = 0; i < 2000; ++i)
    records.push_back(
        {std::to_string(i), static_cast<std::uint8_t>(i % 5), std::span(contents).subspan(i / 2 * 2, 2)});
  return records;
}

TEST(Aptos, SplitIsStratifiedSeededAndItsCopiesAreCounted) {
  Bytes contents;
  for (std::size_t i = 0; i < 1000; ++i)
    contents.insert(contents.end(), {std::uint8_t(i), std::uint8_t(i >> 8)});
  const auto records = many_records(contents);
  const AptosSplit split = split_aptos(records, 1);
  EXPECT_EQ(split.test.size(), kAptosTestImages);
  EXPECT_EQ(split.train.size(), 2000 - kAptosTestImages);
  EXPECT_EQ(split.test, split_aptos(records, 1).test);
  EXPECT_NE(split.test, split_aptos(records, 2).test);
  std::size_t copies = 0;
  for (const std::size_t i : split.test) copies += std::ranges::binary_search(split.train, i ^ 1);
  EXPECT_EQ(count_copies(records, split), copies);
  EXPECT_GT(copies, 0u);
  expect_refusal([&] { split_aptos(std::span(records).first(731), 1); }, "731 images cannot be split");
}

TEST(Aptos, ImagesAreDecodedResizedAndCropped) {
  const Bytes colour = sample("jpeg/good-colour.jpg");
  const Bytes grey_image = sample("jpeg/good-grey.jpg");
  const std::vector<AptosRecord> records{{"a", 1, colour}, {"b", 2, colour}, {"c", 3, grey_image}};
  const std::vector<std::size_t> chosen{1, 0};
  const ImageDataset plain = decode_aptos(records, chosen, {});
  EXPECT_EQ(plain.shape, (ImageShape{3, 15, 17}));
  EXPECT_THAT(plain.labels, ElementsAre(2, 1));
  EXPECT_EQ(plain.pixels.size(), 2 * plain.shape.size());
  EXPECT_EQ(decode_aptos(records, chosen, {.resize = 30, .crop = 20}).shape, (ImageShape{3, 20, 20}));
  expect_refusal([&] { decode_aptos(records, chosen, {.crop = 16}); }, "cannot crop 16 x 16");
  expect_refusal([&] { decode_aptos(records, std::vector<std::size_t>{2}, {}); },
                 "c.jpg: expected a colour image");
  expect_refusal([&] { decode_aptos(records, {}, {}); }, "no image is chosen");
}

TEST(RetinaMnist, SaysWhatIsWrong) {
  expect_refusal([] { parse_retinamnist(sample("zip/good-stored.zip"), "train"); },
                 "the archive holds no train_images.npy");
  expect_refusal([] { parse_retinamnist(Bytes{1, 2}, "train"); }, "no zip archive");
}

}  // namespace
}  // namespace earshot
