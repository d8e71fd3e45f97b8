#include <functional>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/report/markdown.hpp"
#include "earshot/report/sample.hpp"
#include "earshot/report/terminal.hpp"
#include "earshot/report/view.hpp"

namespace earshot {
namespace {

/// Every place in the document, parents before children.
void places(const Json& json, const Json::json_pointer& here, std::vector<Json::json_pointer>& out) {
  if (!here.empty()) out.push_back(here);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) places(value, here / key, out);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) places(json[i], here / i, out);
}

void drop(Json& document, const Json::json_pointer& place) {
  Json& parent = document.at(place.parent_pointer());
  if (parent.is_array())
    parent.erase(std::stoul(place.back()));
  else
    parent.erase(place.back());
}

/// What render_html puts into the page; the rest of the page is the same megabyte for every document.
std::string page_data(const Json& document) {
  return page_view(read_results(document)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// True when all three renderers take the document; false when all refuse it as bad data in one line.
bool renders(const Json& document) {
  const std::vector<std::function<std::string()>> renderers = {
      [&] { return render_terminal(document, {.colour = true, .width = 60}); },
      [&] {
        return render_markdown(document, {"earshot run line.toml", 1.0});
      },
      [&] { return page_data(document); }};
  int refused = 0;
  for (const auto& render : renderers) {
    try {
      EXPECT_FALSE(render().empty());
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.fault(), Fault::kData);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_TRUE(refused == 0 || refused == 3) << refused;
  return refused == 0;
}

class Mutation : public testing::Test {
 protected:
  void SetUp() override {
    // One cell, one exposure and one row are enough: the others have the same shape.
    document_["cells"].erase(1);
    Json& cell = document_["cells"][0];
    cell["exposure"] = Json::array({cell["exposure"][0]});
    for (const char* table : {"attackers", "victims"}) {
      Json& rows = cell["tables"][table]["rows"];
      rows = Json::array({rows[0]});
    }
    cell["tables"].update(sample_table_attack(0.9, 0.5, 0.6));
    Json& parts = cell["tables"]["confidence"]["rows"];
    parts = Json::array({parts[0]});
    cell["places"] = sample_places();
    places(document_, Json::json_pointer(), places_);
  }
  Json document_ = sample_document();
  std::vector<Json::json_pointer> places_;
};

TEST_F(Mutation, EveryKeyMayBeAbsentOrIsRefusedByName) {
  for (const auto& place : places_) {
    SCOPED_TRACE(place.to_string());
    Json mutant = document_;
    drop(mutant, place);
    const bool rendered = renders(mutant);
    const bool stamp = place.to_string() == "/earshot" || place.to_string() == "/earshot/format";
    if (place.to_string().find('/', 1) == std::string::npos) {
      EXPECT_EQ(rendered, !stamp) << "top-level parts other than the stamp are optional";
    }
  }
}

TEST_F(Mutation, EveryReplacementRendersOrIsRefused) {
  const std::vector<Json> replacements = {nullptr,
                                          true,
                                          -1,
                                          1e308,
                                          "x",
                                          "\xff\xfe",
                                          Json::array(),
                                          Json::object(),
                                          Json::array({Json::array()}),
                                          Json::object({{"x", Json::object()}}),
                                          std::numeric_limits<double>::quiet_NaN()};
  std::size_t refused = 0;
  for (const auto& place : places_) {
    for (const Json& replacement : replacements) {
      SCOPED_TRACE(place.to_string());
      Json mutant = document_;
      mutant[place] = replacement;
      refused += renders(mutant) ? 0 : 1;
    }
  }
  EXPECT_GT(refused, places_.size()) << "a checker that refuses almost nothing checks nothing";
}

TEST(WholeDocument, OfTheWrongKindIsRefused) {
  for (const Json& document : {Json(), Json(1), Json("x"), Json::array(), Json::object()})
    EXPECT_FALSE(renders(document)) << document;
}

}  // namespace
}  // namespace earshot
