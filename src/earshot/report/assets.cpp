#include "earshot/report/assets.hpp"

// The assembler copies each file into the read-only data of the program; CMake rebuilds this file when one
// changes.
#define EARSHOT_EMBED(name, path)                                      \
  asm(".pushsection .rodata\n"                                         \
      ".balign 16\n"                                                   \
      "earshot_asset_" #name                                           \
      "_begin:\n"                                                      \
      ".incbin \"" path                                                \
      "\"\n"                                                           \
      "earshot_asset_" #name                                           \
      "_end:\n"                                                        \
      ".byte 0\n"                                                      \
      ".popsection\n");                                                \
  extern "C" const char earshot_asset_##name##_begin[];                \
  extern "C" const char earshot_asset_##name##_end[];                  \
  std::string_view earshot::assets::name() {                           \
    return {earshot_asset_##name##_begin, earshot_asset_##name##_end}; \
  }

EARSHOT_EMBED(page, EARSHOT_ASSETS "/page.html")
EARSHOT_EMBED(style, EARSHOT_ASSETS "/report.css")
EARSHOT_EMBED(base, EARSHOT_ASSETS "/base.js")
EARSHOT_EMBED(charts, EARSHOT_ASSETS "/charts.js")
EARSHOT_EMBED(maps, EARSHOT_ASSETS "/maps.js")
EARSHOT_EMBED(report_body, EARSHOT_ASSETS "/report.html")
EARSHOT_EMBED(model, EARSHOT_ASSETS "/model.js")
EARSHOT_EMBED(elements, EARSHOT_ASSETS "/elements.js")
EARSHOT_EMBED(tables, EARSHOT_ASSETS "/tables.js")
EARSHOT_EMBED(drawings, EARSHOT_ASSETS "/drawings.js")
EARSHOT_EMBED(start, EARSHOT_ASSETS "/start.js")
EARSHOT_EMBED(places_body, EARSHOT_ASSETS "/places.html")
EARSHOT_EMBED(places_script, EARSHOT_ASSETS "/places.js")
EARSHOT_EMBED(library, EARSHOT_ECHARTS)
