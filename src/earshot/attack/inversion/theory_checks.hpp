// What Biswas 2024, chapter 6, says about batches and deep networks, held against random instances.
#pragma once

#include <cstddef>

#include "earshot/core/random.hpp"
#include "earshot/model/model.hpp"

namespace earshot {

/// Right inverses of pi (batch_clones.hpp): `full_rank` by singular values; the theorem says exactly for k <
/// m, and the rows of k = m records sum to zero.
struct RankCheck {
  std::size_t instances = 0;
  std::size_t full_rank = 0;
  std::size_t dominant = 0;  // diagonal_dominance above zero
  std::size_t agreements = 0;
  double least_singular = 0;  // the smallest of all, as a share of the largest of its matrix
  double worst_error = 0;     // largest entry of pi right_inverse(pi) - I; 0 for k = m
};
/// Random softmax rows, from flat to sharp, for k <= m distinct labels (Lemma 6.10, Remark 6.4.7).
RankCheck check_right_inverses(std::size_t classes, std::size_t records, std::size_t instances,
                               Stream& stream);

/// Theorem 6.9: wrong classes share evenly what a true class leaves, all records alike, and a clone is fitted
/// like the batch. Then (X - X') pi = 0.
struct ArrangementCheck {
  std::size_t instances = 0;
  std::size_t unique = 0;            // only X' = X solves it
  std::size_t same_arrangement = 0;  // all solutions have x_s - x_t = x'_s - x'_t, as the thesis concludes
};
ArrangementCheck check_even_batches(std::size_t classes, std::size_t records, std::size_t instances,
                                    Stream& stream);

/// Lemma 6.8 and eq. (6.14) on a model that is one softmax layer: the mean weight gradient is X pi / k, and X
/// follows from it once pi is known. The largest relative errors.
struct BatchGradientCheck {
  std::size_t instances = 0;
  double gradient_error = 0;
  double record_error = 0;
};
BatchGradientCheck check_batch_gradients(const Architecture& layer, const Model& model, std::size_t records,
                                         std::size_t instances, Stream& stream);

/// How one record is read off the gradient of a chain of dense layers.
enum class RecordRoute {
  kFirstLayer,        // the ratio of weights and biases of the first layer (Lemma 6.1)
  kBiasAndPeeling,    // the same at the last layer, and peeling from there (Theorem 6.14)
  kWeightsAndPeeling  // weights of the last layer alone, and peeling; for networks without biases
};

/// `silent`: the first layer's gradient is zero, so nothing of the record is in it. The theorem says that all
/// others are recovered.
struct RecordCheck {
  std::size_t instances = 0;
  std::size_t recovered = 0;
  std::size_t silent = 0;
  double worst_error = 0;  // relative, of the recovered

  std::size_t failed() const { return instances - recovered - silent; }
};
/// Normal records of random classes at random parameters; a relative error below 1e-6 counts as recovered.
/// `model` computes `architecture`, a chain of dense layers that ends in softmax.
RecordCheck check_records(const Architecture& architecture, const Model& model, RecordRoute route,
                          std::size_t instances, Stream& stream);

}  // namespace earshot
