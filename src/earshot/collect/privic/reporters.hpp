// Simulated people who report where they are, honestly or not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/collect/location/channel.hpp"
#include "earshot/core/random.hpp"

namespace earshot {

/// Who reports in a cycle.
enum class Turnout {
  kEverybody,    // the whole population, again in every cycle
  kRandomShare,  // a share drawn anew in every cycle
  kFreshShare,   // a share that has not reported before
};

/// People who want the collector to believe that many are at one place.
struct FalseReporters {
  enum class Manner {
    kPretend,  // they obfuscate that place as if it were theirs
    kReport,   // they report it as it is
  };
  double share = 0;  // of all who report
  std::size_t place = 0;
  Manner manner = Manner::kPretend;
};

class Reporters {
 public:
  /// `people` counts them by place. Streams are those of `randomness`, one round per cycle.
  Reporters(std::span<const std::size_t> people, Turnout turnout, double share, const FalseReporters& liars,
            const StreamName& randomness);

  /// Fails unless there are people for that many cycles.
  void check_cycles(std::size_t cycles) const;
  /// How often every report is made in that cycle (0, 1, ...) through that channel.
  std::vector<double> reports(const Channel& channel, std::size_t cycle) const;

 private:
  std::vector<std::size_t> turnout(std::size_t cycle) const;

  std::vector<std::size_t> people_;    // by place
  std::vector<std::size_t> place_of_;  // by person; empty if everybody reports
  Turnout turnout_;
  std::size_t batch_ = 0;  // reporters of a cycle
  FalseReporters liars_;
  StreamName randomness_;
};

}  // namespace earshot
