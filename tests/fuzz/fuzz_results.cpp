// Fuzzes results documents, which `earshot report` takes from users: any bytes render as a report or are
// refused.
#include <cstdint>
#include <string_view>

#include "earshot/core/json.hpp"
#include "earshot/report/html.hpp"
#include "earshot/report/markdown.hpp"
#include "earshot/report/terminal.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const earshot::Json document = earshot::Json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return 0;
  earshot::fuzzing::accept_or_refuse([&] {
    earshot::render_terminal(document, {true, 80});
    earshot::render_markdown(document, {"earshot run", 1.0});
    earshot::render_html(document);
  });
  return 0;
}
