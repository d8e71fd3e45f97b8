// Black boxes around anything that runs: what is observed of one release, and how it is scored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "earshot/audit/distinguisher.hpp"

namespace earshot {

using VectorPair = std::array<std::vector<double>, 2>;

/// What speaks for input 1 in a released vector y, where `a` and `b` are what inputs 0 and 1 become without
/// noise. Each is the logarithm of a likelihood ratio up to a factor, so that its thresholds are the best
/// events (Neyman & Pearson); any other choice would be as valid, only weaker.
enum class Statistic {
  kProjection,  // <y, b - a>: Gaussian noise
  kL1,          // |y - a|_1 - |y - b|_1: independent Laplace noise
  kL2           // |y - a|_2 - |y - b|_2: noise that falls exponentially with the Euclidean norm
};
double score(Statistic statistic, std::span<const double> released, const VectorPair& centres);

/// Replaces a vector by its release.
using VectorRun = std::function<void(std::span<double> value, Stream& stream)>;
BlackBox vector_box(VectorRun run, VectorPair inputs, VectorPair centres, Statistic statistic);

/// Number of the input -> number of the output.
using CategoryRun = std::function<std::size_t(std::size_t input, Stream& stream)>;
BlackBox category_box(CategoryRun run);

/// Number of the input -> bits; the whole vector, of at most 52 bits, is one category.
using BitsRun = std::function<std::vector<std::uint8_t>(std::size_t input, Stream& stream)>;
BlackBox bits_box(BitsRun run);

}  // namespace earshot
