// Blahut-Arimoto: the channel that reveals least about a place (mutual information) at the distortion that
// beta stands for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/estimation/mixture_kernel.hpp"
#include "earshot/collect/location/channel.hpp"

namespace earshot {

struct BlahutArimotoOptions {
  std::size_t iterations = 10;  // at most
  double precision = 0;         // stops once the Lagrangian is this close to its minimum, in nats; 0: never
  std::vector<double> start{};  // c_0, positive everywhere; empty: uniform
};

/// After t iterations: C^(t)_xy = c_(t-1)(y) exp(-beta d(x,y)) / sum_z c_(t-1)(z) exp(-beta d(x,z)) and
/// c_t(y) = sum_x prior(x) C^(t)_xy (Biswas 2024, eq. 3.2 and 3.3; Algorithm 2 there prints d(z,y) in the
/// denominator).
struct BlahutArimotoRun {
  std::vector<double> shape{};     // c_(t-1), which makes the channel
  std::vector<double> marginal{};  // c_t, the distribution of reports
  std::size_t iterations = 0;
  double objective =
      0;  // I(X;Y) + beta E[d] bounded from above, in nats: -sum_x prior(x) ln sum_y c_(t-1)(y) exp(-beta d)
  double gap = 0;  // how far the objective can be above the minimum
};

/// Iterates on the marginal only. `kernel` holds exp(-beta d), one row per truth, one column per report.
BlahutArimotoRun iterate_blahut_arimoto(const MixtureKernel& kernel, std::span<const double> prior,
                                        const BlahutArimotoOptions& options);

/// Distances and beta, kept as exp(-beta d) for any number of priors.
class BlahutArimoto {
 public:
  /// beta >= 0, distances finite and at least 0, beta times the largest of them at most kLargestExponent.
  BlahutArimoto(const Distances& distances, double beta);

  BlahutArimotoRun run(std::span<const double> prior, const BlahutArimotoOptions& options) const;
  /// The channel made by `shape`. If d obeys the triangle inequality it is 2 beta-d-private whatever the
  /// shape (Oya et al. 2017). A report so rare that its probability would underflow for some truth is left
  /// out for all of them: a zero in a column that is not zero elsewhere would break that promise.
  Channel channel(std::span<const double> shape) const;
  const DenseKernel& kernel() const { return kernel_; }

  static constexpr double kLargestExponent = 600;

 private:
  DenseKernel kernel_;
  double smallest_;  // entry of the kernel
};

/// exp(-beta d) on a grid of rows x columns cells (row-major, d Euclidean, one cell is 1 x 1), without the
/// entries below `tail`.
RunKernel truncated_exponential_kernel(std::size_t rows, std::size_t columns, double beta, double tail);

struct TruncatedChannel {
  RunKernel channel;     // one row per truth
  double missing_share;  // no row of the full channel of this shape differs by more, in total variation
};
/// The channel of a truncated kernel. For estimating on large domains: reports beyond the tail are
/// impossible, so it is private up to delta = missing_share only.
TruncatedChannel truncated_channel(const RunKernel& kernel, std::span<const double> shape, double tail);

}  // namespace earshot
