#include "earshot/pipeline/plan_files.hpp"

#include <array>
#include <filesystem>

#include "earshot/core/files.hpp"

namespace earshot {
namespace {

/// The keys by which sections name files: [graph], [weights], [data] and [model].
constexpr std::array kFileKeys{"path", "schema", "start"};

void add_file(Json& digests, const std::string& name, const GraphSources& sources) {
  const std::filesystem::path path = sources.working_directory / name;
  std::error_code code;
  if (digests.contains(name) || !std::filesystem::is_regular_file(path, code)) return;
  digests[name] = sha256(read_bytes(path));
}

}  // namespace

Json file_digests(const Plan& plan, const GraphSources& sources) {
  Json digests = Json::object();
  for (const Cell& cell : plan.cells) {
    for (const auto& [role, choice] : cell.choices) {
      for (const char* key : kFileKeys) {
        const Json& settings = choice->settings.values();
        const auto name = settings.find(key);
        if (name != settings.end() && name->is_string()) add_file(digests, name->get<std::string>(), sources);
      }
    }
  }
  return digests;
}

}  // namespace earshot
