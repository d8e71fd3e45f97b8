// A ledger that parses writes itself back and parses again to the same text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/accounting/ledger.hpp"
#include "earshot/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string written = earshot::Ledger::from_text(text, "ledger").to_text();
    if (earshot::Ledger::from_text(written, "ledger").to_text() != written) std::abort();
  } catch (const earshot::Error&) {
  }
  return 0;
}
