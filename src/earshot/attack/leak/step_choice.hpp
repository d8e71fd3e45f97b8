// Which steps of a training are attacked: of how many victims, in which rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace earshot {

struct StepChoice {
  std::vector<std::uint64_t> rounds{};  // of training, from 1; empty: the first that shows something
  std::size_t victims = 0;              // so many at most, in their order; 0: all
};

/// "1, 50, last": ascending, each once. `last` is how many rounds the training has; refuses what lies beyond.
std::vector<std::uint64_t> parse_rounds(std::string_view text, std::uint64_t last);

}  // namespace earshot
