#include "earshot/report/place_maps.hpp"

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/report/assets.hpp"
#include "earshot/report/sample.hpp"
#include "earshot/report/view.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json document_with(const Json& places) {
  Json document = sample_document();
  document["cells"][1]["places"] = places;
  return document;
}

/// What is said of a document whose `places` have another value there; nothing when it is taken.
std::string refusal(const char* pointer, const Json& value) {
  Json places = sample_places();
  places[Json::json_pointer(pointer)] = value;
  try {
    read_results(document_with(places));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData);
    return error.what();
  }
  return "";
}

TEST(PlaceMaps, ReachThePageAsTheyAre) {
  const Json view = page_view(read_results(document_with(sample_places())));
  EXPECT_TRUE(view["cells"][0]["places"].is_null()) << "settings without maps have none";
  EXPECT_EQ(view["cells"][1]["places"], sample_places());
}

TEST(PlaceMaps, ReportsLieOnThePlacesUnlessSaidOtherwise) {
  Json places = sample_places();
  places["collections"][0].erase("report_grid");
  places["collections"][0]["reports"] = {0.5, 0.5};
  places["collections"][0].erase("emd");
  const Results results = read_results(document_with(places));
  const PlaceMaps& maps = *results.cells[1].places;
  EXPECT_EQ(maps.collections[0].report_grid.columns, 2U);
  EXPECT_EQ(maps.collections[0].report_grid.west, 2.2);
  EXPECT_FALSE(maps.collections[0].distance);
  EXPECT_THAT(maps.collections[0].epsilon, ElementsAre(1.5, std::nullopt));
}

TEST(PlaceMaps, EveryComplaintNamesItsPlace) {
  EXPECT_EQ(refusal("/truth", {0.25, 0.75}), "");
  EXPECT_EQ(
      refusal("/truth", {1}),
      "not an earshot results document: cells[1].places.truth must be a list of 2 numbers, one for each "
      "cell of its grid, found a list");
  EXPECT_THAT(refusal("/collections/0/reports", {0.5, 0.5}),
              HasSubstr("places.collections[0].reports must be a list of 3 numbers"));
  EXPECT_THAT(refusal("/collections/0/estimate/1", -0.1),
              HasSubstr("places.collections[0].estimate[1] must be a share between 0 and 1"));
  EXPECT_THAT(refusal("/collections/0/self_report/0", 1.5), HasSubstr("self_report[0] must be a share"));
  EXPECT_THAT(refusal("/collections/0/self_report/0", nullptr), HasSubstr("self_report[0] must be a finite"));
  EXPECT_THAT(refusal("/collections/0/epsilon/0", -1), HasSubstr("epsilon[0] must be a number not below 0"));
  EXPECT_THAT(refusal("/grid", nullptr), HasSubstr("cells[1].places must be an object with a \"grid\""));
  EXPECT_THAT(refusal("/grid/rows", 0), HasSubstr("places.grid.rows must be a whole number from 1"));
  EXPECT_THAT(refusal("/grid/rows", 1.5), HasSubstr("places.grid.rows must be a whole number"));
  EXPECT_THAT(refusal("/grid/columns", std::uint64_t{1} << 63), HasSubstr("places.grid.columns must be"));
  EXPECT_THAT(refusal("/collections/0/report_grid/box/west", 2.4),
              HasSubstr("collections[0].report_grid.box must be a box whose south lies below"));
  EXPECT_THAT(refusal("/grid/box/north", nullptr),
              HasSubstr("places.grid.box must be an object with a \"north\""));
}

/// One drawing of maps: neither page has a copy of its own.
TEST(PlaceMaps, BothPagesDrawThemByTheSameScript) {
  EXPECT_THAT(std::string(assets::maps()), HasSubstr("type: \"heatmap\""));
  EXPECT_THAT(std::string(assets::drawings()), HasSubstr("drawMaps(\"places\""));
  EXPECT_THAT(std::string(assets::places_script()), HasSubstr("drawMaps(section"));
  EXPECT_EQ(assets::places_script().find("heatmap"), std::string_view::npos);
}

}  // namespace
}  // namespace earshot
