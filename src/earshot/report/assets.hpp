// The page's own files and the drawing library, carried inside the program.
#pragma once

#include <string_view>

namespace earshot::assets {

std::string_view page();     // assets/page.html: what both pages stand in
std::string_view style();    // assets/report.css
std::string_view library();  // npm's echarts.min.js (Apache-2.0), fetched by `make setup`
std::string_view base();     // assets/base.js: the data, numbers as text, elements
std::string_view charts();   // assets/charts.js: what all drawings share
std::string_view maps();     // assets/maps.js: heat maps of places

std::string_view report_body();  // assets/report.html
std::string_view model();        // assets/model.js: the data of a run and the choices made on the page
std::string_view elements();     // assets/elements.js: text and tables
std::string_view tables();       // assets/tables.js: rows of a table that were reconstructed
std::string_view drawings();     // assets/drawings.js: network, heat map, curves, places
std::string_view start();        // assets/start.js: puts the page together

std::string_view places_body();    // assets/places.html
std::string_view places_script();  // assets/places.js: a collection of places

}  // namespace earshot::assets
