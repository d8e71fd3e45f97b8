#include "earshot/collect/records.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Rows to [0, 1]; a row that never varies becomes 0.
void scale_rows(MatrixXd& values, const Eigen::VectorXd& low, const Eigen::VectorXd& high) {
  for (Index i = 0; i < values.rows(); ++i) {
    const double width = high[i] - low[i];
    values.row(i) = (values.row(i).array() - low[i]) / (width > 0 ? width : 1);
  }
}

void scale(MatrixXd& values, Scaling scaling) {
  if (scaling == Scaling::kWholeTable) {
    scale_rows(values, Eigen::VectorXd::Constant(values.rows(), values.minCoeff()),
               Eigen::VectorXd::Constant(values.rows(), values.maxCoeff()));
  } else {
    scale_rows(values, values.rowwise().minCoeff(), values.rowwise().maxCoeff());
  }
}

MatrixXd make_targets(const TabularDataset& dataset, const MatrixXd& inputs) {
  if (dataset.target.empty()) return inputs;
  const auto count = static_cast<Index>(dataset.target.size());
  if (dataset.classes.empty()) {
    MatrixXd values = Eigen::Map<const Eigen::RowVectorXd>(dataset.target.data(), count);
    scale(values, Scaling::kEachColumn);
    return values;
  }
  MatrixXd one_hot = MatrixXd::Zero(static_cast<Index>(dataset.classes.size()), count);
  for (Index i = 0; i < count; ++i)
    one_hot(static_cast<Index>(dataset.target[static_cast<std::size_t>(i)]), i) = 1;
  return one_hot;
}

}  // namespace

CollectionData prepare(const TabularDataset& dataset, Scaling scaling, double share) {
  const auto rows = static_cast<Index>(dataset.features.row_count);
  const auto columns = static_cast<Index>(dataset.features.columns.size());
  const auto kept = static_cast<Index>(std::floor(share * static_cast<double>(rows)));
  if (kept < 2 || kept >= rows)
    fail(Fault::kConfig, "the training share must leave at least two records to train on and one to release");
  MatrixXd inputs = Eigen::Map<const MatrixXd>(dataset.features.values.data(), columns, rows);
  scale(inputs, scaling);
  const MatrixXd targets = make_targets(dataset, inputs);
  CollectionData out;
  out.train = {inputs.leftCols(kept), targets.leftCols(kept)};
  out.test = {inputs.rightCols(rows - kept), targets.rightCols(rows - kept)};
  out.loss = dataset.classes.empty() ? Loss::kMeanSquared : Loss::kCrossEntropy;
  out.attributes = dataset.features.columns;
  return out;
}

MatrixXd hours_task(std::size_t first, std::size_t last, double emphasis) {
  constexpr std::size_t kHours = 24;
  if (first < 1 || last > kHours || first > last)
    fail(Fault::kConfig, "the hours of a task go from 1 to 24, the first not after the last");
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(kHours);
  weights.segment(static_cast<Index>(first - 1), static_cast<Index>(last - first + 1)).setConstant(emphasis);
  return weights.asDiagonal();
}

}  // namespace earshot
