// The theorems on gradient clones against counts that know nothing of them: scans of the clone equation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "earshot/core/random.hpp"

namespace earshot {

/// One statement, held against a scan on many random inputs.
struct CloneCheck {
  std::string check;
  std::size_t instances = 0;
  std::size_t with_clones = 0;  // by the scan
  std::size_t predicted = 0;    // inputs of which the statement says that they have clones
  std::size_t most = 0;         // clones of one input, by the scan
  std::size_t agreements = 0;
  /// The largest relative error: of the gradient that predicted clones must reproduce, or of the input found.
  double worst_error = 0;

  std::size_t disagreements() const { return instances - agreements; }
};

/// Factors K > 0 of the clones K x of the same class, found on a geometric grid: sign changes of K p_B(K x) -
/// p_B(x), the root at K = 1 divided out (Biswas 2024, eq. 6.13; gamma and Delta as in weight_only.hpp). A
/// factor nearer to 1 than 1e-6 is x itself.
std::vector<double> scanned_clones(double gamma, double delta);
/// The same for K < 0, of the other class.
std::vector<double> scanned_opposite_clones(double gamma, double delta);

/// Theorem 6.6 as printed says that a clone exists iff (e^gamma + e^Delta) / e < gamma exp(gamma e^Delta /
/// (e^gamma + e^Delta)). K = 1 always solves (6.13), so the two sides never stand like this.
bool printed_clone_condition(double gamma, double delta);
/// Theorem 6.5 as printed says that no clone is longer than x if gamma = 1 + l + W_0(exp(Delta - (1 + l)
/// e^Delta)) for some l > 0.
bool printed_longest_condition(double gamma, double delta);

/// Inputs uniform in the unit cube, normal weights and biases, scaled so that gamma and Delta are of the
/// order of 2 in every dimension. Checks:
///   theorem_6_6, theorem_6_6_printed: when a clone of the same class exists, corrected and as printed;
///   threshold: gamma = tau drawn exactly, no clone;
///   theorem_6_4: no clone K x, K > 1, with gamma <= ln K / (K - 1); an instance is a clone with K > 1;
///   theorem_6_5: a longer clone exists iff 0 < gamma < tau; an instance is an input with gamma > 0;
///   theorem_6_5_printed: an instance is an input of which the printed condition denies longer clones;
///   either_class: clones of both classes, where inputs may be negative;
///   corollary_6_7: not more than two of them, as the thesis has it.
std::vector<CloneCheck> check_two_class_clones(std::size_t instances, std::size_t dimension, Stream& stream);

/// Remark 6.4.3: with three classes or more an input has no clone, and weight_only_inputs finds it alone.
CloneCheck check_several_class_clones(std::size_t instances, std::size_t dimension, std::size_t classes,
                                      Stream& stream);

}  // namespace earshot
