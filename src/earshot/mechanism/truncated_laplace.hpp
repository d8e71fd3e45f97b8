// Truncated Laplace noise over a finite set of places with any distance: approximate
// geo-indistinguishability.
#pragma once

#include <vector>

#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// From place x the place y is reported with probability proportional to exp(-epsilon d(x, y)) if d(x, y) <=
/// radius, and never otherwise (Biswas 2024, Definition 4.3.2). The distance need not be symmetric and may be
/// infinite, as by road. For all places x, x' and all sets S of reports
///   P[S | x] <= e^(epsilon d(x, x')) (P[S | x'] + delta).
/// Exponents are rounded to multiples of 2^-32; the channel, delta and both samplers are of the rounded ones.
class TruncatedLaplace : public CategoryMechanism {
 public:
  /// `distances`: row x holds d(x, y) for every y; d(x, x) = 0. `what` names the unit of distance.
  TruncatedLaplace(std::vector<double> distances, double epsilon, double radius, std::string what);

  std::string name() const override { return "truncated_laplace"; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  std::size_t inputs() const override { return rows_.size(); }
  std::size_t outputs() const override { return rows_.size(); }
  double probability(std::size_t output, std::size_t input) const override;
  Released<std::size_t> simulate(std::size_t input, Stream& stream) const override;
  Released<std::size_t> protect(std::size_t input, SecureRandom& random) const override;

  /// max over x, x' of sum_y max(0, e^(-epsilon d(x, x')) P[y | x] - P[y | x']): the least delta for which
  /// the guarantee holds for all sets.
  double delta() const { return delta_; }
  /// The same with the largest term in place of the sum (Biswas 2024, Theorem 4.3): it certifies single
  /// reports only and is too small for sets of them.
  double delta_as_published() const { return pointwise_delta_; }

 private:
  struct Row {
    std::vector<std::size_t> reports;      // within the radius, ascending
    std::vector<std::uint64_t> exponents;  // epsilon d in multiples of 2^-32
    std::vector<double> probabilities;
  };
  Row make_row(std::size_t x, double radius) const;
  double distance(std::size_t x, std::size_t y) const { return distances_[x * size_ + y]; }
  void find_deltas();

  std::size_t size_;
  std::vector<double> distances_;
  double epsilon_;
  std::string what_;
  std::vector<Row> rows_;
  double delta_ = 0;
  double pointwise_delta_ = 0;
  ReleasePointer release_;
};

}  // namespace earshot
