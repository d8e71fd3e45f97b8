#include "earshot/collect/estimation/mle_uniqueness.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace earshot {
namespace {

using Eigen::Index;

/// One row per report that was seen, and one of ones; only these columns of places.
Eigen::MatrixXd seen_rows(const ReportLikelihood& likelihood, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < likelihood.weights().size(); ++i) {
    if (likelihood.weights()[i] > 0) seen.push_back(i);
  }
  Eigen::MatrixXd rows(static_cast<Index>(seen.size() + 1), static_cast<Index>(places.size()));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t k = 0; k < places.size(); ++k)
      rows(static_cast<Index>(i), static_cast<Index>(k)) = likelihood.kernel().row(seen[i])[places[k]];
  }
  rows.bottomRows(1).setOnes();
  return rows;
}

MleUniqueness uniqueness_of(const ReportLikelihood& likelihood, const std::vector<std::size_t>& places) {
  if (places.empty()) return {};
  const Eigen::MatrixXd rows = seen_rows(likelihood, places);
  const Eigen::VectorXd values = Eigen::BDCSVD<Eigen::MatrixXd>(rows).singularValues();
  const double negligible = values[0] * std::numeric_limits<double>::epsilon() *
                            static_cast<double>(std::max(rows.rows(), rows.cols()));
  MleUniqueness result{places.size(), 0, rows.rows() < rows.cols() ? 0 : values[values.size() - 1],
                       values[0]};
  result.rank =
      static_cast<std::size_t>(std::ranges::count_if(values, [&](double v) { return v > negligible; }));
  return result;
}

}  // namespace

MleUniqueness mle_uniqueness(const ReportLikelihood& likelihood) {
  std::vector<std::size_t> all(likelihood.kernel().columns());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return uniqueness_of(likelihood, all);
}

MleUniqueness mle_uniqueness_at(const ReportLikelihood& likelihood, const PlaceEstimate& maximum,
                                double slack) {
  std::vector<double> gain(likelihood.kernel().columns());
  PassScratch scratch = likelihood.kernel().scratch();
  likelihood.kernel().pass(likelihood.weights(), maximum.distribution, gain, scratch);
  std::vector<std::size_t> tied;
  for (std::size_t x = 0; x < gain.size(); ++x) {
    if (gain[x] >= 1 - slack) tied.push_back(x);
  }
  return uniqueness_of(likelihood, tied);
}

}  // namespace earshot
