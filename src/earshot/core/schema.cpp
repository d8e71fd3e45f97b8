#include "earshot/core/schema.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/text.hpp"

namespace earshot {
namespace {
Parameter parameter(std::string key, ParameterType type, std::string help) {
  Parameter p;
  p.key = std::move(key);
  p.type = type;
  p.help = std::move(help);
  return p;
}
}  // namespace

Parameter integer_parameter(std::string key, std::optional<std::int64_t> fallback, std::int64_t minimum,
                            std::int64_t maximum, std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kInteger, std::move(help));
  if (fallback) p.fallback = *fallback;
  p.minimum = static_cast<double>(minimum);
  p.maximum = static_cast<double>(maximum);
  return p;
}

Parameter real_parameter(std::string key, std::optional<double> fallback, double minimum, double maximum,
                         std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kReal, std::move(help));
  if (fallback) p.fallback = *fallback;
  p.minimum = minimum;
  p.maximum = maximum;
  return p;
}

Parameter choice_parameter(std::string key, std::string fallback, std::vector<std::string> choices,
                           std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kChoice, std::move(help));
  p.fallback = std::move(fallback);
  p.choices = std::move(choices);
  return p;
}

Parameter text_parameter(std::string key, std::optional<std::string> fallback, std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kText, std::move(help));
  if (fallback) p.fallback = std::move(*fallback);
  return p;
}

Parameter boolean_parameter(std::string key, bool fallback, std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kBoolean, std::move(help));
  p.fallback = fallback;
  return p;
}

Parameter texts_parameter(std::string key, std::optional<std::vector<std::string>> fallback,
                          std::string help) {
  Parameter p = parameter(std::move(key), ParameterType::kTexts, std::move(help));
  if (fallback) p.fallback = std::move(*fallback);
  return p;
}

Parameter optional(Parameter parameter) {
  parameter.optional = true;
  return parameter;
}

Parameter above_minimum(Parameter parameter) {
  parameter.minimum_excluded = true;
  return parameter;
}

const Json& Settings::at(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) fail(Fault::kInternal, fmt::format("setting \"{}\" was never declared", key));
  return *found;
}

std::int64_t Settings::integer(std::string_view key) const {
  return at(key).get<std::int64_t>();
}
double Settings::real(std::string_view key) const {
  return at(key).get<double>();
}
bool Settings::boolean(std::string_view key) const {
  return at(key).get<bool>();
}
std::string Settings::text(std::string_view key) const {
  return at(key).get<std::string>();
}
std::vector<std::string> Settings::texts(std::string_view key) const {
  return at(key).get<std::vector<std::string>>();
}

namespace {

std::string range_description(const Parameter& p) {
  const bool below = std::isfinite(p.minimum);
  const bool above = std::isfinite(p.maximum);
  if (below && above)
    return fmt::format("{} {}..{}", p.minimum_excluded ? "above" : "from", p.minimum, p.maximum);
  if (below) return fmt::format("{} {}", p.minimum_excluded ? ">" : ">=", p.minimum);
  if (above) return fmt::format("<= {}", p.maximum);
  return "any";
}

bool in_range(const Parameter& p, double value) {
  if (!std::isfinite(value) || value > p.maximum) return false;
  return p.minimum_excluded ? value > p.minimum : value >= p.minimum;
}

/// Node names may be written as numbers: [0, 3] means ["0", "3"].
std::optional<Json> as_texts(const Json& given) {
  if (!given.is_array()) return std::nullopt;
  Json texts = Json::array();
  for (const Json& item : given) {
    if (item.is_string())
      texts.push_back(item);
    else if (item.is_number_integer())
      texts.push_back(item.dump());
    else
      return std::nullopt;
  }
  return texts;
}

/// The value in the parameter's own type, or nothing when it does not fit.
std::optional<Json> convert(const Parameter& p, const Json& given) {
  switch (p.type) {
    case ParameterType::kBoolean:
      return given.is_boolean() ? std::optional(given) : std::nullopt;
    case ParameterType::kInteger:
      if (!given.is_number_integer() || !in_range(p, given.get<double>())) return std::nullopt;
      return given;
    case ParameterType::kReal:
      if (!given.is_number() || !in_range(p, given.get<double>())) return std::nullopt;
      return Json(given.get<double>());
    case ParameterType::kText:
      return given.is_string() ? std::optional(given) : std::nullopt;
    case ParameterType::kChoice: {
      if (!given.is_string()) return std::nullopt;
      const auto known = std::find(p.choices.begin(), p.choices.end(), given.get<std::string>());
      return known == p.choices.end() ? std::nullopt : std::optional(given);
    }
    case ParameterType::kTexts:
      return as_texts(given);
  }
  return std::nullopt;
}

std::string fix_for(const Parameter& p, const Json& given) {
  if (p.type == ParameterType::kChoice && given.is_string())
    return suggest(given.get<std::string>(), p.choices);
  return "allowed: " + type_description(p);
}

}  // namespace

std::string type_description(const Parameter& p) {
  switch (p.type) {
    case ParameterType::kBoolean:
      return "true or false";
    case ParameterType::kInteger:
      return "integer " + range_description(p);
    case ParameterType::kReal:
      return "real " + range_description(p);
    case ParameterType::kText:
      return "text";
    case ParameterType::kChoice:
      return "one of " + join(p.choices, ", ");
    case ParameterType::kTexts:
      return "list of names";
  }
  return "";
}

Settings validate(const Schema& schema, const Json& given, const Locate& locate,
                  std::vector<Problem>& problems) {
  std::vector<std::string> known;
  for (const Parameter& p : schema.parameters) known.push_back(p.key);
  for (const auto& [key, value] : given.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    problems.push_back({locate(key),
                        fmt::format("{} \"{}\" has no parameter \"{}\"", schema.role, schema.name, key),
                        known.empty() ? "it takes none" : suggest(key, known)});
  }
  Json values = Json::object();
  for (const Parameter& p : schema.parameters) {
    if (given.contains(p.key)) {
      const Json& value = given.at(p.key);
      if (auto converted = convert(p, value))
        values[p.key] = std::move(*converted);
      else
        problems.push_back(
            {locate(p.key),
             fmt::format("{} is not valid", value.dump(-1, ' ', false, Json::error_handler_t::replace)),
             fix_for(p, value)});
    } else if (p.fallback) {
      values[p.key] = *p.fallback;
    } else if (!p.optional) {
      problems.push_back({locate(p.key),
                          fmt::format("{} \"{}\" needs \"{}\"", schema.role, schema.name, p.key),
                          fmt::format("set it ({}): {}", type_description(p), p.help)});
    }
  }
  return Settings(std::move(values));
}

Settings valid_settings(const Schema& schema, const Json& given, std::string_view prefix) {
  std::vector<Problem> problems;
  Settings settings = validate(
      schema, given, [prefix](std::string_view key) { return fmt::format("{}{}", prefix, key); }, problems);
  if (!problems.empty()) throw PlanError(std::move(problems));
  return settings;
}

Json describe(const Schema& schema) {
  Json parameters = Json::array();
  for (const Parameter& p : schema.parameters) {
    Json one = {{"key", p.key}, {"type", type_description(p)}, {"help", p.help}};
    if (!p.unit.empty()) one["unit"] = p.unit;
    one["default"] = p.fallback ? *p.fallback : Json(nullptr);
    one["required"] = !p.fallback && !p.optional;
    parameters.push_back(std::move(one));
  }
  return {{"role", schema.role},
          {"name", schema.name},
          {"summary", schema.summary},
          {"reference", schema.reference},
          {"parameters", std::move(parameters)}};
}

}  // namespace earshot
