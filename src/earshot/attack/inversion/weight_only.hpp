// The input of a softmax or sigmoid layer from its weight gradient alone, and the inputs that share one.
#pragma once

#include <cstddef>
#include <vector>

#include "earshot/attack/inversion/dense_inversion.hpp"

namespace earshot {

/// The positive solutions s of s = c (1 + exp(a s + b)), ascending. The right side is convex in s: at most
/// two for a > 0, exactly one for a <= 0. c > 0.
std::vector<double> scale_solutions(double c, double a, double b);

/// Two inputs of a two-class softmax layer are gradient clones when their weight gradients coincide; they are
/// then collinear (Biswas 2024, Lemma 6.2). For x of true class A put gamma = x . (w_A - w_B) and Delta = b_B
/// - b_A; K x is a clone of the same class iff exp(K gamma) - K exp(gamma) = (K - 1) exp(Delta), K != 1
/// (6.13). That function of K is convex and vanishes at 1, so with tau the solution of tau = 1 + exp(Delta -
/// tau):
///   gamma <= 0 or gamma = tau: none;  0 < gamma < tau: one, K > 1;  gamma > tau: one, 0 < K < 1.
/// (The thesis states the condition of its Theorem 6.6 with the inequality reversed, and up to two clones.)
std::vector<double> clone_factors(double gamma, double delta);

/// Clones K x of the *other* class, K < 0: none, one or two. They exist only where inputs may be negative.
std::vector<double> opposite_clone_factors(double gamma, double delta);

/// What the last layer may have seen, given its weight gradient for one record. dW = d a^T fixes the
/// direction of a; the length s follows from d = p(s) - q, where p is the prediction at s times the
/// direction:
///   softmax, three classes or more: for wrong classes i, j, log(s p_i) - log(s p_j) is linear in s, one
///   solution; two classes, and sigmoid outputs: scale_solutions, at most two for each sign.
/// Empty for squared error (any length fits some target), a zero gradient, or numbers that are not finite.
/// Every candidate has to be verified; several may give the very same gradient, and then they are clones.
std::vector<DenseInput> weight_only_inputs(const DensePart& parameters, const DensePart& gradient,
                                           LossKind loss);

}  // namespace earshot
