// The exact privacy curve of the Gaussian mechanism and its composition.
#pragma once

#include <cstddef>

namespace earshot {

/// log of the standard normal distribution function, accurate far into the lower tail.
double log_normal_cdf(double x);

/// Smallest delta for which one Gaussian release with `sensitivity / sigma = mu` is (epsilon, delta)-DP:
/// Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)  (Balle & Wang 2018, Theorem 8).
double gaussian_delta(double mu, double epsilon);

/// Smallest epsilon (rounded up) with gaussian_delta(mu, epsilon) <= delta; mu >= 0, 0 < delta < 1.
double gaussian_epsilon(double mu, double delta);

/// Largest mu (rounded down) whose release is (epsilon, delta)-DP.
double gaussian_mu(double epsilon, double delta);

/// T releases at mu each, even adaptively chosen, are exactly one release at mu * sqrt(T)
/// (Dong, Roth & Su 2022, Gaussian differential privacy, Corollary 3.3).
double compose_gaussian(double mu, std::size_t releases);

}  // namespace earshot
