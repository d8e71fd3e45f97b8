// Where one dense layer lies inside a flat vector of parameters or in a gradient.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>

#include "earshot/model/architecture.hpp"

namespace earshot {

using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W[outputs][inputs] and b[outputs] of one dense layer; `bias` is empty when the layer has none, or when it
/// is not known.
struct DensePart {
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::span<const double> weights;
  std::span<const double> bias;

  Eigen::Map<const RowMatrixXd> matrix() const {
    return {weights.data(), static_cast<Eigen::Index>(outputs), static_cast<Eigen::Index>(inputs)};
  }
  Eigen::Map<const Eigen::VectorXd> bias_vector() const {
    return {bias.data(), static_cast<Eigen::Index>(bias.size())};
  }
};

/// `layer` must be dense; `flat` has the numbers of the whole network.
DensePart dense_part(const PlacedLayer& layer, std::span<const double> flat);

/// The first or the last layer of the network if it is dense. Refuses a vector that is not of the network's
/// size.
std::optional<DensePart> first_dense(const Architecture& architecture, std::span<const double> flat);
std::optional<DensePart> last_dense(const Architecture& architecture, std::span<const double> flat);

/// Refuses parts whose spans do not have the sizes they name.
void check(const DensePart& part);

/// Refuses a vector that is not of the network's size; `what` names it.
void check_size(const Architecture& architecture, std::span<const double> flat, const char* what);

}  // namespace earshot
