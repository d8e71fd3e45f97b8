// How many labels an adversary found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace earshot {

/// Share of records whose matched guess (see match_batch) carries the right label; a record without a guess
/// is wrong.
double label_accuracy(std::span<const std::size_t> truth, std::span<const std::size_t> guess,
                      std::span<const std::optional<std::size_t>> guess_of);

/// Share of the true labels that are found when order does not count: the sum over classes of the smaller
/// count, over the number of records. For attacks that infer the labels of a batch before any image.
double label_overlap(std::span<const std::size_t> truth, std::span<const std::size_t> guess);

}  // namespace earshot
