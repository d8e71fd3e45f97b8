// Words for messages: nearest spellings and lists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace earshot {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate closest to `word`, if any is close enough to be a likely slip of the hand.
std::optional<std::string> nearest_spelling(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "x"? allowed: a, b, x`, the first part only when a near spelling exists.
std::string suggest(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> words, std::string_view separator);

}  // namespace earshot
