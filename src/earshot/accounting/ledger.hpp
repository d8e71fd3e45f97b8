// Who let whom see what: a replayable record of releases, per participant and observer, and budgets on it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "earshot/accounting/accountant.hpp"
#include "earshot/accounting/privacy_statement.hpp"
#include "earshot/accounting/release_event.hpp"

namespace earshot {

/// What a release protects: guarantees about different things do not add up.
struct ProtectedUnit {
  std::string unit;       // "record", "one node's whole data"
  std::string adjacency;  // "add or remove one record"
  bool operator==(const ProtectedUnit&) const = default;
};

/// The same release, made `count` times in rounds `first_round` ... `last_round`.
struct LedgerEntry {
  std::string participant;
  std::string observer;
  ProtectedUnit protects;
  std::uint64_t first_round = 0;
  std::uint64_t last_round = 0;
  std::uint64_t count = 0;
  ReleasePointer release;
};

class Ledger {
 public:
  using Account = std::pair<std::string, std::string>;  // participant, observer

  /// Rounds of one account must not go backwards. Repetitions of the last release extend its entry.
  void record(const std::string& participant, const std::string& observer, const ProtectedUnit& protects,
              std::uint64_t round, const ReleasePointer& release);

  const std::vector<LedgerEntry>& entries() const { return entries_; }
  std::vector<Account> accounts() const;

  /// Adds every release of the account to the accountant, in order.
  void replay(const Account& account, Accountant& accountant) const;
  /// What the account promises at `delta`.
  PrivacyStatement statement(const Account& account, std::string_view accountant, double delta) const;
  /// The weakest promise to any participant against this observer. Participants hold disjoint data, so their
  /// losses do not add up.
  PrivacyStatement worst_statement(const std::string& observer, std::string_view accountant,
                                   double delta) const;

  /// One JSON object per line; numbers round-trip exactly.
  std::string to_text() const;
  static Ledger from_text(std::string_view text, const std::string& origin);

 private:
  void append(LedgerEntry entry);

  std::vector<LedgerEntry> entries_;
  std::map<Account, std::size_t> last_;  // index of each account's latest entry
};

struct Budget {
  double epsilon = 0;
  double delta = 0;
  std::string accountant = "rdp";
};

/// Keeps every account of a ledger within one budget: a release that would overspend is not recorded, and
/// the participant must not make it.
class BudgetKeeper {
 public:
  BudgetKeeper(Ledger& ledger, Budget budget);
  /// Records the release and returns true, or returns false and changes nothing.
  bool spend(const std::string& participant, const std::string& observer, const ProtectedUnit& protects,
             std::uint64_t round, const ReleasePointer& release);
  double spent(const Ledger::Account& account) const;

 private:
  Accountant& accountant(const Ledger::Account& account);

  Ledger& ledger_;
  Budget budget_;
  std::map<Ledger::Account, std::unique_ptr<Accountant>> accountants_;
};

}  // namespace earshot
