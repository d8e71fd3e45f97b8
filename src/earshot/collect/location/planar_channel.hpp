// Planar Laplace noise moved to the nearest cell of a grid, as the matrix of its exact probabilities.
#pragma once

#include <cstddef>

#include "earshot/collect/location/channel.hpp"
#include "earshot/collect/location/distances.hpp"

namespace earshot {

/// Noise of density (epsilon^2 / 2 pi) e^(-epsilon r) (Andres, Bordenabe, Chatzikokolakis & Palamidessi 2013)
/// is added to the centre of the true cell, and the cell nearest to where it falls is reported; border cells
/// own what lies beyond them. Moving a report costs no privacy, so the channel is
/// epsilon-geo-indistinguishable for the distance between centres, border or not. By rule every cell is
/// equally likely at epsilon = 0, and the truth is certain at infinity.
Channel planar_laplace_channel(std::size_t rows, std::size_t columns, const CellSize& cell, double epsilon);

}  // namespace earshot
