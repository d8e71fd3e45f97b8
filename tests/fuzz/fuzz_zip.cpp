// Fuzzes the zip reader: what it accepts stays within the bound and under safe, distinct names.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>

#include "earshot/data/formats/zip.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  constexpr std::size_t kLargest = 1 << 20;
  fuzzing::accept_or_refuse([&] {
    std::set<std::string> seen;
    std::size_t total = 0;
    for (const ZipFile& file : parse_zip(std::span(data, size), kLargest)) {
      if (file.path.empty() || file.path[0] == '/' || !seen.insert(file.path).second) std::abort();
      if (("/" + file.path + "/").find("/../") != std::string::npos) std::abort();
      total += file.content.size();
    }
    if (total > kLargest) std::abort();
  });
  return 0;
}
