#include "earshot/accounting/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

Json to_json(const LedgerEntry& entry) {
  return {{"participant", entry.participant},
          {"observer", entry.observer},
          {"unit", entry.protects.unit},
          {"adjacency", entry.protects.adjacency},
          {"first_round", entry.first_round},
          {"last_round", entry.last_round},
          {"count", entry.count},
          {"release", earshot::to_json(*entry.release)}};
}

const Json& member(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end()) fail(Fault::kData, fmt::format("a ledger entry needs \"{}\"", key));
  return *found;
}

std::string text_member(const Json& line, const char* key) {
  const Json& value = member(line, key);
  if (!value.is_string()) fail(Fault::kData, fmt::format("\"{}\" must be a text", key));
  return value.get<std::string>();
}

std::uint64_t number_member(const Json& line, const char* key) {
  const Json& value = member(line, key);
  if (!value.is_number_unsigned())
    fail(Fault::kData, fmt::format("\"{}\" must be a whole number that is not negative", key));
  return value.get<std::uint64_t>();
}

Json parse_line(std::string_view line) {
  try {
    return Json::parse(line);
  } catch (const Json::exception&) {
    fail(Fault::kData, "not a JSON object, or one with a number out of range");
  }
}

LedgerEntry entry_from(std::string_view text) {
  constexpr std::size_t kKeys = 8;
  const Json line = parse_line(text);
  if (!line.is_object()) fail(Fault::kData, "not a JSON object");
  LedgerEntry entry{text_member(line, "participant"),
                    text_member(line, "observer"),
                    {text_member(line, "unit"), text_member(line, "adjacency")},
                    number_member(line, "first_round"),
                    number_member(line, "last_round"),
                    number_member(line, "count"),
                    release_from_json(member(line, "release"))};
  if (line.size() != kKeys) fail(Fault::kData, "a ledger entry has a key it does not know");
  if (entry.count == 0 || entry.last_round < entry.first_round)
    fail(Fault::kData, "a ledger entry counts at least one release, in rounds that do not go backwards");
  return entry;
}

bool same_release(const LedgerEntry& a, const LedgerEntry& b) {
  if (a.protects != b.protects) return false;
  return a.release == b.release || earshot::to_json(*a.release) == earshot::to_json(*b.release);
}

}  // namespace

void Ledger::append(LedgerEntry entry) {
  const Account account{entry.participant, entry.observer};
  const auto last = last_.find(account);
  if (last != last_.end()) {
    LedgerEntry& previous = entries_[last->second];
    if (entry.first_round < previous.last_round) {
      fail(Fault::kData,
           fmt::format("the releases of {} to {} go back from round {} to {}", entry.participant,
                       entry.observer, previous.last_round, entry.first_round));
    }
    if (previous.protects != entry.protects) {
      fail(Fault::kConfig,
           fmt::format(
               "the releases of {} to {} protect different things ({} and {}): they cannot be added up",
               entry.participant, entry.observer, previous.protects.adjacency, entry.protects.adjacency));
    }
    if (same_release(previous, entry)) {
      previous.last_round = entry.last_round;
      if (__builtin_add_overflow(previous.count, entry.count, &previous.count))
        fail(Fault::kData, "the number of releases exceeds what can be counted");
      return;
    }
  }
  last_[account] = entries_.size();
  entries_.push_back(std::move(entry));
}

void Ledger::record(const std::string& participant, const std::string& observer,
                    const ProtectedUnit& protects, std::uint64_t round, const ReleasePointer& release) {
  if (release == nullptr) fail(Fault::kInternal, "a release must say what was released");
  append({participant, observer, protects, round, round, 1, release});
}

std::vector<Ledger::Account> Ledger::accounts() const {
  std::vector<Account> all;
  for (const auto& [account, index] : last_) all.push_back(account);
  return all;
}

void Ledger::replay(const Account& account, Accountant& accountant) const {
  for (const LedgerEntry& entry : entries_) {
    if (entry.participant == account.first && entry.observer == account.second)
      accountant.add(*entry.release, entry.count);
  }
}

PrivacyStatement Ledger::statement(const Account& account, std::string_view accountant, double delta) const {
  const auto last = last_.find(account);
  if (last == last_.end()) {
    fail(Fault::kConfig,
         fmt::format("the ledger has no releases of \"{}\" to \"{}\"", account.first, account.second));
  }
  const auto fresh = make_accountant(accountant);
  replay(account, *fresh);
  std::uint64_t releases = 0;
  for (const LedgerEntry& entry : entries_) {
    if (entry.participant == account.first && entry.observer == account.second) releases += entry.count;
  }
  const double epsilon = fresh->epsilon(delta);
  if (!std::isfinite(epsilon)) {
    PrivacyStatement none = no_privacy();
    none.adversary = account.second;
    return none;
  }
  PrivacyStatement statement;
  statement.epsilon = epsilon;
  statement.delta = delta;
  const ProtectedUnit& protects = entries_[last->second].protects;
  statement.definition = "(epsilon, delta)-differential privacy of everything released";
  statement.unit = protects.unit;
  statement.adjacency = protects.adjacency;
  statement.adversary = account.second;
  statement.assumptions = {
      fmt::format("{} recorded releases of {}, each with independent noise", releases, account.first)};
  if (statement.epsilon) statement.assumptions.push_back(fresh->method(delta));
  return statement;
}

PrivacyStatement Ledger::worst_statement(const std::string& observer, std::string_view accountant,
                                         double delta) const {
  PrivacyStatement worst;
  bool found = false;
  std::set<std::string> seen;  // accounts with the same releases have the same answer
  for (const auto& [account, index] : last_) {
    if (account.second != observer) continue;
    std::string releases;
    for (const LedgerEntry& entry : entries_) {
      if (entry.participant == account.first && entry.observer == observer)
        releases += fmt::format("{} {}\n", entry.count, earshot::to_json(*entry.release).dump());
    }
    if (!seen.insert(releases).second) continue;
    PrivacyStatement next = statement(account, accountant, delta);
    const bool weaker = !next.epsilon || (worst.epsilon && *next.epsilon > *worst.epsilon);
    if (!found || weaker) worst = std::move(next);
    found = true;
    if (!worst.epsilon) break;
  }
  if (!found) fail(Fault::kConfig, fmt::format("the ledger has no releases to \"{}\"", observer));
  if (worst.epsilon)
    worst.assumptions.emplace_back("participants hold disjoint data: the worst of them, not their sum");
  return worst;
}

std::string Ledger::to_text() const {
  std::string text;
  for (const LedgerEntry& entry : entries_) text += to_json(entry).dump() + '\n';
  return text;
}

Ledger Ledger::from_text(std::string_view text, const std::string& origin) {
  Ledger ledger;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos)
      fail(Fault::kData, fmt::format("{}:{}: the last line is not complete", origin, number));
    with_context(fmt::format("{}:{}", origin, number),
                 [&] { ledger.append(entry_from(text.substr(0, end))); });
    text.remove_prefix(end + 1);
  }
  return ledger;
}

BudgetKeeper::BudgetKeeper(Ledger& ledger, Budget budget) : ledger_(ledger), budget_(std::move(budget)) {
  if (!(budget_.epsilon > 0)) fail(Fault::kConfig, "a privacy budget must be positive");
  if (!(budget_.delta > 0 && budget_.delta < 1))
    fail(Fault::kConfig, "the delta of a privacy budget must lie strictly between 0 and 1");
  make_accountant(budget_.accountant);  // refuses unknown names before anything is spent
}

Accountant& BudgetKeeper::accountant(const Ledger::Account& account) {
  auto& slot = accountants_[account];
  if (slot == nullptr) {
    slot = make_accountant(budget_.accountant);
    ledger_.replay(account, *slot);  // what an earlier part of the run has spent
  }
  return *slot;
}

bool BudgetKeeper::spend(const std::string& participant, const std::string& observer,
                         const ProtectedUnit& protects, std::uint64_t round, const ReleasePointer& release) {
  const Ledger::Account account{participant, observer};
  auto next = accountant(account).clone();
  next->add(*release);
  if (next->epsilon(budget_.delta) > budget_.epsilon) return false;
  ledger_.record(participant, observer, protects, round, release);
  accountants_[account] = std::move(next);
  return true;
}

double BudgetKeeper::spent(const Ledger::Account& account) const {
  const auto fresh = make_accountant(budget_.accountant);
  ledger_.replay(account, *fresh);
  return fresh->epsilon(budget_.delta);
}

}  // namespace earshot
