#include "earshot/data/images/cifar.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A record whose pixel bytes count up from `first`, modulo 251 so that the planes differ.
Bytes record(std::uint8_t label, std::size_t first) {
  Bytes bytes{label};
  for (std::size_t i = 0; i < kCifarShape.size(); ++i)
    bytes.push_back(static_cast<std::uint8_t>((first + i) % 251));
  return bytes;
}

TEST(Cifar, ReadsRecords) {
  Bytes bytes = record(3, 0);
  const Bytes second = record(9, 7);
  bytes.insert(bytes.end(), second.begin(), second.end());
  const ImageDataset dataset = parse_cifar10(bytes);
  ASSERT_EQ(dataset.size(), 2u);
  EXPECT_EQ(dataset.shape, (ImageShape{3, 32, 32}));
  EXPECT_EQ(dataset.classes, 10u);
  EXPECT_EQ(dataset.labels, (std::vector<std::uint8_t>{3, 9}));
  EXPECT_EQ(dataset.image(0)[0], 0);
  EXPECT_EQ(dataset.image(0)[1024], 1024 % 251);
  EXPECT_EQ(dataset.image(1)[3071], (7 + 3071) % 251);
}

TEST(Cifar, SaysWhatIsWrong) {
  EXPECT_THAT([] { parse_cifar10({}); }, ThrowsMessage<Error>(HasSubstr("0 bytes are no whole number")));
  EXPECT_THAT([] { parse_cifar10(Bytes(3072)); }, ThrowsMessage<Error>(HasSubstr("3072 bytes")));
  EXPECT_THAT([] { parse_cifar10(Bytes(3074)); }, ThrowsMessage<Error>(HasSubstr("3073 bytes each")));
  EXPECT_THAT([] { parse_cifar10(record(10, 0)); },
              ThrowsMessage<Error>(HasSubstr("label 0 is 10, allowed: 0..9")));
}

TEST(Cifar, CorpusIsAcceptedOrRefusedInOneLine) {
  testing::check_corpus("cifar", [](const Bytes& bytes) { parse_cifar10(bytes); });
}

}  // namespace
}  // namespace earshot
