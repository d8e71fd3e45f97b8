// Fuzzes the tar reader: what it accepts lies inside the archive and under safe, distinct names.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>

#include "earshot/data/formats/tar.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace earshot;
  const std::span bytes(data, size);
  fuzzing::accept_or_refuse([&] {
    std::set<std::string> seen;
    for (const TarFile& file : parse_tar(bytes)) {
      if (file.path.empty() || file.path[0] == '/' || !seen.insert(file.path).second) std::abort();
      if (("/" + file.path + "/").find("/../") != std::string::npos) std::abort();
      if (file.content.data() < data || file.content.data() + file.content.size() > data + size) std::abort();
    }
  });
  return 0;
}
