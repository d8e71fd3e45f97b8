// Arithmetic modulo a large prime: rational gossip weights become residues, and rank is decided without
// rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>

#include "earshot/graph/gossip_matrix.hpp"

namespace earshot {

using Residue = mp_limb_t;

/// The integers modulo a prime below 2^62 (so that three of them fit in a word before reduction).
class PrimeField {
 public:
  explicit PrimeField(Residue prime);
  Residue prime() const { return modulus_.n; }
  Residue add(Residue a, Residue b) const { return nmod_add(a, b, modulus_); }
  Residue negate(Residue a) const { return nmod_neg(a, modulus_); }
  Residue multiply(Residue a, Residue b) const { return nmod_mul(a, b, modulus_); }
  Residue inverse(Residue a) const { return n_invmod(a, modulus_.n); }
  /// Throws when the denominator is a multiple of the prime.
  Residue from_rational(const Rational& value) const;

  /// target += factor * source, element by element (Shoup's multiplication by a constant).
  void add_multiple(std::span<Residue> target, std::span<const Residue> source, Residue factor) const;

 private:
  nmod_t modulus_;
};

/// The i-th prime of a fixed sequence, all just above 2^61; distinct indices give distinct primes.
Residue audit_prime(std::size_t index);

/// W modulo a prime, row by row in the order of the graph's neighbours.
class ModularGossipMatrix {
 public:
  ModularGossipMatrix(const GossipMatrix& matrix, const PrimeField& field);
  const PrimeField& field() const { return field_; }
  const Graph& graph() const { return *graph_; }
  /// out = row * W.
  void advance(std::span<const Residue> row, std::span<Residue> out) const;

 private:
  PrimeField field_;
  const Graph* graph_;
  std::vector<Residue> weights_;
  std::vector<Residue> diagonal_;
};

}  // namespace earshot
