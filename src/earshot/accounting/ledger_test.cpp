#include "earshot/accounting/ledger.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/accounting/rdp_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const ProtectedUnit kRecord{"record", "add or remove one record"};

ReleasePointer gaussian(double noise) {
  return make_release(GaussianRelease{noise});
}

TEST(Ledger, RepeatedReleasesAreOneEntryAndCountAll) {
  Ledger ledger;
  for (std::uint64_t round = 0; round < 100; ++round) {
    ledger.record("a", "server", kRecord, round, gaussian(2));
    ledger.record("b", "server", kRecord, round, gaussian(round < 50 ? 2 : 3));
  }
  ASSERT_EQ(ledger.entries().size(), 3U);
  EXPECT_EQ(ledger.entries()[0].count, 100U);
  EXPECT_EQ(ledger.entries()[2].first_round, 50U);
  const auto statement = ledger.statement({"a", "server"}, "pld", 1e-5);
  RdpAccountant rdp;
  rdp.add(*gaussian(2), 100);
  EXPECT_NEAR(*statement.epsilon, 33.1037, 1e-3);  // exact: mu = 5
  EXPECT_LT(*statement.epsilon, rdp.epsilon(1e-5));
  EXPECT_EQ(statement.unit, "record");
  EXPECT_EQ(statement.adversary, "server");
}

TEST(Ledger, SurvivesTextExactly) {
  Ledger ledger;
  Stream stream({31});
  for (std::uint64_t round = 0; round < 200; ++round) {
    const std::string node = std::to_string(stream.below(5));
    ledger.record(node, stream.below(2) == 0 ? "neighbour" : "eaves\ndropper", kRecord, round,
                  poisson_sampled(stream.uniform(), gaussian(1 + stream.below(2))));
  }
  const std::string text = ledger.to_text();
  const Ledger again = Ledger::from_text(text, "ledger.jsonl");
  EXPECT_EQ(again.to_text(), text);
  for (const Ledger::Account& account : ledger.accounts()) {
    EXPECT_EQ(again.statement(account, "rdp", 1e-5).epsilon, ledger.statement(account, "rdp", 1e-5).epsilon);
  }
}

TEST(Ledger, ResumingFromTextContinuesTheSameAccount) {
  Ledger whole;
  Ledger half;
  for (std::uint64_t round = 0; round < 10; ++round) {
    whole.record("a", "b", kRecord, round, gaussian(1));
    half.record("a", "b", kRecord, round, gaussian(1));
    if (round == 4) half = Ledger::from_text(half.to_text(), "checkpoint");
  }
  EXPECT_EQ(whole.to_text(), half.to_text());
}

TEST(Ledger, TheWorstParticipantCounts) {
  Ledger ledger;
  ledger.record("careful", "server", kRecord, 0, gaussian(10));
  ledger.record("careless", "server", kRecord, 0, gaussian(1));
  EXPECT_EQ(ledger.worst_statement("server", "rdp", 1e-5).epsilon,
            ledger.statement({"careless", "server"}, "rdp", 1e-5).epsilon);
  ledger.record("open", "server", kRecord, 1, make_release(NotPrivateRelease{"sent as it is"}));
  EXPECT_FALSE(ledger.worst_statement("server", "rdp", 1e-5).is_private());
  EXPECT_THAT([&] { ledger.worst_statement("nobody", "rdp", 1e-5); },
              ThrowsMessage<Error>(HasSubstr("no releases to \"nobody\"")));
}

TEST(Ledger, RefusesWhatDoesNotAddUp) {
  Ledger ledger;
  ledger.record("a", "b", kRecord, 5, gaussian(1));
  EXPECT_THAT([&] { ledger.record("a", "b", kRecord, 4, gaussian(1)); },
              ThrowsMessage<Error>(HasSubstr("go back from round 5 to 4")));
  EXPECT_THAT(
      [&] {
        ledger.record("a", "b", {"node", "replace its data"}, 6, gaussian(1));
      },
      ThrowsMessage<Error>(HasSubstr("protect different things")));
  EXPECT_THROW(ledger.statement({"b", "a"}, "rdp", 1e-5), Error);
}

TEST(Ledger, BadTextNamesItsLine) {
  Ledger ledger;
  ledger.record("a", "b", kRecord, 5, gaussian(1));
  const std::string good = ledger.to_text();
  const auto refuses = [&](const std::string& text, const std::string& sentence) {
    EXPECT_THAT([&] { Ledger::from_text(text, "x.jsonl"); }, ThrowsMessage<Error>(HasSubstr(sentence)));
  };
  refuses(good + "{", "x.jsonl:2: the last line is not complete");
  refuses(good + "{\n", "x.jsonl:2: not a JSON object");
  refuses(good + "[]\n", "x.jsonl:2: not a JSON object");
  refuses("{}\n", "x.jsonl:1: a ledger entry needs \"participant\"");
  std::string changed = good;
  changed.replace(changed.find("\"count\":1"), 9, "\"count\":0");
  refuses(changed, "counts at least one release");
  changed = good;
  changed.replace(changed.find("gaussian"), 8, "gausian");
  refuses(changed, "did you mean \"gaussian\"?");
  changed = good;
  changed.replace(changed.find("\"unit\""), 6, "\"Unit\"");
  refuses(changed, "needs \"unit\"");
}

TEST(Budget, StopsBeforeItIsOverspentAndNotEarlier) {
  Ledger ledger;
  BudgetKeeper keeper(ledger, {5, 1e-5, "rdp"});
  std::uint64_t afforded = 0;
  while (keeper.spend("a", "server", kRecord, afforded, gaussian(4))) ++afforded;
  EXPECT_EQ(ledger.entries().front().count, afforded);
  EXPECT_LE(keeper.spent({"a", "server"}), 5);
  RdpAccountant one_more;
  one_more.add(*gaussian(4), afforded + 1);
  EXPECT_GT(one_more.epsilon(1e-5), 5);
  // Others have budgets of their own, and a smaller release may still fit.
  EXPECT_TRUE(keeper.spend("b", "server", kRecord, 0, gaussian(4)));
  EXPECT_TRUE(keeper.spend("a", "server", kRecord, afforded, gaussian(1000)));
  EXPECT_FALSE(keeper.spend("c", "server", kRecord, 0, make_release(NotPrivateRelease{"open"})));
}

TEST(Budget, RemembersWhatAnEarlierRunSpent) {
  Ledger ledger;
  {
    BudgetKeeper keeper(ledger, {5, 1e-5, "rdp"});
    std::uint64_t round = 0;
    while (keeper.spend("a", "server", kRecord, round, gaussian(4))) ++round;
  }
  Ledger resumed = Ledger::from_text(ledger.to_text(), "checkpoint");
  BudgetKeeper keeper(resumed, {5, 1e-5, "rdp"});
  EXPECT_FALSE(keeper.spend("a", "server", kRecord, 1000, gaussian(4)));
  EXPECT_EQ(resumed.to_text(), ledger.to_text());
}

TEST(Budget, NonsenseIsRefused) {
  Ledger ledger;
  EXPECT_THROW(BudgetKeeper(ledger, {0, 1e-5, "rdp"}), Error);
  EXPECT_THROW(BudgetKeeper(ledger, {1, 0, "rdp"}), Error);
  EXPECT_THROW(BudgetKeeper(ledger, {1, 1e-5, "rpd"}), Error);
}

}  // namespace
}  // namespace earshot
