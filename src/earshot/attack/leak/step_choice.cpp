#include "earshot/attack/leak/step_choice.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::uint64_t parse_round(std::string_view word, std::uint64_t last) {
  if (word == "last") return last;
  std::uint64_t round = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, round);
  if (word.empty() || read.ec != std::errc() || read.ptr != end || round == 0)
    fail(Fault::kConfig,
         fmt::format("attack.rounds: \"{}\" is no round; write numbers from 1 on or \"last\", with commas "
                     "between them",
                     word));
  if (round > last)
    fail(Fault::kConfig,
         fmt::format("attack.rounds: round {} is not reached, the training has {}", round, last));
  return round;
}

}  // namespace

std::vector<std::uint64_t> parse_rounds(std::string_view text, std::uint64_t last) {
  std::set<std::uint64_t> rounds;
  while (true) {
    const std::size_t comma = text.find(',');
    rounds.insert(parse_round(trimmed(text.substr(0, comma)), last));
    if (comma == std::string_view::npos) return {rounds.begin(), rounds.end()};
    text.remove_prefix(comma + 1);
  }
}

}  // namespace earshot
