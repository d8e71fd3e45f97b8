// Data drawn from a law that is known, for studying how training behaves.
#pragma once

#include "earshot/core/schema.hpp"
#include "earshot/training/training_data.hpp"

namespace earshot {

const Schema& two_gaussians_schema();
/// Two classes of points in the plane, taken in turn: normal around (-separation, -separation) and
/// (separation, separation), the same deviation in every direction.
TrainingData draw_two_gaussians(const Settings& settings, std::uint64_t seed);

}  // namespace earshot
