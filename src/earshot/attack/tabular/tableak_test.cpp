#include "earshot/attack/tabular/tableak.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/test_victim.hpp"
#include "earshot/core/error.hpp"
#include "earshot/model/components.hpp"

namespace earshot {
namespace {

/// The places of the categories of records, numbers left out.
std::vector<double> categories_as_encoded(const TableEncoder& encoder, std::span<const double> cells) {
  const std::vector<double> records = to_records(encoder, cells);
  std::vector<double> out;
  for (std::size_t i = 0; i < records.size(); i += encoder.width()) {
    for (const ColumnBlock& block : encoder.blocks()) {
      const auto first = records.begin() + static_cast<std::ptrdiff_t>(i + block.first);
      if (block.categorical()) out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(block.width));
    }
  }
  return out;
}

TEST(TabLeak, FindsARowInEveryEncodingThatTellsCategoriesApart) {
  for (const CategoryEncoding encoding :
       {CategoryEncoding::kOneHot, CategoryEncoding::kBinary, CategoryEncoding::kRandomBinary}) {
    for (std::size_t row = 0; row < 4; ++row) {
      const Victim victim(encoding, row, 1);
      const TabLeak found = tableak(*victim.model, victim.encoder, victim.observation(), victim.options());
      EXPECT_EQ(victim.accuracy(found), 1) << to_string(encoding) << " row " << row;
    }
  }
}

/// Categories whose codes collide cannot be told apart, but the records are found: the guess is encoded like
/// the truth, and what tells its category apart is right.
TEST(TabLeak, FindsTheCodesOfHashedRows) {
  for (std::size_t row = 0; row < 4; ++row) {
    const Victim victim(CategoryEncoding::kHashing, row, 1);
    const TabLeak found = tableak(*victim.model, victim.encoder, victim.observation(), victim.options());
    EXPECT_EQ(categories_as_encoded(victim.encoder, found.pooled.cells),
              categories_as_encoded(victim.encoder, victim.truth))
        << row;
    EXPECT_GE(victim.accuracy(found), 0.5) << row;  // the numbers at least
  }
}

/// Shares that sum to 1 stay away from words with no 1 and with several: what an attack misses that takes
/// binary codes for one-hot ones, without any noise.
TEST(TabLeak, ASoftmaxOverBinaryCodesMissesCategories) {
  double places = 0, softmax = 0;
  for (std::size_t row = 0; row < 6; ++row) {
    const Victim victim(CategoryEncoding::kBinary, row, 1);
    TabLeakOptions options = victim.options();
    places += victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), options)) / 6;
    options.relaxation = CodeRelaxation::kSoftmax;
    softmax += victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), options)) / 6;
  }
  EXPECT_DOUBLE_EQ(places, 1);
  EXPECT_LE(softmax, 0.9);
}

TEST(TabLeak, FindsTwoRows) {
  double sum = 0;
  for (std::size_t first = 0; first < 10; first += 2) {
    const Victim victim(CategoryEncoding::kOneHot, first, 2);
    sum +=
        victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), victim.options())) / 5;
  }
  EXPECT_GE(sum, 0.97);
}

Architecture named(const std::string& name, const Json& given, std::size_t width) {
  for (const ModelComponent& one : model_components())
    if (one.schema.name == name)
      return one.make(valid_settings(one.schema, given, "model."), Shape{width}, 2);
  throw std::runtime_error("no model " + name);
}

/// The networks of Ski 2026, Figure 5.9, by name; batch statistics need two rows that differ.
TEST(TabLeak, AttacksEveryNamedNetwork) {
  struct Case {
    const char* name;
    Json settings;
    std::size_t rows;
    double least;  // of the cells, over two batches
  };
  const std::vector<Case> cases{{"softmax_regression", Json::object(), 1, 0.9},
                                {"mlp", {{"hidden", "100,100"}}, 2, 0.95},
                                {"mlp", {{"hidden", "400,400,400"}}, 1, 0.95},
                                {"tabular_cnn", Json::object(), 1, 0.95},
                                {"tabular_resnet", Json::object(), 4, 0.5}};
  for (const Case& one : cases) {
    double sum = 0;
    for (const std::size_t first : {3, 17}) {
      Victim victim(CategoryEncoding::kOneHot, first, one.rows);
      victim.use(named(one.name, one.settings, victim.encoder.width()), first);
      sum += victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), victim.options()));
    }
    EXPECT_GE(sum / 2, one.least) << one.name;
  }
}

TEST(TabLeak, SeesThroughALocalStep) {
  const Victim victim(CategoryEncoding::kOneHot, 20, 2);
  const LocalTraining training{2, 2, 0.05};
  auto end = victim.parameters;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto gradient = victim.gradient_at(end);
    for (std::size_t i = 0; i < end.size(); ++i) end[i] -= training.rate * gradient[i];
  }
  auto change = victim.parameters;
  for (std::size_t i = 0; i < end.size(); ++i) change[i] -= end[i];
  const Observation observation = observe_update(victim.parameters, change, 2, training);
  EXPECT_GE(victim.accuracy(tableak(*victim.model, victim.encoder, observation, victim.options())), 0.9);
}

/// Members are chosen by the gradient of their cells: computed here by the model alone.
TEST(TabLeak, TheBestMemberIsTheOneWhoseCellsExplainTheGradient) {
  const Victim victim(CategoryEncoding::kOneHot, 30, 3);
  TabLeakOptions options = victim.options();
  options.descent.iterations = 40;  // far from done, so that members differ
  const Observation observation = victim.observation();
  const TabLeak found = tableak(*victim.model, victim.encoder, observation, options);
  ASSERT_EQ(found.distances.size(), options.members);
  for (std::size_t k = 0; k < options.members; ++k) {
    Victim guess(CategoryEncoding::kOneHot, 30, 3);
    guess.truth = to_cells(victim.encoder, found.members[k]);
    const auto gradient = guess.gradient_at(victim.parameters);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      ab += gradient[i] * observation.values[i];
      aa += gradient[i] * gradient[i];
      bb += observation.values[i] * observation.values[i];
    }
    EXPECT_NEAR(found.distances[k], 1 - ab / std::sqrt(aa * bb), 1e-12);
    EXPECT_GE(found.distances[k], found.distances[found.best]);
  }
}

TEST(TabLeak, AModelOfAnotherWidthIsRefused) {
  const Victim victim(CategoryEncoding::kOneHot, 0, 1);
  const TableEncoder other = people_encoder(CategoryEncoding::kBinary);
  EXPECT_THROW(tableak(*victim.model, other, victim.observation(), victim.options()), Error);
  TabLeakOptions options = victim.options();
  options.members = 0;
  EXPECT_THROW(tableak(*victim.model, victim.encoder, victim.observation(), options), Error);
}

}  // namespace
}  // namespace earshot
