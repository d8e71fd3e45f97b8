// What anybody may know of records of this kind: those held out, which no node trains on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "earshot/attack/inversion/reconstruction.hpp"
#include "earshot/core/random.hpp"
#include "earshot/training/training_data.hpp"

namespace earshot {

class PublicRecords {
 public:
  /// Looks at kMostPublic records of the test part at most. `data` must outlive it.
  PublicRecords(const TrainingData& data, std::size_t outputs);

  bool empty() const { return targets_.empty(); }
  /// Of pixels what bytes can be, of other numbers what the records have.
  std::optional<Box> range() const { return range_; }
  /// Mean over the records of their means and deviations.
  std::optional<KnownMoments> moments() const { return moments_; }
  /// The mean record; zeros when there are none.
  std::span<const double> mean() const { return mean_; }
  /// `count` records of the classes of the target rows, drawn at random; of any class where the rows are
  /// empty or nobody has it.
  std::vector<double> similar(std::span<const double> targets, std::size_t count, Stream& stream) const;

  static constexpr std::size_t kMostPublic = 1000;

 private:
  void measure();
  std::size_t draw(std::optional<std::size_t> label, Stream& stream) const;

  std::size_t width_;
  std::size_t outputs_;
  std::vector<double> inputs_;
  std::vector<double> targets_;
  std::vector<std::size_t> labels_;
  std::vector<double> mean_;
  std::optional<Box> range_;
  std::optional<KnownMoments> moments_;
};

/// The class a target row means: the largest entry, or the nearer of 0 and 1 for one output.
std::size_t class_of(std::span<const double> row);

}  // namespace earshot
