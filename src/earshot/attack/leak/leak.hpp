// What a view shows of one participant's gradients.
#pragma once

#include <cstdint>
#include <string>

#include "earshot/attack/inversion/observation.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

/// Numbers that a victim's records went into, and how a guess of the records would have made them.
struct Leak {
  NodeId victim = 0;
  std::uint64_t round = 1;   // of training, from 1: whose records these are
  std::uint64_t rounds = 1;  // so many rounds of training from `round` on went into it
  Observation observation;
  std::string what;     // for people: "gradient sent to the server"
  double cell = 0;      // width of the quantiser the numbers went through; 0: none
  bool pruned = false;  // the sender left numbers out: where there is a 0, nothing is known
};

}  // namespace earshot
