#include "earshot/data/tables/health_heritage.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/formats/csv_rows.hpp"
#include "earshot/data/tables/health_heritage_format.hpp"

namespace earshot {
namespace {

using Row = std::vector<std::optional<double>>;

constexpr std::size_t kPartners = 3;
constexpr std::size_t kClaimWords = 4;
constexpr std::size_t kMemberWords = 2;
constexpr std::uint32_t kUnstated = std::numeric_limits<std::uint32_t>::max();

/// Of 2.7 million of them only what cannot be summed at once is kept.
struct Claim {
  std::array<std::uint32_t, kPartners> partners;  // provider, vendor, primary care physician
  std::array<std::uint8_t, kClaimWords> words;
};

/// Months with an entry, and the sum of the entries.
struct Counts {
  double total = 0;
  double months = 0;
};

struct PayDelay {
  double total = 0;
  double highest = 0;
  double lowest = 0;
};

struct PersonYear {
  Counts labs;
  Counts drugs;
  PayDelay pay_delay;
  double charlson = 0;  // the highest code
  std::vector<Claim> claims;
};

struct Member {
  std::array<double, kMemberWords> words;
  std::array<std::optional<PersonYear>, 3> years;
};

/// Claims that name the partner; of those, how many different ones.
struct Partners {
  double claims = 0;
  double different = 0;
};

Partners partners_in(const std::vector<Claim>& claims, std::size_t which) {
  std::vector<std::uint32_t> numbers;
  for (const Claim& claim : claims) {
    if (claim.partners[which] != kUnstated) numbers.push_back(claim.partners[which]);
  }
  std::ranges::sort(numbers);
  const auto repeated = std::unique(numbers.begin(), numbers.end());
  return {static_cast<double>(numbers.size()), static_cast<double>(repeated - numbers.begin())};
}

/// The first of equally frequent words; "?" without any claim.
double commonest_word(const std::vector<Claim>& claims, std::size_t which) {
  const WordColumn& column = claim_words()[which];
  if (claims.empty()) return static_cast<double>(column.unstated());
  std::vector<std::size_t> counts(column.words.size());
  for (const Claim& claim : claims) ++counts[claim.words[which]];
  return static_cast<double>(std::ranges::max_element(counts) - counts.begin());
}

void add_claim(PersonYear& year, const Row& row) {
  Claim claim{};
  for (std::size_t i = 0; i < kPartners; ++i) {
    const std::optional<double> number = row[kFirstPartnerColumn + i];
    claim.partners[i] = number ? static_cast<std::uint32_t>(*number) : kUnstated;
  }
  for (std::size_t i = 0; i < kClaimWords; ++i)
    claim.words[i] = static_cast<std::uint8_t>(row[kFirstClaimWord + i].value());
  const double delay = row[kPayDelayColumn].value();
  PayDelay& delays = year.pay_delay;
  delays.lowest = year.claims.empty() ? delay : std::min(delays.lowest, delay);
  delays.highest = std::max(delays.highest, delay);
  delays.total += delay;
  year.charlson = std::max(year.charlson, row[kCharlsonColumn].value());
  year.claims.push_back(claim);
}

/// Everybody, with the years of which anything is on record.
class Population {
 public:
  explicit Population(CsvRows rows) {
    for (Row row; rows.next(row);) {
      Member member{};
      for (std::size_t i = 0; i < kMemberWords; ++i) member.words[i] = row[kFirstMemberWord + i].value();
      if (!members_.emplace(number_in(row), std::move(member)).second)
        rows.refuse(kMemberColumn, fmt::format("{} comes twice; list every member once", number_in(row)));
    }
  }

  void add_claims(CsvRows rows) {
    for (Row row; rows.next(row);) add_claim(year_of(rows, row), row);
  }

  void add_counts(CsvRows rows, Counts PersonYear::*which) {
    for (Row row; rows.next(row);) {
      Counts& counts = year_of(rows, row).*which;
      counts.total += row[kCountColumn].value();
      ++counts.months;
    }
  }

  /// By number, so that the order in the files does not matter.
  std::vector<const Member*> members() const {
    std::vector<std::pair<std::uint32_t, const Member*>> numbered;
    for (const auto& [number, member] : members_) numbered.emplace_back(number, &member);
    std::ranges::sort(numbered);
    std::vector<const Member*> ordered;
    ordered.reserve(numbered.size());
    for (const auto& [number, member] : numbered) ordered.push_back(member);
    return ordered;
  }

 private:
  static std::uint32_t number_in(const Row& row) {
    return static_cast<std::uint32_t>(row[kMemberColumn].value());
  }

  PersonYear& year_of(const CsvRows& rows, const Row& row) {
    const auto member = members_.find(number_in(row));
    if (member == members_.end())
      rows.refuse(kMemberColumn, fmt::format("{} is no member of Members.csv", number_in(row)));
    std::optional<PersonYear>& year =
        member->second.years[static_cast<std::size_t>(row[kYearColumn].value())];
    if (!year) year.emplace();
    return *year;
  }

  std::unordered_map<std::uint32_t, Member> members_;
};

/// Columns and categories, without rows.
TabularDataset empty_table() {
  TabularDataset dataset;
  dataset.name = "health_heritage";
  dataset.target_name = "highest CharlsonIndex above 0";
  dataset.classes = {"no", "yes"};
  dataset.features.columns = {"LabCount_total", "LabCount_months", "DrugCount_total", "DrugCount_months",
                              "no_Claims",      "no_Providers",    "no_Vendors",      "no_PCPs",
                              "PayDelay_total", "PayDelay_max",    "PayDelay_min"};
  dataset.categories.resize(dataset.features.columns.size());
  for (const auto columns : {claim_words(), member_words()}) {
    for (const WordColumn& column : columns) {
      dataset.features.columns.push_back(column.name);
      dataset.categories.push_back(column.words);
    }
  }
  return dataset;
}

/// A claim counts if it names its provider: pandas, which TabLeak's authors count with, skips the others.
void add_row(TabularDataset& dataset, const Member& member, const PersonYear& year) {
  const Partners providers = partners_in(year.claims, 0);
  std::vector<double>& values = dataset.features.values;
  values.insert(values.end(), {year.labs.total, year.labs.months, year.drugs.total, year.drugs.months,
                               providers.claims, providers.different, partners_in(year.claims, 1).different,
                               partners_in(year.claims, 2).different, year.pay_delay.total,
                               year.pay_delay.highest, year.pay_delay.lowest});
  for (std::size_t i = 0; i < kClaimWords; ++i) values.push_back(commonest_word(year.claims, i));
  values.insert(values.end(), member.words.begin(), member.words.end());
  dataset.target.push_back(year.charlson > 0 ? 1 : 0);
  ++dataset.features.row_count;
}

}  // namespace

TabularDataset read_health_heritage(HealthHeritageFiles files) {
  Population population(CsvRows(std::move(files.members), members_format()));
  population.add_claims(CsvRows(std::move(files.claims), claims_format()));
  population.add_counts(CsvRows(std::move(files.drug_counts), drug_counts_format()), &PersonYear::drugs);
  population.add_counts(CsvRows(std::move(files.lab_counts), lab_counts_format()), &PersonYear::labs);
  TabularDataset dataset = empty_table();
  for (const Member* member : population.members()) {
    for (const auto& year : member->years) {
      if (year) add_row(dataset, *member, *year);
    }
  }
  return dataset;
}

TabularDataset load_health_heritage(const std::filesystem::path& directory) {
  const DatasetEntry& entry = find_dataset("health-heritage");
  const auto open = [&](std::string_view path) {
    return LineStream(locate(entry, find_file(entry, path), directory));
  };
  return read_health_heritage({.members = open("health-heritage/Members.csv"),
                               .claims = open("health-heritage/Claims.csv"),
                               .drug_counts = open("health-heritage/DrugCount.csv"),
                               .lab_counts = open("health-heritage/LabCount.csv")});
}

}  // namespace earshot
