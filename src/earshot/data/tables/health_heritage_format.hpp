// The four files of the Heritage Health Prize (release 3): their columns and the words in them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "earshot/data/formats/csv.hpp"

namespace earshot {

/// A column of words. Words come in the order of TabLeak's published code (Vero et al. 2023), which decides
/// between words that are equally frequent; "?" is where a cell is empty.
struct WordColumn {
  std::string name;
  std::vector<std::string> words;

  /// The code of "?".
  std::size_t unstated() const;
};
/// PrimaryConditionGroup, Specialty, ProcedureGroup and PlaceSvc.
std::span<const WordColumn> claim_words();
/// AgeAtFirstClaim and Sex.
std::span<const WordColumn> member_words();

/// Positions in the formats below; the first two are the same in all files that have them.
inline constexpr std::size_t kMemberColumn = 0;
inline constexpr std::size_t kYearColumn = 1;
inline constexpr std::size_t kCountColumn = 2;         // of DrugCount.csv and LabCount.csv
inline constexpr std::size_t kFirstMemberWord = 1;     // of Members.csv
inline constexpr std::size_t kPayDelayColumn = 2;      // of Claims.csv, and the following
inline constexpr std::size_t kCharlsonColumn = 3;      // 0, 1-2, 3-4 and 5+ as 0 to 3
inline constexpr std::size_t kFirstPartnerColumn = 4;  // ProviderID, Vendor and PCP
inline constexpr std::size_t kFirstClaimWord = 7;

CsvFormat members_format();
CsvFormat claims_format();
CsvFormat drug_counts_format();
CsvFormat lab_counts_format();

}  // namespace earshot
