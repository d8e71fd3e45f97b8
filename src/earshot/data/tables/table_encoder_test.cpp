#include "earshot/data/tables/table_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

using Rows = std::vector<std::size_t>;

Rows range(std::size_t first, std::size_t last) {
  Rows rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// Size, colour (Red, Green, Blue) and a constant.
TabularDataset sample() {
  TabularDataset dataset;
  dataset.features = {{"size", "colour", "one"}, 5, {1, 0, 7, 3, 2, 7, 5, 2, 7, 3, 1, 7, 100, 0, 9}};
  dataset.categories = {{}, {"Red", "Green", "Blue"}, {}};
  return dataset;
}

EncoderOptions with(CategoryEncoding encoding, std::size_t hash_width = 8, bool alternate_sign = true) {
  return {NumberScaling::kStandard,
          {.encoding = encoding, .seed = 11, .hash_width = hash_width, .alternate_sign = alternate_sign},
          CodeScaling::kNone};
}

// Rows 0 to 3 have sizes 1, 3, 5, 3: mean 3, deviation sqrt 2. Row 4 must not be felt.
TEST(TableEncoder, IsFittedOnTheGivenRowsOnly) {
  const TabularDataset dataset = sample();
  const TableEncoder encoder(dataset, range(0, 4), {});
  EXPECT_EQ(encoder.width(), 5u);
  EXPECT_EQ(encoder.blocks()[0].scale.shift, 3);
  EXPECT_EQ(encoder.blocks()[0].scale.scale, std::sqrt(2.0));
  EXPECT_THAT(encoder.blocks()[1].by_frequency, ElementsAre(2, 0, 1));
  const NumericTable encoded = encoder.encode(dataset.features, Rows{0, 4});
  EXPECT_THAT(encoded.columns, ElementsAre("size", "colour=Red", "colour=Green", "colour=Blue", "one"));
  EXPECT_THAT(encoded.row(0), ElementsAre(-2 / std::sqrt(2.0), 1, 0, 0, 0));
  EXPECT_THAT(encoded.row(1), ElementsAre(97 / std::sqrt(2.0), 1, 0, 0, 2)) << "a constant's scale is 1";
  TabularDataset other = dataset;
  for (std::size_t i = 12; i < 15; ++i) other.features.values[i] = 1;
  EXPECT_EQ(TableEncoder(other, range(0, 4), {}).describe(), encoder.describe());
}

TEST(TableEncoder, TheLayoutIsInTheOpen) {
  const TabularDataset dataset = sample();
  const TableEncoder encoder(dataset, range(0, 5), with(CategoryEncoding::kBinary));
  ASSERT_EQ(encoder.blocks().size(), 3u);
  EXPECT_EQ(encoder.width(), 4u);
  const ColumnBlock& colour = encoder.blocks()[1];
  EXPECT_TRUE(colour.categorical());
  EXPECT_EQ(colour.name, "colour");
  EXPECT_EQ(colour.first, 1u);
  EXPECT_EQ(colour.width, 2u);
  EXPECT_THAT(colour.words, ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(1, 0)));
  EXPECT_FALSE(encoder.blocks()[2].categorical());
  EXPECT_EQ(encoder.blocks()[2].first, 3u);
  EXPECT_EQ(encoder.describe()["blocks"][1]["codes"][2], Json({1.0, 0.0}));
  EXPECT_EQ(TableEncoder(dataset, range(0, 5), with(CategoryEncoding::kRandomBinary)).describe()["seed"], 11);
}

// Red and Green collide at width 2: the more frequent one in the training rows is decoded.
TEST(TableEncoder, OfCollidingCategoriesTheMostFrequentIsDecoded) {
  TabularDataset dataset = sample();
  const EncoderOptions options = with(CategoryEncoding::kHashing, 2, false);
  const auto decoded_red = [&](const Rows& rows) {
    const TableEncoder encoder(dataset, rows, options);
    EXPECT_EQ(encoder.blocks()[1].collisions(), 1u);
    std::vector<double> out(encoder.width());
    encoder.encode(std::vector<double>{1, 0, 7}, out);
    return encoder.decode(out)[1];
  };
  EXPECT_EQ(decoded_red({0, 1, 4}), 0);
  EXPECT_EQ(decoded_red({1, 2, 3}), 1);
}

/// Rows 0 to 3 have colours Red, Blue, Blue, Green: shares 1/4, 1/4, 1/2, and bits 00, 10, 10, 01.
TEST(TableEncoder, StandardisedCodesHaveTheMeanAndDeviationOfTheirPlaces) {
  const TabularDataset dataset = sample();
  EncoderOptions options;
  options.codes = CodeScaling::kStandard;
  const TableEncoder one_hot(dataset, range(0, 4), options);
  const double low = -0.25 / std::sqrt(0.1875), high = 0.75 / std::sqrt(0.1875);
  EXPECT_THAT(one_hot.encode(dataset.features, Rows{0}).values,
              Pointwise(DoubleNear(1e-15), {-2 / std::sqrt(2.0), high, low, -1.0, 0.0}));
  options.categories.encoding = CategoryEncoding::kBinary;
  const TableEncoder binary(dataset, range(0, 4), options);
  EXPECT_THAT(binary.encode(dataset.features, Rows{1}).values,
              Pointwise(DoubleNear(1e-15), {0.0, 1.0, low, 0.0}));
  EXPECT_EQ(binary.describe()["codes"], "standard");
  EXPECT_EQ(binary.describe()["blocks"][1]["shift"], Json({0.5, 0.25}));
}

// A place no training row uses is divided by 1; the nearest word is sought among the unscaled codes.
TEST(TableEncoder, StandardisedCodesAreDecodedUnscaled) {
  const TabularDataset dataset = sample();
  EncoderOptions options;
  options.codes = CodeScaling::kStandard;
  const TableEncoder encoder(dataset, Rows{0, 1, 2}, options);
  EXPECT_EQ(encoder.blocks()[1].places[1].shift, 0);
  EXPECT_EQ(encoder.blocks()[1].places[1].scale, 1);
  const ColumnScale red = encoder.blocks()[1].places[0], blue = encoder.blocks()[1].places[2];
  const std::vector<double> guess{0, red.scaled(0.4), 0.45, blue.scaled(0.15), 0};
  EXPECT_EQ(encoder.decode(guess)[1], 1);
}

TEST(TableEncoder, ANoisyGuessIsDecodedToTheNearestRow) {
  const TabularDataset dataset = sample();
  const TableEncoder encoder(dataset, range(0, 4), {});
  EXPECT_THAT(encoder.decode(std::vector<double>{0.1, 0.4, 0.1, 0.45, 0.2}), ElementsAre(3, 2, 7));
}

TEST(TableEncoder, RefusesWhatIsNoRow) {
  const TabularDataset dataset = sample();
  const TableEncoder encoder(dataset, range(0, 5), {});
  std::vector<double> out(5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(encoder.encode(std::vector<double>{1, 0}, out), Error);
  EXPECT_THAT(
      [&] {
        encoder.encode(std::vector<double>{1, 3, 7}, out);
      },
      ThrowsMessage<Error>(HasSubstr("column \"colour\": 3 is no category, allowed: 0 to 2")));
  EXPECT_THROW(encoder.encode(std::vector<double>{1, 0.5, 7}, out), Error);
  EXPECT_THROW(encoder.encode(std::vector<double>{1, nan, 7}, out), Error);
  EXPECT_THROW(encoder.encode(std::vector<double>{nan, 0, 7}, out), Error);
  EXPECT_THROW(encoder.decode(std::vector<double>{0, nan, 0, 0, 0}), Error);
  EXPECT_THROW(encoder.decode(std::vector<double>{0, 0}), Error);
  EXPECT_THROW(TableEncoder(dataset, Rows{}, {}), Error);
}

/// The published training part, or three rows of every four.
Rows training_rows(const TabularDataset& dataset) {
  if (dataset.test_begins) return range(0, *dataset.test_begins);
  Rows rows;
  for (std::size_t i = 0; i < dataset.features.row_count; ++i) {
    if (i % 4 != 3) rows.push_back(i);
  }
  return rows;
}

/// Every row of the table, in the training part or not, comes back from its encoding.
void expect_inverse(const TabularDataset& dataset, const EncoderOptions& options) {
  const TableEncoder encoder(dataset, training_rows(dataset), options);
  std::vector<std::size_t> exact;  // columns whose categories can all be told apart
  for (std::size_t column = 0; column < encoder.blocks().size(); ++column) {
    if (encoder.blocks()[column].collisions() == 0) exact.push_back(column);
  }
  std::vector<double> numbers(encoder.width());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < dataset.features.row_count; ++i) {
    const auto row = dataset.features.row(i);
    encoder.encode(row, numbers);
    const std::vector<double> back = encoder.decode(numbers);
    for (const std::size_t column : exact) wrong += back[column] == row[column] ? 0U : 1U;
  }
  EXPECT_EQ(wrong, 0u) << dataset.name << " " << to_string(options.categories.encoding);
}

TEST(TableEncoder, EveryRealRowComesBackUnderEveryEncoding) {
  for (const char* name : {"adult", "german_credit", "lawschool", "lawschool_lsac", "insurance"}) {
    const auto loader = std::ranges::find(tabular_loaders(), name, &TabularLoader::name);
    EARSHOT_NEEDS_DATASET(loader->dataset);
    const TabularDataset dataset = loader->load(data_directory());
    for (const auto encoding :
         {CategoryEncoding::kOneHot, CategoryEncoding::kBinary, CategoryEncoding::kRandomBinary})
      expect_inverse(dataset, with(encoding));
    expect_inverse(dataset, with(CategoryEncoding::kHashing, 64));
    for (const auto encoding : {CategoryEncoding::kOneHot, CategoryEncoding::kBinary,
                                CategoryEncoding::kRandomBinary, CategoryEncoding::kHashing}) {
      EncoderOptions standard = with(encoding, 0);
      standard.codes = CodeScaling::kStandard;
      expect_inverse(dataset, standard);
    }
    EncoderOptions min_max = with(CategoryEncoding::kBinary);
    min_max.numbers = NumberScaling::kMinMax;
    expect_inverse(dataset, min_max);
  }
}

// d = 105 for Adult under one-hot and 56 + 7 for German credit, as the papers that use them count.
TEST(TableEncoder, WidthsOfKnownTables) {
  EARSHOT_NEEDS_DATASET("adult");
  EARSHOT_NEEDS_DATASET("german-credit");
  const TabularDataset adult = load_tabular("adult", data_directory());
  const Rows rows = range(0, *adult.test_begins);
  EXPECT_EQ(TableEncoder(adult, rows, {}).width(), 105u);
  EXPECT_EQ(TableEncoder(adult, rows, with(CategoryEncoding::kBinary)).width(),
            6u + 3 + 4 + 3 + 4 + 3 + 3 + 1 + 6);
  const TabularDataset german = load_tabular("german_credit", data_directory());
  EXPECT_EQ(TableEncoder(german, range(0, 1000), {}).width(), 63u);
}

// The mean of an encoded training column is 0, its deviation 1, or 0 if no training row differs.
/// Of Adult's hashed codes, each taken for its most frequent category, and for one of those that share it at
/// random: what somebody who knows every code, and nothing else of a row, gets right. The expectation is
/// counted from the code words, without the encoder's way back.
TEST(TableEncoder, HashedCodesOfAdultTellLessToWhoDoesNotKnowThePublicRows) {
  EARSHOT_NEEDS_DATASET("adult");
  const TabularDataset adult = load_tabular("adult", data_directory());
  const Rows known = range(0, *adult.test_begins), unknown = range(*adult.test_begins, adult.target.size());
  const TableEncoder encoder(adult, known, with(CategoryEncoding::kHashing, 0, false));
  double decoded = 0, at_random = 0;
  std::vector<double> code(encoder.width());
  for (const std::size_t i : unknown) {
    const auto row = adult.features.row(i);
    encoder.encode(row, code);
    const std::vector<double> back = encoder.decode(code);
    for (std::size_t column = 0; column < row.size(); ++column) {
      const auto& words = encoder.blocks()[column].words;
      decoded += back[column] == row[column] ? 1 : 0;
      at_random += words.empty()
                       ? 1
                       : 1.0 / static_cast<double>(std::count(words.begin(), words.end(),
                                                              words[static_cast<std::size_t>(row[column])]));
    }
  }
  const auto cells = static_cast<double>(unknown.size() * adult.features.columns.size());
  EXPECT_NEAR(decoded / cells, 0.854, 5e-4);
  EXPECT_NEAR(at_random / cells, 0.647, 5e-4);
}

TEST(TableEncoder, TrainingColumnsAreStandardised) {
  EARSHOT_NEEDS_DATASET("adult");
  const TabularDataset adult = load_tabular("adult", data_directory());
  const Rows rows = range(0, *adult.test_begins);
  for (const CategoryEncoding encoding : {CategoryEncoding::kOneHot, CategoryEncoding::kRandomBinary}) {
    EncoderOptions options = with(encoding);
    options.codes = CodeScaling::kStandard;
    const NumericTable encoded = TableEncoder(adult, rows, options).encode(adult.features, rows);
    for (std::size_t column = 0; column < encoded.columns.size(); ++column) {
      long double sum = 0;
      long double squares = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const long double value = encoded.row(i)[column];
        sum += value;
        squares += value * value;
      }
      EXPECT_NEAR(static_cast<double>(sum / rows.size()), 0, 1e-12) << encoded.columns[column];
      EXPECT_NEAR(static_cast<double>(squares / rows.size()), squares > 0 ? 1 : 0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace earshot
