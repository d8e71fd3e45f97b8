#include "earshot/collect/estimation/matrix_inversion.hpp"

#include <Eigen/QR>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/core/error.hpp"

namespace earshot {

InversionEstimate invert_channel(const ReportBatch& batch, SimplexRule rule) {
  const ReportLikelihood checked(batch);
  const auto places = static_cast<Eigen::Index>(batch.channel.inputs);
  const auto reports = static_cast<Eigen::Index>(batch.channel.outputs);
  // Row-major rows of the channel are the columns of its transpose.
  const Eigen::Map<const Eigen::MatrixXd> transposed(batch.channel.probability.data(), reports, places);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(transposed);
  if (factors.rank() < places)
    fail(Fault::kNumeric,
         "the channel cannot be inverted, so its reports do not determine the places; use the Bayesian "
         "update or fewer iterations "
         "of Blahut-Arimoto");
  const Eigen::Map<const Eigen::VectorXd> shares(checked.weights().data(), reports);
  const Eigen::VectorXd raw = factors.solve(shares);
  InversionEstimate estimate{{raw.begin(), raw.end()}, {}};
  estimate.distribution = rule == SimplexRule::kNearestPoint ? project_to_simplex(estimate.raw)
                                                             : clip_and_normalise(estimate.raw);
  return estimate;
}

}  // namespace earshot
