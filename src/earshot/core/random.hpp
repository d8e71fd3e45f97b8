// Addressed randomness: a stream is named, not consumed, so results do not depend on threads, ranks or
// resumption.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot {

/// What a stream is for. Values are part of the reproducibility contract: append, never renumber.
enum class Purpose : std::uint64_t {
  kTest = 0,
  kGraph = 1,
  kDataSelection = 2,
  kModelInit = 3,
  kPrivacyNoise = 4,
  kCoalition = 6,
  kWireNoise = 7,
  kTraining = 8,
  kAudit = 9,
  kPartition = 10,
  kDropout = 11,
  kEncoding = 12,
  kFault = 13,
  kLatency = 14,
  kParticipation = 15,
  kDual = 16,
  kAttack = 17,
};

/// The address of a stream. Equal addresses give equal numbers, different addresses independent ones.
struct StreamName {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::kTest;
  std::uint64_t trial = 0;
  std::uint64_t node = 0;
  std::uint64_t round = 0;
};

/// Simulation randomness: Philox4x64-10 (Salmon et al. 2011) keyed by (seed, purpose), counting (block,
/// round, node, trial). Replayable by design and therefore never fit to protect real people.
class Stream {
 public:
  explicit Stream(const StreamName& name);

  std::uint64_t bits();
  /// Uniform on [0, 1), 53 random bits.
  double uniform();
  /// Uniform on {0, ..., bound-1} without modulo bias (Lemire 2019); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller on 53-bit uniforms).
  double normal();
  /// The numbers normal() would give one after another, to the bit, several times as fast.
  void fill_normal(std::span<double> out, double standard_deviation);
  void add_normal(std::span<double> values, double standard_deviation);
  /// Exponential with mean 1.
  double exponential();
  /// Laplace with density exp(-|x| / scale) / (2 scale).
  double laplace(double scale);
  /// Uniform random permutation of {0, ..., count-1} (Fisher-Yates).
  std::vector<std::size_t> permutation(std::size_t count);
  /// `count` distinct members of {0, ..., population-1}, in random order.
  std::vector<std::size_t> sample_without_replacement(std::size_t count, std::size_t population);

 private:
  template <class Use>
  void each_normal(std::size_t count, Use&& use);

  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> block_{};
  unsigned used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace earshot
