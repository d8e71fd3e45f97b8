// TabLeak on rows of Adult, in reduced form: fewer members and iterations than the authors', few batches.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/baseline.hpp"
#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/attack/tabular/tableak.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

/// An untrained network 105-100-100-2 that reads standardised codes.
struct Adult {
  TabularDataset table = load_tabular("adult", data_directory());
  std::vector<std::size_t> rows;
  TableEncoder encoder;
  std::unique_ptr<Model> model;

  Adult()
      : rows(training_rows()), encoder(table, rows, {NumberScaling::kStandard, {}, CodeScaling::kStandard}) {
    Architecture net;
    net.input = Shape{encoder.width()};
    const Activate relu{ActivationKind::kRelu};
    net.layers = {Dense{100}, relu, Dense{100}, relu, Dense{2}};
    model = make_native_model(net);
  }
  std::vector<std::size_t> training_rows() const {
    std::vector<std::size_t> all(*table.test_begins);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
};

struct Outcome {
  TabLeak found;
  CellAccuracy score;
  double random = 0;
};

/// One batch, with noise whose length is `noise` times that of the gradient.
Outcome attack(const Adult& adult, std::uint64_t trial, std::size_t batch, double noise) {
  Stream stream({5, Purpose::kTest, trial});
  std::vector<double> parameters(adult.model->parameter_count()), gradient(parameters.size()), cells;
  adult.model->initialise(stream, parameters);
  TabLeakOptions options;
  options.members = 10;
  options.descent.iterations = 400;
  options.trial = trial;
  for (const std::size_t row : stream.sample_without_replacement(batch, adult.rows.size())) {
    const auto values = adult.table.features.row(row);
    cells.insert(cells.end(), values.begin(), values.end());
    for (const double label : {0, 1}) options.targets.push_back(adult.table.target[row] == label ? 1 : 0);
  }
  adult.model->gradient(parameters, {batch, to_records(adult.encoder, cells), options.targets}, gradient);
  const double length =
      std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  std::vector<double> added(gradient.size());
  stream.fill_normal(added, noise * length / std::sqrt(static_cast<double>(gradient.size())));
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += added[i];
  Outcome out;
  out.found = tableak(*adult.model, adult.encoder, observe_gradient(parameters, gradient, batch), options);
  out.score = cell_accuracy(adult.encoder, cells, out.found.pooled.cells);
  out.random = random_baseline(adult.encoder, adult.table.features, adult.rows, cells, 20, stream).mean;
  return out;
}

TEST(AdultLeak, ACleanGradientGivesRowsAway) {
  EARSHOT_NEEDS_DATASET("adult");
  const Adult adult;
  for (const std::size_t batch : {1, 2, 4}) {
    double right = 0, random = 0;
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
      const Outcome one = attack(adult, trial, batch, 0);
      right += one.score.accuracy / 4;
      random += one.random / 4;
    }
    EXPECT_GE(right, batch < 4 ? 0.99 : 0.95) << batch;
    EXPECT_LE(random, 0.65) << batch;
  }
}

/// Under noise four times as long as the gradient. Of the categories, the tenth with the least entropy must
/// be right more often than the tenth with the most by 3.1 deviations of the difference: if confidence said
/// nothing, one seed in 1,000 would show that.
TEST(AdultLeak, ConfidentCellsAreRightMoreOften) {
  EARSHOT_NEEDS_DATASET("adult");
  const Adult adult;
  const std::size_t columns = adult.encoder.blocks().size();
  std::vector<std::pair<double, bool>> cells;  // entropy, and whether right
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    const Outcome one = attack(adult, trial, 4, 4);
    for (std::size_t i = 0; i < one.score.right.size(); ++i) {
      const std::size_t column = i % columns;
      if (!adult.encoder.blocks()[column].categorical()) continue;
      const std::size_t guess = one.score.row_of[i / columns] * columns + column;
      cells.emplace_back(one.found.pooled.entropy[guess], one.score.right[i]);
    }
  }
  std::ranges::stable_sort(cells, {}, &std::pair<double, bool>::first);
  const auto tenth = static_cast<std::ptrdiff_t>(cells.size() / 10);
  const auto share = [&](auto first) {
    const auto right = std::count_if(first, first + tenth, [](const auto& cell) { return cell.second; });
    return static_cast<double>(right) / static_cast<double>(tenth);
  };
  const double confident = share(cells.begin()), unsure = share(cells.end() - tenth);
  const double pooled = (confident + unsure) / 2;
  const double deviation = std::sqrt(pooled * (1 - pooled) * 2 / static_cast<double>(tenth));
  EXPECT_GT(confident - unsure, 3.1 * deviation) << confident << " and " << unsure;
}

}  // namespace
}  // namespace earshot
