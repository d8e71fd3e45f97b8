#include "earshot/report/html.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "earshot/core/files.hpp"
#include "earshot/report/assets.hpp"
#include "earshot/report/sample.hpp"
#include "earshot/report/view.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The page without the drawing library's own text.
std::string own_markup(std::string page) {
  const std::size_t at = page.find(assets::library());
  EXPECT_NE(at, std::string::npos) << "the library is inlined, byte for byte";
  return page.erase(at, assets::library().size());
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// What a browser reads from the data element.
Json embedded(const std::string& page) {
  const std::string_view open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Html, LoadsNothing) {
  const std::string markup = own_markup(render_html(sample_document()));
  EXPECT_THAT(markup, Not(HasSubstr("http://")));
  EXPECT_THAT(markup, Not(HasSubstr("https://")));
  for (const char* loader : {"<link", "<iframe", "<object", "<embed", "<base", "@import", "url(", " src=\""})
    EXPECT_THAT(markup, Not(HasSubstr(loader)));
  EXPECT_THAT(markup, HasSubstr("default-src 'none'"));
  EXPECT_THAT(markup, HasSubstr("<title>earshot report</title>"));
  EXPECT_EQ(count(markup, "<main>"), 1u);
}

TEST(Html, NamesCannotBecomeMarkup) {
  const std::string hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>]]>";
  Json document = sample_document(hostile);
  document["experiment"]["title"] = hostile;
  document["command"] = hostile;
  document["cells"][0]["settings"] = {{hostile, hostile}};
  const std::string clean = render_html(sample_document()), page = render_html(document);
  EXPECT_THAT(own_markup(page), Not(HasSubstr("alert(1)</script>")));
  for (const std::string_view tag : {"<script", "</script", "<!--", "<img"})
    EXPECT_EQ(count(page, tag), count(clean, tag)) << tag;
  EXPECT_EQ(embedded(page)["cells"][0]["nodes"][0], hostile) << "and still it is shown as it is";
}

TEST(Html, ScriptNeverBuildsMarkupFromText) {
  for (const std::string_view script :
       {assets::base(), assets::charts(), assets::maps(), assets::model(), assets::elements(),
        assets::tables(), assets::drawings(), assets::start(), assets::places_script()})
    for (const char* way :
         {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("})
      EXPECT_EQ(script.find(way), std::string_view::npos) << way;
}

/// The hex digest inside a policy token, decoded by OpenSSL.
std::string digest_of(const std::string& token) {
  std::vector<unsigned char> bytes(token.size());
  const int length = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(token.data()),
                                     static_cast<int>(token.size()));
  std::string hex;
  for (int i = 0; i < std::min(length, 32); ++i)
    hex += fmt::format("{:02x}", bytes[static_cast<std::size_t>(i)]);
  return hex;
}

TEST(Html, PolicyAdmitsExactlyItsTwoScripts) {
  const std::string page = render_html(sample_document());
  std::vector<std::string> admitted, present;
  for (std::size_t at = page.find("'sha256-"); at != std::string::npos; at = page.find("'sha256-", at + 1))
    admitted.push_back(digest_of(page.substr(at + 8, 44)));
  for (std::size_t at = page.find("<script>"); at != std::string::npos; at = page.find("<script>", at + 1)) {
    const std::string body = page.substr(at + 8, page.find("</script>", at) - at - 8);
    present.push_back(sha256(std::span(reinterpret_cast<const std::uint8_t*>(body.data()), body.size())));
  }
  EXPECT_EQ(present.size(), 2u);
  EXPECT_EQ(admitted, present);
  EXPECT_EQ(count(page, "'unsafe-inline'"), 1u) << "for style attributes only, not for scripts";
}

TEST(Html, HoldsTheAnswerAndTheWayToReproduceIt) {
  const Json view = embedded(render_html(sample_document()));
  EXPECT_EQ(view["headline"],
            "4 of 4 participants can reconstruct most of the others' data; with noise, ε = 8: none. 1 of 3 "
            "published "
            "values is met.");
  EXPECT_EQ(view["command"], "earshot audit --seed 1");
  EXPECT_EQ(view["seed"], "1");
  EXPECT_EQ(view["networks"].size(), 1u) << "both cells share one network";
  EXPECT_EQ(view["cells"][0]["statement"]["private"], false);
  EXPECT_EQ(view["cells"][1]["guarantee"], "ε = 8");
  EXPECT_EQ(view["cells"][0]["attackers"][0]["relations"][0], "x(Ada) − 1/2·x(Blaise)");
}

TEST(Html, LargeRunsKeepThePairsOfTheAttackersThatReachMost) {
  Json document = sample_document();
  document["cells"].erase(1);
  document["cells"][0].erase("tables");
  const Json view = page_view(read_results(document), 7);  // three attackers reach 3 nodes, the last one 2
  const Json& cell = view["cells"][0];
  EXPECT_EQ(cell["pairs"].size(), 6u);
  EXPECT_EQ(cell["attackers"].size(), 4u) << "every attacker keeps its score";
  EXPECT_EQ(cell["attackers"][1]["pairs_kept"], true);
  EXPECT_EQ(cell["attackers"][3]["pairs_kept"], false);
}

}  // namespace
}  // namespace earshot
