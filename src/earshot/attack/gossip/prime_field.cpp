#include "earshot/attack/gossip/prime_field.hpp"

#include <algorithm>

#include "earshot/core/error.hpp"

namespace earshot {

PrimeField::PrimeField(Residue prime) {
  if (prime >= (Residue{1} << 62) || !n_is_prime(prime)) fail(Fault::kInternal, "not a prime below 2^62");
  nmod_init(&modulus_, prime);
}

Residue PrimeField::from_rational(const Rational& value) const {
  const auto residue = [&](std::int64_t integer) {
    const Residue magnitude =
        integer < 0 ? Residue{0} - static_cast<Residue>(integer) : static_cast<Residue>(integer);
    const Residue reduced = magnitude % prime();
    return integer < 0 ? negate(reduced) : reduced;
  };
  const Residue denominator = residue(value.denominator);
  if (denominator == 0) fail(Fault::kNumeric, "a weight's denominator is a multiple of an audit prime");
  return multiply(residue(value.numerator), inverse(denominator));
}

void PrimeField::add_multiple(std::span<Residue> target, std::span<const Residue> source,
                              Residue factor) const {
  const Residue p = modulus_.n;
  const Residue precomputed = n_mulmod_precomp_shoup(factor, p);
  for (std::size_t i = 0; i < target.size(); ++i) {
    const Residue sum = target[i] + n_mulmod_shoup(factor, source[i], precomputed, p);
    target[i] = sum >= p ? sum - p : sum;
  }
}

Residue audit_prime(std::size_t index) {
  return n_nextprime((Residue{1} << 61) + (static_cast<Residue>(index) << 40), /*proved=*/1);
}

ModularGossipMatrix::ModularGossipMatrix(const GossipMatrix& matrix, const PrimeField& field)
    : field_(field), graph_(&matrix.graph()) {
  for (NodeId node = 0; node < matrix.node_count(); ++node) {
    Residue others = 0;
    for (const Rational& weight : matrix.edge_weights(node)) {
      weights_.push_back(field_.from_rational(weight));
      others = field_.add(others, weights_.back());
    }
    const auto& explicit_diagonal = matrix.exact_diagonal(node);
    diagonal_.push_back(explicit_diagonal ? field_.from_rational(*explicit_diagonal)
                                          : field_.add(1, field_.negate(others)));
  }
}

void ModularGossipMatrix::advance(std::span<const Residue> row, std::span<Residue> out) const {
  std::fill(out.begin(), out.end(), Residue{0});
  for (NodeId node = 0; node < row.size(); ++node) {
    if (row[node] == 0) continue;
    out[node] = field_.add(out[node], field_.multiply(row[node], diagonal_[node]));
    const auto neighbours = graph_->neighbours(node);
    const std::size_t first = graph_->first_slot(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      Residue& entry = out[neighbours[i]];
      entry = field_.add(entry, field_.multiply(row[node], weights_[first + i]));
    }
  }
}

}  // namespace earshot
