// Places and journeys.
#include <array>

#include "earshot/data/catalogue/catalogue_entries.hpp"

namespace earshot {
namespace {

constexpr std::array kGowallaFiles{
    DatasetFile{"gowalla/Gowalla_Paris_grid.csv", 43251,
                "fc69d4c4cf42e4fdb419fc2f46519a1edc66d5b1dd594c5ee67904db60e9c8c2"},
    DatasetFile{"gowalla/Gowalla_Paris_latlon.csv", 279011,
                "cad6b6e3f439b924c4b08ce8b7caf7b3cd119cde27639b78fb806887a60386bd"},
    DatasetFile{"gowalla/Gowalla_SF_grid.csv", 516598,
                "6a14c4d1a945ac64b1271f69e71aea00bb79e19695c612cc6345ce898fa92fa3"},
    DatasetFile{"gowalla/Gowalla_SF_latlon.csv", 3561790,
                "9431bd94200d60cc944e6717a989f70c16dcf86f34ed614b4b49c5fe2ef094ac"},
};

constexpr std::array kCabspottingFiles{
    DatasetFile{"cabspotting/cabspottingdata_50cabs.tar", 38533120,
                "d7e3a95df3b0662f1b21f948e9fd617e50c42a99c1414e4408c09b04ddd270da"},
};

constexpr std::array kRoadsEvFiles{
    DatasetFile{"roads-ev/SanFranciscoFiltered.osm", 2448219,
                "ad7f11920ec76978880a2aa3bcfa546583a7ccbd7fb525ee31e6737da53be66b"},
    DatasetFile{"roads-ev/sf_streets.geojson", 974796,
                "d6962bef9732c1a25124840523b604fb6562194984c0ef094c1d3de57a573b2a"},
    DatasetFile{"roads-ev/alt_fuel_stations_us_elec.csv", 3038472,
                "c5964ff4b34d78643678a81d3c3060570c172a35fd22a15063e0fcd601a92c05"},
};

constexpr std::array kEntries{
    DatasetEntry{"gowalla",
                 "check-ins at places in Paris (10,991) and San Francisco (123,026), without user and time",
                 "none stated; research use with citation",
                 "Cho, Myers & Leskovec 2011, Friendship and mobility: user movement in location-based "
                 "social networks",
                 "take the Gowalla files of blitzwas/PRIVIC on GitHub (commit 21a460c) and put them into "
                 "gowalla/ under the names docs/data.md lists",
                 kGowallaFiles},
    DatasetEntry{"cabspotting",
                 "where 50 San Francisco taxis were, minute by minute: 1,174,251 points of May and June 2008",
                 "CRAWDAD terms: research use, cite, do not pass on",
                 "Piorkowski, Sarafijanovic-Djukic & Grossglauser 2009, CRAWDAD dataset epfl/mobility",
                 "pack the new_*.txt files of the 50 cabs that docs/data.md names (CRAWDAD epfl/mobility) as "
                 "one tar file and put it into cabspotting/; a tar made elsewhere may have another checksum",
                 kCabspottingFiles},
    DatasetEntry{
        "roads-ev", "roads of San Francisco (OpenStreetMap) and the charging stations of the United States",
        "roads: ODbL 1.0; stations: any purpose (US Department of Energy)",
        "OpenStreetMap contributors; US Department of Energy, Alternative Fuels Data Center",
        "take the files from KrainskiL/SmartTransitionSim.jl (commit e419c79), Lumiukko/diku_ide_2015 "
        "(commit 77337b4) and ghhyc/EV-Charging (commit 1b30eda) on GitHub and put them into roads-ev/",
        kRoadsEvFiles},
};

}  // namespace

std::span<const DatasetEntry> catalogued_places() {
  return kEntries;
}

}  // namespace earshot
