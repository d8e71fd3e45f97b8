// Matrices for the tests of this folder.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "earshot/core/random.hpp"

namespace earshot {

/// Independent standard normal entries.
inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  Eigen::MatrixXd out(rows, columns);
  for (double& x : out.reshaped()) x = stream.normal();
  return out;
}

}  // namespace earshot
