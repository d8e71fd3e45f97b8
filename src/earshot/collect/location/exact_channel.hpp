// A channel rounded to integers, so that what is sampled is exactly what was checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "earshot/collect/location/channel.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/mechanism/mechanism.hpp"

namespace earshot {

/// What the guarantee of a channel is measured in.
struct PlaceMetric {
  Distances between_truths;
  std::string unit;  // "cell", "metre": what distance 1 is
};

/// Every probability is a whole multiple of 2^-62. A report that can happen at all gets at least 2^-40 in
/// every row: adding the same to two probabilities brings them nearer, by more than rounding can part them,
/// so that the integers are no less private than the channel they are made from. The guarantee stated is
/// measured on the integers.
class ExactChannel : public CategoryMechanism {
 public:
  static constexpr int kTotalBits = 62;
  static constexpr int kFloorBits = 22;
  static constexpr std::size_t kMostOutputs = std::size_t{1} << 20;

  ExactChannel(const Channel& channel, PlaceMetric metric, std::string name);
  /// For a channel whose rows differ in what they can report: 0 stays 0, and the guarantee is
  /// (epsilon, delta)-geo-indistinguishability at this epsilon.
  ExactChannel(const Channel& channel, PlaceMetric metric, std::string name, double approximate_epsilon);

  std::string name() const override { return name_; }
  MechanismTerms terms() const override;
  ReleasePointer release() const override { return release_; }
  std::size_t inputs() const override { return channel_.inputs; }
  std::size_t outputs() const override { return channel_.outputs; }
  double probability(std::size_t output, std::size_t input) const override;
  Released<std::size_t> simulate(std::size_t input, Stream& stream) const override;
  Released<std::size_t> protect(std::size_t input, SecureRandom& random) const override;

  std::uint64_t weight(std::size_t input, std::size_t output) const;
  /// The integers as probabilities: what an estimator must undo.
  const Channel& channel() const { return channel_; }
  const PlaceMetric& metric() const { return metric_; }
  /// Epsilon per unit of distance, the error of computing it added.
  const PrivacyLevel& level() const { return level_; }
  /// Of approximate geo-indistinguishability, where that is the guarantee.
  const std::optional<ApproximateLevel>& approximate() const { return approximate_; }

 private:
  void round_rows(const Channel& channel, bool shared_support);
  void measure();

  PlaceMetric metric_;
  std::string name_;
  std::vector<std::uint64_t> cumulative_;  // by row: weights of the reports up to and including this one
  Channel channel_;
  PrivacyLevel level_;
  std::optional<ApproximateLevel> approximate_;
  ReleasePointer release_;
};

}  // namespace earshot
