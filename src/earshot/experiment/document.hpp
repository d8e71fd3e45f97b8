// An experiment file as JSON in file order, with the line of every key beside it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot {

/// Keys are addressed by path: `graph.nodes`, `sweep.graph.nodes`, `curve[0].title`.
class Document {
 public:
  /// Throws PlanError on a syntax error. Values JSON cannot hold (dates, nan, inf) become null and a problem.
  Document(std::string_view toml_text, std::string origin, std::vector<Problem>& problems);

  Json root = Json::object();

  /// "plan.toml:12: graph.nodes"; an absent key is located where its section or the file begins.
  std::string locate(std::string_view path) const;
  /// Lets a key be located where another one stands: a swept key at its axis.
  void place_like(const std::string& path, std::string_view other);
  /// True if the value at this path, or one inside it, was refused by the constructor.
  bool refused(std::string_view path) const;
  const std::string& origin() const { return origin_; }
  bool overridden() const { return overridden_; }

  void apply(const Override& change, std::vector<Problem>& problems);

 private:
  static constexpr unsigned kCommandLine = 0;  // lines of a file count from 1
  void set_section_key(const Override& change, const std::string& role, const std::string& key,
                       std::vector<Problem>& problems);
  std::string origin_;
  std::map<std::string, unsigned, std::less<>> lines_;
  std::vector<std::string> refused_;
  bool overridden_ = false;
};

/// "graph" of "graph.nodes"; empty when the name is not the key of a section.
std::string_view role_of(std::string_view name);

/// The part of a path before its last `.` or `[`; empty at the top.
std::string_view parent_path(std::string_view path);

}  // namespace earshot
