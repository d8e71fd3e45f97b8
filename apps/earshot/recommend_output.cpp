#include "recommend_output.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/report/table.hpp"
#include "earshot/report/wording.hpp"

namespace earshot::cli {
namespace {

/// The step size goes with the topology.
constexpr const char* kUnnamed = "protocol.learning_rate";
constexpr const char* kGroup = "% of cells";

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "unknown";
}

/// Under a title that says per cent.
std::string percentage(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "–";
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "fedsgd, one_hot, sigma 0.1, batch 16", or what else was swept.
std::string name_of(const ProtectionOption& option) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : option.settings.items()) {
    if (key == kUnnamed) continue;
    const bool says_itself = key == "protocol.kind" || key == "data.encoding";
    parts.push_back(says_itself ? plain(value)
                                : fmt::format("{} {}", key.substr(key.rfind('.') + 1), plain(value)));
  }
  return parts.empty() ? "this setting" : join(parts, ", ");
}

/// Points of one axis need not set the same keys.
Json setting_of(const ProtectionOption& option, const std::string& key) {
  return option.settings.value(key, Json());
}

double guess_of(const ProtectionOption& option) {
  return std::max(option.worst.random, option.worst.likeliest);
}

bool beats_guess(const ProtectionOption& option) {
  return option.worst.against_guess == Comparison::kBetter;
}

/// A comparison was possible and came out against the attack.
bool fails_to_beat_guess(const ProtectionOption& option) {
  return !beats_guess(option) && option.worst.against_guess != Comparison::kUnknown;
}

std::string what(const Tolerance& tolerance) {
  return fmt::format("cells read back{}{}", tolerance.column == "informed" ? " with public rows' help" : "",
                     tolerance.above_guess ? " above what guessing gets" : "");
}

/// "cells read back 45.2 % in round 1 (random 58.1 %, likeliest value 57.3 %: worse than guessing), in no
/// round above 49.0 % with confidence 0.95".
std::string leakage_text(const ProtectionOption& option, const Tolerance& tolerance) {
  return fmt::format(
      "{} {} in round {} (random {}, likeliest value {}: {}), in no attacked round above {} with confidence "
      "{}",
      what(tolerance), share_text(option.worst.leakage), option.worst.round, share_text(option.worst.random),
      share_text(option.worst.likeliest), guess_text(option.worst.against_guess),
      share_text(option.leakage_bound), tolerance.confidence);
}

std::string answer_text(const Recommendation& found, const Tolerance& tolerance) {
  if (!found.best)
    return fmt::format(
        "None of {} settings keeps {} at or below {} in every attacked round with confidence {}; try more "
        "noise, larger batches or more --victims, which narrow the bound.",
        found.options.size(), what(tolerance), share_text(tolerance.at_most), tolerance.confidence);
  const ProtectionOption& best = found.options[*found.best];
  return fmt::format("Use {}: accuracy {}, {}, epsilon {} at most.", name_of(best), share_text(best.accuracy),
                     leakage_text(best, tolerance), number_text(best.epsilon, 3));
}

/// Settings in which the options differ.
std::vector<std::string> varied_keys(const Recommendation& found) {
  std::vector<std::string> keys;
  const Json& first = found.options.front().settings;
  for (const auto& [key, value] : first.items()) {
    const auto differs = [&](const ProtectionOption& option) { return setting_of(option, key) != value; };
    if (key != kUnnamed && std::ranges::any_of(found.options, differs)) keys.push_back(key);
  }
  return keys;
}

void add_setting_columns(const std::vector<std::string>& keys, const Json& settings, TextTable& table) {
  for (const std::string& key : keys) {
    const std::string title = key == "protocol.kind" ? "topology" : key.substr(key.rfind('.') + 1);
    table.add_column(title,
                     settings.at(key).is_number() ? TextTable::Kind::kNumbers : TextTable::Kind::kWords);
  }
}

void add_option_row(const ProtectionOption& option, bool best, const std::vector<std::string>& keys,
                    TextTable& table) {
  std::vector<TextTable::Value> row{{best ? "→" : option.on_front ? "·" : ""}};
  for (const std::string& key : keys)
    row.push_back({plain(setting_of(option, key)), best ? Paint::kBold : Paint::kNone});
  const std::string mark = fails_to_beat_guess(option) ? "≈ " : "";
  row.insert(row.end(),
             {{mark + percentage(option.worst.leakage), option.tolerated ? Paint::kGreen : Paint::kRed},
              {percentage(option.leakage_bound)},
              {percentage(option.worst.random)},
              {percentage(option.worst.likeliest)},
              {share_text(option.accuracy)},
              {number_text(option.epsilon, 3)},
              {number_text(option.latency, 4)}});
  table.add_row(std::move(row));
}

std::string table_text(const Recommendation& found, bool all, const TerminalStyle& style) {
  const std::vector<std::string> keys = varied_keys(found);
  TextTable table;
  table.add_column("", TextTable::Kind::kWords);
  add_setting_columns(keys, found.options.front().settings, table);
  for (const char* title : {"leakage", "bound", "random", "likeliest"})
    table.add_column(title, TextTable::Kind::kNumbers, kGroup);
  for (const char* title : {"accuracy", "epsilon", "latency"})
    table.add_column(title, TextTable::Kind::kNumbers);
  for (std::size_t i = 0; i < found.options.size(); ++i) {
    const ProtectionOption& option = found.options[i];
    if (all || option.on_front || found.best == i) add_option_row(option, found.best == i, keys, table);
  }
  return table.render(style.width, style.colour);
}

std::string legend_text(const Tolerance& tolerance) {
  return fmt::format(
      "→ recommended; · no other setting is at least as good in leakage, accuracy, epsilon and latency and "
      "better in one. Leakage ({}) and both guesses are of the attacked round that leaks most; the bound "
      "holds for every attacked round. Epsilon is against whoever hears all that a node sends.",
      what(tolerance));
}

std::string guess_note(const Recommendation& found) {
  const auto count = std::ranges::count_if(found.options, fails_to_beat_guess);
  if (count == 0) return "";
  return fmt::format(
      "≈: at {} of {} settings the attack does no better than guessing. Leakages there say how it fails, not "
      "what protects, and an attack that fails proves nothing.",
      count, found.options.size());
}

/// What to ask for to see only what messages add.
const char* gain_option(const Tolerance& tolerance) {
  return tolerance.column == "informed" ? "--leakage informed_gain" : "--leakage gain";
}

/// Guesses are scored under the best pairing of rows.
std::string batch_note(const Recommendation& found, const Tolerance& tolerance) {
  const auto keys = varied_keys(found);
  if (tolerance.above_guess || std::ranges::find(keys, "protocol.batch") == keys.end()) return "";
  const auto [low, high] = std::ranges::minmax(found.options, {}, guess_of);
  return fmt::format(
      "Batch sizes differ, and a guess alone gets more of a larger batch right: here from {} to {}. So "
      "shares "
      "of right cells do not compare across batch sizes; {} does.",
      share_text(guess_of(low)), share_text(guess_of(high)), gain_option(tolerance));
}

std::string tolerance_note(const Recommendation& found, const Tolerance& tolerance) {
  const double guess =
      guess_of(found.best ? found.options[*found.best] : std::ranges::min(found.options, {}, guess_of));
  if (tolerance.above_guess || guess <= tolerance.at_most) return "";
  return fmt::format(
      "Whoever guesses gets {} right{}, more than the {} tolerated, and no protection can prevent that; {} "
      "tolerates a share above it.",
      share_text(guess), found.best ? " there" : " at least", share_text(tolerance.at_most),
      gain_option(tolerance));
}

std::string strength_note(const Recommendation& found, const AttackStrength& strength) {
  const ProtectionOption& option = found.options[found.best.value_or(0)];
  std::vector<std::string> rounds;
  for (const RoundLeakage& round : option.rounds) rounds.push_back(std::to_string(round.round));
  const std::string attack = fmt::format(
      "Attacked: {} steps of round {}, each by {} searches of {} iterations", option.worst.attacks,
      join(rounds, " and of round "), strength.members, strength.iterations);
  if (at_least_full(strength) == strength) return attack + ", full strength.";
  return fmt::format(
      "{}. Full strength is {} of {}, and reads more; --confirm attacks the recommended setting so.", attack,
      kFullStrength.members, kFullStrength.iterations);
}

std::string left_out_note(const Recommendation& found) {
  return found.left_out == 0 ? ""
                             : fmt::format("{} settings gave no numbers and were left out.", found.left_out);
}

std::string verdict_text(const Confirmation& confirmation, const Tolerance& tolerance) {
  if (!confirmation.measured) return "Not confirmed: the attack gave no numbers";
  const ProtectionOption& measured = *confirmation.measured;
  return fmt::format("{}: accuracy {}, {}; {} tolerated", confirmation.holds ? "Confirmed" : "Not confirmed",
                     share_text(measured.accuracy), leakage_text(measured, tolerance),
                     share_text(tolerance.at_most));
}

std::string next_text(const Recommendation& found, const Confirmation& confirmation,
                      const ConfirmationRun& run) {
  if (confirmation.holds) return "";
  if (!confirmation.next) return " No other setting was within the tolerance.";
  return fmt::format(" Next is {}{}", name_of(found.options[*confirmation.next]),
                     run.next_command.empty() ? "." : "; to confirm it:");
}

}  // namespace

std::string recommendation_text(const Recommendation& found, const Tolerance& tolerance,
                                const AttackStrength& strength, bool all, const TerminalStyle& style) {
  std::string text = wrap(answer_text(found, tolerance), style.width) + "\n\n";
  text += table_text(found, all, style);
  for (const std::string& note :
       {legend_text(tolerance), guess_note(found), batch_note(found, tolerance),
        tolerance_note(found, tolerance), strength_note(found, strength), left_out_note(found)}) {
    if (!note.empty()) text += wrap(note, style.width) + "\n";
  }
  return text;
}

std::string confirmation_text(const Recommendation& found, const Confirmation& confirmation,
                              const Tolerance& tolerance, const ConfirmationRun& run,
                              const TerminalStyle& style) {
  const std::string text =
      fmt::format("{}. Trained and attacked again with seed {}: other rows, {} searches of {} iterations.{}",
                  verdict_text(confirmation, tolerance), run.seed, run.strength.members,
                  run.strength.iterations, next_text(found, confirmation, run));
  const std::string command = run.next_command.empty() ? "" : run.next_command + "\n";
  return wrap(text, style.width) + "\n" + command;
}

}  // namespace earshot::cli
