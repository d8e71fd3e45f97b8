// What `earshot recommend` says and shows.
#pragma once

#include <cstdint>
#include <string>

#include "earshot/experiment/recommendation.hpp"
#include "earshot/report/terminal.hpp"
#include "recommend_plan.hpp"

namespace earshot::cli {

/// The answer in words, the front (or `all` options) with both guesses beside every leakage, and what to know
/// before believing it.
std::string recommendation_text(const Recommendation& found, const Tolerance& tolerance,
                                const AttackStrength& strength, bool all, const TerminalStyle& style);

/// How the recommended option was attacked once more, and what a reader types to do it with the next one.
struct ConfirmationRun {
  AttackStrength strength;
  std::uint64_t seed = 0;
  std::string next_command;  // empty when there is none
};
/// Whether the recommended option held, and which is next if it did not.
std::string confirmation_text(const Recommendation& found, const Confirmation& confirmation,
                              const Tolerance& tolerance, const ConfirmationRun& run,
                              const TerminalStyle& style);

}  // namespace earshot::cli
