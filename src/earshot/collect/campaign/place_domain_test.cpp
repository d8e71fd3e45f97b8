#include "earshot/collect/campaign/place_domain.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Distances matrix_of(std::string_view text) {
  LineStream lines(TextFile{text, "m"});
  return read_distance_matrix(lines);
}

TEST(PlaceDomain, SamplesAreAcceptedOrRefused) {
  testing::check_corpus("distance_matrix",
                        [](const Bytes& bytes) { checked_metric(matrix_of(text_of(bytes))); });
}

TEST(PlaceDomain, BoxesByNumbersAndByName) {
  const GeoBox box = parse_box("-1.5, 2,3,4.25");
  EXPECT_EQ(box.south, -1.5);
  EXPECT_EQ(box.west, 2);
  EXPECT_EQ(box.north, 3);
  EXPECT_EQ(box.east, 4.25);
  EXPECT_NEAR(parse_box("paris").south, 48.8286, 1e-12);
  EXPECT_EQ(city_grid("san-francisco")->cells(), 384U);
  for (const char* wrong : {"", "1,2,3", "1,2,3,4,5", "a,2,3,4", "nan,0,1,1"})
    EXPECT_THAT([&] { parse_box(wrong); }, ThrowsMessage<Error>(HasSubstr("south,west,north,east"))) << wrong;
  for (const char* wrong : {"3,2,1,4", "1,4,3,2", "0,0,91,1", "0,0,0,1"})
    EXPECT_THAT([&] { parse_box(wrong); }, ThrowsMessage<Error>(HasSubstr("from south to north"))) << wrong;
}

TEST(PlaceDomain, ShapesAndUnits) {
  EXPECT_EQ(parse_shape("11x15").columns, 15U);
  for (const char* wrong :
       {"", "11", "0x5", "5x0", "-1x5", "3x4x5", "2 x 2", "99999999999999999999x1", "1e2x3"})
    EXPECT_THAT([&] { parse_shape(wrong); }, ThrowsMessage<Error>(HasSubstr("ROWSxCOLUMNS"))) << wrong;
  EXPECT_EQ(parse_unit("metres"), DistanceUnit::kProjectedMetres);
  EXPECT_THAT([] { parse_unit("meters"); }, ThrowsMessage<Error>(HasSubstr("did you mean \"metres\"")));
}

TEST(PlaceDomain, CellsOfAGivenSize) {
  const PlaceGrid grid = grid_of_cells(parse_box("paris"), 500);
  const CellSize size = cell_size(grid, DistanceUnit::kProjectedMetres);
  EXPECT_NEAR(size.height, 500, 1);
  EXPECT_NEAR(size.width, 500, 1);
  EXPECT_GE(grid.box().north, parse_box("paris").north - 1e-9);
  EXPECT_EQ(grid_of_cells({0, 0, 0.01, 0.01}, 1e6).cells(), 1U);
  EXPECT_THAT([] { grid_of_cells(parse_box("paris"), 1); }, ThrowsMessage<Error>(HasSubstr("too small")));
  EXPECT_THAT([] { grid_of_cells(parse_box("paris"), std::nan("")); },
              ThrowsMessage<Error>(HasSubstr("positive")));
}

TEST(PlaceDomain, AMetricFromAFile) {
  const Distances matrix = matrix_of("0,1,2\n1,0,1.5\n2, 1.5 ,0\n");
  EXPECT_THAT(matrix.value, ElementsAre(0, 1, 2, 1, 0, 1.5, 2, 1.5, 0));
  const PlaceDomain domain = metric_domain(matrix, "minute");
  EXPECT_EQ(domain.places(), 3U);
  EXPECT_FALSE(domain.grid);
  EXPECT_THAT([] { matrix_of("0,1\n1\n"); },
              ThrowsMessage<Error>(HasSubstr("m:2: 1 distances found, expected 2")));
  EXPECT_THAT([] { matrix_of("0,-1\n"); }, ThrowsMessage<Error>(HasSubstr("0 or more")));
  EXPECT_THAT([] { matrix_of(""); }, ThrowsMessage<Error>(HasSubstr("empty")));
  EXPECT_THAT([] { metric_domain(matrix_of("0,1,9\n1,0,1\n9,1,0\n"), "minute"); },
              ThrowsMessage<Error>(HasSubstr("2")));
  LineStream numbers(TextFile{"2\n0\n", "v"});
  EXPECT_THAT(read_place_numbers(numbers, 3), ElementsAre(2, 0));
  LineStream beyond(TextFile{"3\n", "v"});
  EXPECT_THAT([&] { read_place_numbers(beyond, 3); }, ThrowsMessage<Error>(HasSubstr("from 0 to 2")));
}

}  // namespace
}  // namespace earshot
