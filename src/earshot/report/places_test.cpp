#include "earshot/report/places.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/report/assets.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

Json collection() {
  Json by_place = Json::object();
  for (const char* key :
       {"estimate", "standard_error", "lower", "upper", "self_report", "expected_distance", "epsilon"})
    by_place[key] = {0.5, 0.5};
  return {{"places", 2},
          {"by_place", by_place},
          {"statement", Json::object()},
          {"user_statement", Json::object()},
          {"mechanism", Json::object()},
          {"check_ins", Json::object()},
          {"collector", Json::object()},
          {"grid", {{"rows", 1}, {"columns", 2}}},
          {"report_grid", {{"rows", 1}, {"columns", 2}}},
          {"reports", {3, 4}},
          {"command", "</script><script>alert(1)</script>"}};
}

TEST(Places, LoadsNothingAndNamesCannotBecomeMarkup) {
  std::string page = render_places(collection());
  page.erase(page.find(assets::library()), assets::library().size());
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("<title>earshot collection</title>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"maps\">"));
}

TEST(Places, ListsMustFitTheirGrids) {
  const auto broken = [](const char* pointer, const Json& value) {
    Json document = collection();
    document[Json::json_pointer(pointer)] = value;
    return document;
  };
  EXPECT_THAT([&] { render_places(Json::array()); }, ThrowsMessage<Error>(HasSubstr("an object")));
  EXPECT_THAT([&] { render_places(broken("/by_place/lower", {1})); },
              ThrowsMessage<Error>(HasSubstr("\"lower\"")));
  EXPECT_THAT([&] { render_places(broken("/grid/rows", 3)); },
              ThrowsMessage<Error>(HasSubstr("another number")));
  EXPECT_THAT([&] { render_places(broken("/grid/rows", -1)); }, ThrowsMessage<Error>(HasSubstr("\"rows\"")));
  EXPECT_THAT([&] { render_places(broken("/reports", {1})); },
              ThrowsMessage<Error>(HasSubstr("\"reports\"")));
  EXPECT_THAT([&] { render_places(broken("/collector", 1)); },
              ThrowsMessage<Error>(HasSubstr("\"collector\"")));
}

}  // namespace
}  // namespace earshot
