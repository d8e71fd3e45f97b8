#include "earshot/report/terminal.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/report/sample.hpp"
#include "earshot/report/table.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Terminal, ShowsCellsSideBySideWithStatementAndUtility) {
  const std::string text = render_terminal(sample_document(), {.colour = false, .width = 100});
  EXPECT_THAT(text, HasSubstr("with noise, ε = 8: none"));
  EXPECT_THAT(text, HasSubstr("no privacy; definition: (ε, δ)-local differential privacy"));
  EXPECT_THAT(text, HasSubstr("ε = 8, δ = 1e-05; definition"));
  EXPECT_THAT(text, HasSubstr("all-zero guess 8 dB, mean guess 11 dB"));
  EXPECT_THAT(text, HasSubstr("accuracy 88 %"));
  EXPECT_THAT(text, HasSubstr("0.94 ± 0.1"));
  EXPECT_THAT(text, HasSubstr("missed"));
  EXPECT_THAT(text, HasSubstr("correlation with degree: 20 graphs"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Terminal, NoPrivacyIsRed) {
  EXPECT_THAT(render_terminal(sample_document(), {.colour = true, .width = 100}),
              HasSubstr("\x1b[1;31mno privacy\x1b[0m"));
}

TEST(Terminal, StaysInsideTheWidth) {
  for (const std::size_t width : {40, 61, 80, 132}) {
    std::istringstream lines(render_terminal(sample_document(), {.colour = false, .width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Terminal, ManyCellsAreOneRowEach) {
  Json document = sample_document();
  for (int i = 0; i < 58; ++i) {
    document["cells"].push_back(document["cells"][0]);
    document["cells"].back()["settings"] = {{"graph.p", i}};
  }
  const std::string text = render_terminal(document, {.colour = false, .width = 100});
  EXPECT_THAT(text, HasSubstr("in 60 settings"));
  EXPECT_THAT(text, HasSubstr("kind      p    guarantee"));
  EXPECT_THAT(text, HasSubstr("          57  no privacy"));
  EXPECT_THAT(
      text,
      HasSubstr("Over 60 settings, an average attacker reconstructs from 0 % (mechanism.kind = gaussian)"));
}

TEST(Terminal, OneAttackerIsToldByName) {
  Json document = sample_document();
  document["cells"].erase(1);
  Json& cell = document["cells"][0];
  cell.erase("tables");
  cell.erase("summary");
  cell["exposure"] = Json::array({cell["exposure"][3]});
  const std::string text = render_terminal(document, {.colour = false, .width = 100});
  EXPECT_THAT(text, HasSubstr("Attacker Kurt could reconstruct 67 % of the others' data"));
  EXPECT_THAT(text, HasSubstr("Kurt reconstructs: Blaise, Émilie."));
  EXPECT_THAT(text, HasSubstr("out of its reach: Ada."));
}

TEST(Terminal, NamesCannotDriveTheTerminal) {
  const std::string text =
      render_terminal(sample_document("\x1b]0;owned\x07"), {.colour = false, .width = 100});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
}

}  // namespace
}  // namespace earshot
