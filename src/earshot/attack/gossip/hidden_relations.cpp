#include <algorithm>
#include <optional>

#include <flint/fmpq.h>
#include <flint/fmpz.h>

#include "earshot/attack/gossip/exposure.hpp"
#include "earshot/attack/gossip/knowledge_span.hpp"

namespace earshot {
namespace {

using Rows = std::vector<std::vector<EchelonBasis::Entry>>;

/// Basis rows with at least two entries after the asked number of rounds, modulo the index-th audit prime.
Rows relation_rows(const GossipMatrix& matrix, const Adversary& adversary, RoundLimit limit,
                   std::size_t prime_index) {
  const ModularGossipMatrix modular(matrix, PrimeField(audit_prime(prime_index)));
  KnowledgeSpan span(modular, adversary);
  for (std::size_t round = 0; !span.saturated() && (limit.rounds == 0 || round < limit.rounds); ++round)
    span.add_round();
  Rows rows;
  for (std::size_t i = 0; i < span.basis().rank(); ++i) {
    auto entries = span.basis().row(i);
    if (entries.size() > 1) rows.push_back(std::move(entries));
  }
  return rows;
}

bool same_support(const Rows& a, const Rows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& p, const auto& q) { return p.column == q.column; });
  });
}

class BigInteger {
 public:
  BigInteger() { fmpz_init(value_); }
  ~BigInteger() { fmpz_clear(value_); }
  BigInteger(const BigInteger& other) { fmpz_init_set(value_, other.value_); }
  BigInteger& operator=(const BigInteger&) = delete;
  fmpz* get() { return value_; }
  const fmpz* get() const { return value_; }

 private:
  fmpz_t value_;
};

class BigRational {
 public:
  BigRational() { fmpq_init(value_); }
  ~BigRational() { fmpq_clear(value_); }
  BigRational(const BigRational&) = delete;
  BigRational& operator=(const BigRational&) = delete;
  fmpq* get() { return value_; }
  std::string text() const {
    char* raw = fmpq_get_str(nullptr, 10, value_);
    std::string out(raw);
    flint_free(raw);
    return out;
  }

 private:
  fmpq_t value_;
};

/// Chinese remainders of one coefficient over the primes seen so far, and their product.
struct Lift {
  std::vector<BigInteger> residues;  // flat over all relations
  BigInteger modulus;
};

void extend(Lift& lift, const Rows& rows, Residue prime) {
  std::size_t i = 0;
  for (const auto& row : rows) {
    for (const auto& entry : row) {
      fmpz* value = lift.residues[i++].get();
      fmpz_CRT_ui(value, value, lift.modulus.get(), entry.coefficient, prime, /*sign=*/0);
    }
  }
  fmpz_mul_ui(lift.modulus.get(), lift.modulus.get(), prime);
}

/// All coefficients as rationals, if each has numerator and denominator below sqrt(modulus / 2).
std::optional<std::vector<std::string>> reconstruct(const Lift& lift) {
  std::vector<std::string> texts;
  for (const BigInteger& residue : lift.residues) {
    BigRational value;
    if (fmpq_reconstruct_fmpz(value.get(), residue.get(), lift.modulus.get()) == 0) return std::nullopt;
    texts.push_back(value.text());
  }
  return texts;
}

std::vector<std::string> rational_coefficients(const GossipMatrix& matrix, const Adversary& adversary,
                                               RoundLimit limit, const Rows& first,
                                               std::size_t largest_prime_count) {
  Lift lift;
  fmpz_one(lift.modulus.get());
  for (const auto& row : first) lift.residues.resize(lift.residues.size() + row.size());
  std::optional<std::vector<std::string>> previous;
  for (std::size_t i = 0; i < largest_prime_count + 1; ++i) {
    const Rows rows = i == 0 ? first : relation_rows(matrix, adversary, limit, i);
    if (!same_support(rows, first)) return {};
    extend(lift, rows, audit_prime(i));
    auto current = reconstruct(lift);
    if (current && current == previous) return *current;  // one prime more changed nothing
    previous = std::move(current);
  }
  return {};
}

}  // namespace

std::vector<Relation> hidden_relations(const GossipMatrix& matrix, const Adversary& adversary,
                                       RoundLimit limit, std::size_t largest_prime_count) {
  const Rows rows = relation_rows(matrix, adversary, limit, 0);
  std::vector<std::string> coefficients;
  if (largest_prime_count > 0) {
    coefficients = rational_coefficients(matrix, adversary, limit, rows, largest_prime_count);
  }
  std::vector<Relation> relations;
  std::size_t next = 0;
  for (const auto& row : rows) {
    Relation& relation = relations.emplace_back();
    for (const auto& entry : row) {
      relation.nodes.push_back(static_cast<NodeId>(entry.column));
      if (!coefficients.empty()) relation.coefficients.push_back(coefficients[next++]);
    }
  }
  return relations;
}

}  // namespace earshot
