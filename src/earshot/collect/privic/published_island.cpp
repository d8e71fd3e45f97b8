#include "earshot/collect/privic/published_island.hpp"

#include "earshot/collect/estimation/adversary.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kRows = 11;
constexpr std::size_t kColumns = 15;

/// Published with columns counted from the west; grids here count them from the east.
constexpr std::size_t cell(std::size_t row, std::size_t column_from_west) {
  return row * kColumns + (kColumns - 1 - column_from_west);
}

std::vector<MassAt> moved_mass(double removed, IslandMass mass) {
  if (mass == IslandMass::kAsWorded) return {{cell(6, 3), removed}};
  std::vector<MassAt> moved{{cell(6, 3), 0.01}, {cell(2, 3), 0.01}};
  for (std::size_t column = 6; column <= 10; ++column)
    moved.push_back({cell(1, column), (removed - 0.02) / 5});
  return moved;
}

}  // namespace

PublishedIsland published_island(std::span<const double> paris, IslandMass mass) {
  if (paris.size() != kRows * kColumns)
    fail(Fault::kConfig, "the published island lies in Paris; use its grid of 11 x 15 cells");
  PublishedIsland result{{}, cell(6, 3), cell(3, 7), {}};
  double removed = 0;
  for (std::size_t row = 4; row <= 8; ++row) {
    for (std::size_t column = 1; column <= 5; ++column) {
      result.zone.push_back(cell(row, column));
      removed += paris[cell(row, column)];
    }
  }
  result.prior = island_prior(paris, result.zone, moved_mass(removed, mass));
  return result;
}

}  // namespace earshot
