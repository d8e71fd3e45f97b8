// What somebody would get right who saw no gradient, only public rows of the same kind.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/data/tables/table_encoder.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {

/// Rows whose every cell is drawn for itself from the values its column has in the public rows.
std::vector<double> draw_marginals(const NumericTable& features, std::span<const std::size_t> public_rows,
                                   std::size_t count, Stream& stream);

/// The accuracy of `draws` tables of such rows against the truth, rows paired as for an attack.
Summary random_baseline(const TableEncoder& encoder, const NumericTable& features,
                        std::span<const std::size_t> public_rows, std::span<const double> truth,
                        std::size_t draws, Stream& stream);

/// The one row that gets most cells of the public rows right: each column's most frequent category, or the
/// number that most of them are close enough to. Guessing it every time is the best constant guess.
std::vector<double> likeliest_row(const TableEncoder& encoder, const NumericTable& features,
                                  std::span<const std::size_t> public_rows);

/// The accuracy of guessing the likeliest row every time.
double prior_baseline(const TableEncoder& encoder, const NumericTable& features,
                      std::span<const std::size_t> public_rows, std::span<const double> truth);

}  // namespace earshot
