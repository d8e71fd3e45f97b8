#include "earshot/attack/tabular/tableak.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

/// A network of one hidden layer, fresh, and what it says of a batch.
struct Victim {
  TableEncoder encoder;
  std::unique_ptr<Model> model;
  std::vector<double> parameters, truth, targets;
  std::size_t rows;

  Victim(CategoryEncoding encoding, std::size_t first, std::size_t count)
      : encoder(people_encoder(encoding)), truth(people_cells(first, count)), rows(count) {
    Architecture net;
    net.input = Shape{encoder.width()};
    net.layers = {Dense{24}, Activate{ActivationKind::kRelu}, Dense{2}};
    model = make_native_model(net);
    parameters.resize(model->parameter_count());
    Stream stream({first, Purpose::kTest, 5});
    model->initialise(stream, parameters);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < 2; ++k) targets.push_back(r % 2 == k ? 1 : 0);
  }
  std::vector<double> gradient_at(std::span<const double> at) const {
    std::vector<double> gradient(parameters.size());
    model->gradient(at, {rows, to_records(encoder, truth), targets}, gradient);
    return gradient;
  }
  Observation observation() const { return observe_gradient(parameters, gradient_at(parameters), rows); }
  TabLeakOptions options() const {
    TabLeakOptions out;
    out.members = 5;
    out.descent.iterations = 300;
    out.targets = targets;
    return out;
  }
  double accuracy(const TabLeak& found) const {
    return cell_accuracy(encoder, truth, found.pooled.cells).accuracy;
  }
};

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

TEST(TabLeak, FindsTwoRows) {
  double sum = 0;
  for (std::size_t first = 0; first < 10; first += 2) {
    const Victim victim(CategoryEncoding::kOneHot, first, 2);
    sum +=
        victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), victim.options())) / 5;
  }
  EXPECT_GE(sum, 0.97);
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
