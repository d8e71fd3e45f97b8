// What every fuzz target promises: any input is accepted or refused with an Error in one line; nothing else
// escapes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot::fuzzing {

inline void expect_one_line(std::string_view message) {
  if (!message.empty() && message.find('\n') == std::string_view::npos) return;
  std::fprintf(stderr, "not one line: %.*s\n", static_cast<int>(message.size()), message.data());
  std::abort();
}

/// Runs `body`; stops the fuzzer unless what it throws is a proper refusal of bad input: one line, or one
/// line per problem of a plan.
template <class Body>
void accept_or_refuse(Body&& body) {
  try {
    body();
  } catch (const PlanError& error) {
    for (const Problem& problem : error.problems()) expect_one_line(to_line(problem));
  } catch (const Error& error) {
    expect_one_line(error.what());
    if (error.fault() != Fault::kInternal) return;
    std::fprintf(stderr, "blamed on earshot itself: %s\n", error.what());
    std::abort();
  }
}

/// The same with the right SHA-256 at its end, which a fuzzer would never find.
inline Bytes sealed_again(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kDigits = 64;
  Bytes out(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(std::min(kDigits, bytes.size())));
  for (const char digit : sha256(out)) out.push_back(static_cast<std::uint8_t>(digit));
  return out;
}

}  // namespace earshot::fuzzing
