#include "earshot/data/places/place_files.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

CheckIns pairs_of(std::string_view text) {
  LineStream lines(TextFile{text, "f"});
  return read_coordinate_pairs(lines);
}

CheckIns snap_of(std::string_view text) {
  LineStream lines(TextFile{text, "f"});
  return read_snap_check_ins(lines);
}

void check_places_corpus(const std::string& folder, const std::function<void(std::string_view)>& parse) {
  testing::check_corpus(folder, [&](const Bytes& bytes) {
    parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}

TEST(PlaceFiles, SamplesAreAcceptedOrRefused) {
  check_places_corpus("coordinate_pairs", [](std::string_view text) { pairs_of(text); });
  check_places_corpus("snap_check_ins", [](std::string_view text) { snap_of(text); });
  check_places_corpus("place_csv", [](std::string_view text) { read_place_csv(text, "f", {}); });
  check_places_corpus("geojson_points", [](std::string_view text) { read_geojson_points(text, "f"); });
  check_places_corpus("grid_cells", [](std::string_view text) {
    LineStream lines(TextFile{text, "f"});
    read_grid_cells(lines);
  });
}

TEST(PlaceFiles, RandomCoordinatesSurviveEveryForm) {
  Stream stream(StreamName{.seed = 3});
  CheckIns truth;
  std::string pairs;
  std::string snap;
  std::string csv = "id,lon,note,lat\n";
  std::string geojson = R"({"features":[)";
  for (int i = 0; i < 500; ++i) {
    const double latitude = 180 * stream.uniform() - 90;
    const double longitude = 360 * stream.uniform() - 180;
    truth.add(latitude, longitude);
    pairs += fmt::format("{},{}\n", latitude, longitude);
    snap += fmt::format("{}\t2010-10-19T23:55:27Z\t{}\t{}\t{}\n", i, latitude, longitude, 22847 + i);
    csv += fmt::format("{},{},\"a, \"\"b\"\"\",{}\n", i, longitude, latitude);
    geojson += fmt::format(
        R"({}{{"type":"Feature","properties":{{"n":{}}},"geometry":{{"type":"Point","coordinates":[{},{}]}}}})",
        i == 0 ? "" : ",", i, longitude, latitude);
  }
  geojson += R"(],"type":"FeatureCollection"})";
  const CheckIns read[] = {pairs_of(pairs), snap_of(snap),
                           read_place_csv(csv, "f", {.latitude = "lat", .longitude = "lon"}),
                           read_geojson_points(geojson, "f")};
  for (const CheckIns& places : read) {
    EXPECT_EQ(places.latitude, truth.latitude);
    EXPECT_EQ(places.longitude, truth.longitude);
    EXPECT_EQ(places.skipped, CheckIns::Skipped{});
  }
}

TEST(PlaceFiles, ErrorsNameTheLine) {
  EXPECT_THAT([] { pairs_of("1,2\n3;4\n"); },
              ThrowsMessage<Error>(StrEq("f:2: \"3;4\" found, expected latitude,longitude")));
  EXPECT_THAT([] { pairs_of("1,2\n122.4,37.7\n"); },
              ThrowsMessage<Error>(HasSubstr("f:2: latitudes go from -90")));
  EXPECT_THAT([] { pairs_of("1,nan\n"); }, ThrowsMessage<Error>(HasSubstr("f:1: longitude \"nan\" found")));
  EXPECT_THAT([] { snap_of("0\t2010-10-19T23:55:27Z\t1\t2\t3\n0\t2010-10-19 23:55:27\t1\t2\t3\n"); },
              ThrowsMessage<Error>(HasSubstr("f:2: time \"2010-10-19 23:55:27\" found")));
  EXPECT_THAT(
      [] { read_place_csv("lat,lon\n1,2\n", "f", {}); },
      ThrowsMessage<Error>(StrEq("f:1: no column is called \"latitude\"; the columns are \"lat\", \"lon\"")));
  EXPECT_THAT([] { read_place_csv("latitude,longitude\n1,2\n,2\n", "f", {}); },
              ThrowsMessage<Error>(HasSubstr("f:3: the latitude is \"\"")));
  EXPECT_THAT([] { read_geojson_points("{\n\"type\":\n]}", "f"); },
              ThrowsMessage<Error>(HasSubstr("f:3: is not JSON")));
  EXPECT_THAT(
      [] {
        read_geojson_points(R"({"type":"FeatureCollection","features":[{"type":"Feature","geometry":null},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[48.8,122.4]}}]})",
                            "f");
      },
      ThrowsMessage<Error>(HasSubstr("f: feature 2: longitude 48.8 and latitude 122.4 lie outside")));
}

TEST(PlaceFiles, WhatIsNoPlaceIsCounted) {
  const CheckIns snap = snap_of(
      "0\t2010-10-19T23:55:27Z\t0.0\t0.0\t1\n0\t2010-10-19T23:55:27Z\t405.2\t2\t1\n"
      "0\t2010-10-19T23:55:27Z\t30\t0\t1\n");
  EXPECT_THAT(snap.latitude, ElementsAre(30));
  EXPECT_EQ(snap.skipped, (CheckIns::Skipped{.without_position = 1, .off_the_globe = 1}));
  const CheckIns csv = read_place_csv("latitude,longitude\n,\n1,2\n", "f", {});
  EXPECT_THAT(csv.longitude, ElementsAre(2));
  EXPECT_EQ(csv.skipped, (CheckIns::Skipped{.without_position = 1}));
  const CheckIns geojson = read_geojson_points(
      R"({"type":"FeatureCollection","features":[{"type":"Feature","geometry":null},
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}},
      {"type":"Feature","geometry":{"type":"MultiPoint","coordinates":[[1,2],[3,4,100]]}}]})",
      "f");
  EXPECT_THAT(geojson.longitude, ElementsAre(1, 3));
  EXPECT_EQ(geojson.skipped, (CheckIns::Skipped{.without_position = 1, .other_shapes = 1}));
}

TEST(PlaceFiles, UsersAreNumberedByTheirFirstCheckIn) {
  const CheckIns snap = snap_of(
      "7\t2010-10-19T23:55:27Z\t1\t2\ta\n3\t2010-10-19T23:55:27Z\t0\t0\tb\n"
      "5\t2010-10-19T23:55:27Z\t1\t2\ta\n7\t2010-10-19T23:55:27Z\t1\t2\ta\n");
  EXPECT_THAT(snap.users, ElementsAre("7", "5"));  // 3 has no place
  EXPECT_THAT(snap.user, ElementsAre(0, 1, 0));
  const CheckIns csv = read_place_csv("who,latitude,longitude\nb,1,2\na,3,4\nb,5,6\n", "f", {.user = "who"});
  EXPECT_THAT(csv.users, ElementsAre("b", "a"));
  EXPECT_THAT(csv.user, ElementsAre(0, 1, 0));
  EXPECT_THAT(pairs_of("1,2\n").users, ::testing::IsEmpty());
}

TEST(PlaceFiles, TheFormIsFoundByNameOrFirstLine) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("earshot_places_{}", ::getpid());
  std::filesystem::create_directory(folder);
  const auto form = [&](const char* name, const char* text) {
    std::ofstream(folder / name) << text;
    return form_of(folder / name);
  };
  EXPECT_EQ(form("a.csv", "48.1,2.3\n"), PlaceForm::kCoordinatePairs);
  EXPECT_EQ(form("b.csv", "lat,lon\n48.1,2.3\n"), PlaceForm::kCsv);
  EXPECT_EQ(form("c.txt", "0\t2010-10-19T23:55:27Z\t1\t2\t3\n"), PlaceForm::kSnap);
  EXPECT_EQ(form("d.geojson", "\n"), PlaceForm::kGeoJson);
  EXPECT_EQ(form("e.txt", "{\"type\":"), PlaceForm::kGeoJson);
  EXPECT_EQ(load_check_ins(folder / "a.csv", PlaceForm::kCoordinatePairs).size(), 1U);
  EXPECT_EQ(load_check_ins(folder / "b.csv", PlaceForm::kCsv, {.latitude = "lat", .longitude = "lon"}).size(),
            1U);
  EXPECT_EQ(load_check_ins(folder / "c.txt", PlaceForm::kSnap).size(), 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace earshot
