// The isolated place in Paris on which Blahut-Arimoto and Laplace were compared (Biswas 2024, section 3.4.1,
// Figures 3.1, 3.2, 3.11).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot {

enum class IslandMass {
  kPublished,  // 0.01 of all on the island and the rest moved to six crowded cells, as the published scripts
               // do
  kAsWorded,   // all that the emptied zone held, as the text says
};

struct PublishedIsland {
  std::vector<double> prior{};
  std::size_t island = 0;           // A: in the middle of the emptied zone
  std::size_t crowd = 0;            // B: the most crowded cell
  std::vector<std::size_t> zone{};  // five by five cells around A
};

/// `paris` is the prior on the published grid of 11 x 15 cells.
PublishedIsland published_island(std::span<const double> paris, IslandMass mass);

}  // namespace earshot
