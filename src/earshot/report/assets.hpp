// The page's own files and the drawing library, carried inside the program.
#pragma once

#include <string_view>

namespace earshot::assets {

std::string_view page();      // assets/report.html
std::string_view style();     // assets/report.css
std::string_view library();   // npm's echarts.min.js (Apache-2.0), fetched by `make setup`
std::string_view model();     // assets/model.js: the data and the choices made on the page
std::string_view elements();  // assets/elements.js: text and tables
std::string_view tables();    // assets/tables.js: rows of a table that were reconstructed
std::string_view drawings();  // assets/drawings.js: network, heat map, curves
std::string_view start();     // assets/start.js: puts the page together

std::string_view places_page();    // assets/places.html
std::string_view places_script();  // assets/places.js: maps of a collection of places

}  // namespace earshot::assets
