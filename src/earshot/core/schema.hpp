// One description per component serves parsing, validation, `earshot list`, documentation and forms.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"

namespace earshot {

enum class ParameterType { kBoolean, kInteger, kReal, kText, kChoice, kTexts };

/// A parameter without fallback must be given, unless it is optional (then it may stay absent).
struct Parameter {
  std::string key;
  ParameterType type = ParameterType::kText;
  std::optional<Json> fallback;
  std::string help;
  std::string unit;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimum_excluded = false;
  std::vector<std::string> choices;
  bool optional = false;
};

struct Schema {
  std::string
      role;  // "graph", "weights", "data", "model", "protocol", "mechanism", "adversary", "attack", "metric"
  std::string name;
  std::string summary;
  std::string reference;  // the paper a reader can check it against
  std::vector<Parameter> parameters;
};

Parameter integer_parameter(std::string key, std::optional<std::int64_t> fallback, std::int64_t minimum,
                            std::int64_t maximum, std::string help);
Parameter real_parameter(std::string key, std::optional<double> fallback, double minimum, double maximum,
                         std::string help);
Parameter choice_parameter(std::string key, std::string fallback, std::vector<std::string> choices,
                           std::string help);
Parameter text_parameter(std::string key, std::optional<std::string> fallback, std::string help);
Parameter boolean_parameter(std::string key, bool fallback, std::string help);
Parameter texts_parameter(std::string key, std::optional<std::vector<std::string>> fallback,
                          std::string help);
/// The same parameter, allowed to stay absent.
Parameter optional(Parameter parameter);
/// The same parameter, its minimum itself not allowed.
Parameter above_minimum(Parameter parameter);

/// Values that passed a schema's validation: every key is known, typed, in range, and defaults are filled in.
class Settings {
 public:
  Settings() : values_(Json::object()) {}
  explicit Settings(Json values) : values_(std::move(values)) {}

  bool has(std::string_view key) const { return values_.contains(key); }
  std::int64_t integer(std::string_view key) const;
  std::size_t size(std::string_view key) const { return static_cast<std::size_t>(integer(key)); }
  double real(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  const Json& values() const { return values_; }

 private:
  const Json& at(std::string_view key) const;
  Json values_;
};

/// Tells where a key stands, e.g. `plan.toml:12: graph.nodes`.
using Locate = std::function<std::string(std::string_view key)>;

/// Checks `given` (an object) against the schema; what is wrong is appended to `problems`, what is right is
/// returned.
Settings validate(const Schema& schema, const Json& given, const Locate& locate,
                  std::vector<Problem>& problems);
/// The same where there is nothing else to check first: throws PlanError with all that is wrong, each key
/// after this prefix.
Settings valid_settings(const Schema& schema, const Json& given, std::string_view prefix);

/// "integer 1..1000", "one of a, b", ... for help texts.
std::string type_description(const Parameter& parameter);
Json describe(const Schema& schema);

}  // namespace earshot
