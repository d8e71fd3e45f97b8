#include "earshot/core/gamma.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {

double gamma_variable(double shape, Stream& stream) {
  if (!(shape >= 1) || !std::isfinite(shape))
    fail(Fault::kConfig, "a gamma number is drawn for finite shapes of at least 1");
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log1p(-stream.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

double log_gamma_variable(double shape, Stream& stream) {
  if (shape >= 1) return std::log(gamma_variable(shape, stream));
  // Gamma(shape) = Gamma(shape + 1) U^(1 / shape), and -log U is exponential.
  return std::log(gamma_variable(shape + 1, stream)) - stream.exponential() / shape;
}

}  // namespace earshot
