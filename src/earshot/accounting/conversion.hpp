// From Renyi to (epsilon, delta): what one divergence bound says about the other.
#pragma once

#include <span>

namespace earshot {

enum class RenyiConversion {
  kClassic,   // epsilon = R + ln(1/delta) / (a-1): Mironov 2017, Proposition 3
  kImproved,  // epsilon = R + ln((a-1)/a) - (ln delta + ln a) / (a-1): Canonne, Kamath & Steinke 2020, Prop.
              // 12
  kOptimal    // the exact answer for one order: Asoodeh, Liao, Calmon, Kosut & Sankar 2021, Theorem 3
};

/// Smallest epsilon (by the given formula) such that Renyi divergence `renyi` of order `order` > 1 implies
/// (epsilon, delta)-DP; never negative.
double epsilon_from_renyi(double order, double renyi, double delta, RenyiConversion conversion);

/// Logarithm of the smallest delta for that epsilon, by the improved formula (above 0: nothing is promised);
/// convex in the order when renyi is proportional to it.
double log_delta_from_renyi(double order, double renyi, double epsilon);

struct BestOrder {
  double epsilon;
  double order;
};
/// Over many orders. The optimal conversion is worked out only for the orders that can still win.
BestOrder best_epsilon(std::span<const double> orders, std::span<const double> renyi, double delta,
                       RenyiConversion conversion);

/// For a divergence of rho * a at every order a (zCDP): the improved conversion, minimised over all real a.
BestOrder concentrated_epsilon(double rho, double delta);

}  // namespace earshot
