// Fuzzes the two ways to a table's schema: read from TOML, it must survive being printed and read again;
// inferred from a CSV text, it must read that text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/tables/schema_file.hpp"
#include "earshot/data/tables/schema_inference.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::TableSchema schema = earshot::parse_table_schema(text, "fuzz");
    if (earshot::parse_table_schema(earshot::to_toml(schema, {}), "printed") != schema) std::abort();
  });
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::InferredSchema inferred = earshot::infer_schema(text, "fuzz");
    const earshot::TableSchema schema{inferred.format, ""};
    if (earshot::parse_table_schema(earshot::to_toml(schema, inferred.reasons), "printed") != schema)
      std::abort();
    try {
      const earshot::CodedTable table = earshot::read_csv(text, "fuzz", inferred.format);
      if (table.table.row_count + table.dropped_rows != inferred.rows) std::abort();
    } catch (const earshot::Error& error) {
      // Every row may lack a value; nothing else may be wrong with a file under its own schema.
      if (std::string_view(error.what()).find("holds no complete row") == std::string_view::npos)
        std::abort();
    }
  });
  return 0;
}
