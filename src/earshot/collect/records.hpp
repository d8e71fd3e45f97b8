// Records to collect: a table scaled to [0, 1], split in time order into what is trained on and what is
// released.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "earshot/collect/network.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"

namespace earshot {

/// Columns are records. `targets` is what the task should answer: a number, or one row per class with a 1.
struct Records {
  Eigen::MatrixXd inputs;
  Eigen::MatrixXd targets;
};

struct CollectionData {
  Records train;
  Records test;
  Loss loss = Loss::kMeanSquared;
  std::vector<std::string> attributes;
};

/// Scaling to [0, 1]: over the whole table when all columns share a unit, else column by column.
enum class Scaling { kWholeTable, kEachColumn };

/// The first `share` of the rows train, the others are released. The ranges are taken from all rows: they
/// stand for bounds known beforehand. A data set without target has its scaled records as targets.
CollectionData prepare(const TabularDataset& dataset, Scaling scaling, double share);

/// Diagonal task on days of 24 hours: `emphasis` for the hours first..last (counted from 1), 1 for the
/// others.
Eigen::MatrixXd hours_task(std::size_t first, std::size_t last, double emphasis);

}  // namespace earshot
