// A uniform quantiser whose cells may shrink from round to round.
#pragma once

#include <cstdint>
#include <span>

namespace earshot {

/// The middle of the cell of this width that `value` lies in; 0 is a middle (mid-tread). A width that is 0,
/// or lost in the rounding of `value`, changes nothing.
double quantised(double value, double cell_width);

/// Cells of width `first` * `shrink`^t in round t. With `shrink` below 1 the errors of all rounds have a
/// finite sum, which keeps the limit of the iteration that is quantised (Jonkman, Sherson & Heusdens 2018).
class Quantiser {
 public:
  /// `first` >= 0, where 0 is no quantisation; 0 < `shrink` <= 1.
  Quantiser(double first, double shrink);

  bool active() const { return first_ > 0; }
  bool shrinks() const { return shrink_ < 1; }
  double cell_width(std::uint64_t round) const;
  /// Changes no value by more than half a cell.
  void quantise(std::uint64_t round, std::span<double> values) const;

 private:
  double first_;
  double shrink_;
};

}  // namespace earshot
