#include "earshot/collect/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TabularDataset small_table() {
  TabularDataset dataset;
  dataset.features.columns = {"a", "b"};
  dataset.features.row_count = 4;
  dataset.features.values = {0, 10, 1, 20, 2, 20, 4, 40};
  return dataset;
}

TEST(Records, ScaleByColumnOrByTable) {
  const CollectionData by_column = prepare(small_table(), Scaling::kEachColumn, 0.5);
  EXPECT_EQ(by_column.train.inputs, (Eigen::MatrixXd{{0, 0.25}, {0, 1.0 / 3}}));
  EXPECT_EQ(by_column.test.inputs, (Eigen::MatrixXd{{0.5, 1}, {1.0 / 3, 1}}));
  EXPECT_EQ(by_column.test.targets, by_column.test.inputs);
  const CollectionData by_table = prepare(small_table(), Scaling::kWholeTable, 0.5);
  EXPECT_EQ(by_table.test.inputs, (Eigen::MatrixXd{{0.05, 0.1}, {0.5, 1}}));
}

TEST(Records, TargetsAreScaledNumbersOrClasses) {
  TabularDataset dataset = small_table();
  dataset.target = {1, 3, 2, 5};
  const CollectionData numbers = prepare(dataset, Scaling::kEachColumn, 0.75);
  EXPECT_EQ(numbers.train.targets, (Eigen::MatrixXd{{0, 0.5, 0.25}}));
  EXPECT_EQ(numbers.loss, Loss::kMeanSquared);
  dataset.target = {0, 1, 1, 0};
  dataset.classes = {"benign", "malignant"};
  const CollectionData classes = prepare(dataset, Scaling::kEachColumn, 0.75);
  EXPECT_EQ(classes.train.targets, (Eigen::MatrixXd{{1, 0, 0}, {0, 1, 1}}));
  EXPECT_EQ(classes.loss, Loss::kCrossEntropy);
  EXPECT_THROW(prepare(dataset, Scaling::kEachColumn, 0.1), Error);
  EXPECT_THROW(prepare(dataset, Scaling::kEachColumn, 1), Error);
}

TEST(Records, HoursTaskCountsHoursFromOne) {
  const Eigen::MatrixXd task = hours_task(9, 20, 2);
  EXPECT_EQ(task.diagonal().sum(), 12 + 2 * 12);
  EXPECT_EQ(task(7, 7), 1);
  EXPECT_EQ(task(8, 8), 2);
  EXPECT_EQ(task(19, 19), 2);
  EXPECT_EQ(task(20, 20), 1);
  EXPECT_THROW(hours_task(0, 20, 2), Error);
  EXPECT_THROW(hours_task(9, 25, 2), Error);
}

}  // namespace
}  // namespace earshot
