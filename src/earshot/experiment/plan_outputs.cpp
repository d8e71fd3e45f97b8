#include "earshot/experiment/plan_outputs.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "earshot/core/text.hpp"

namespace earshot {
namespace {

Parameter number(std::string key, double minimum, std::string help) {
  return optional(real_parameter(std::move(key), std::nullopt, minimum,
                                 std::numeric_limits<double>::infinity(), std::move(help)));
}

const Schema& curve_schema() {
  static const Schema schema{
      "section",
      "curve",
      "",
      "",
      {text_parameter("title", std::nullopt, "heading of the drawing"),
       text_parameter("table", std::nullopt, "the table whose rows are drawn"),
       text_parameter("x", std::nullopt, "a column or a setting such as graph.nodes"),
       texts_parameter("y", std::nullopt, "the columns to average"),
       optional(text_parameter("split", std::nullopt, "a column or setting; one series per value"))}};
  return schema;
}

const Schema& expectation_schema() {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  static const Schema schema{
      "section",
      "expect",
      "",
      "",
      {text_parameter("source", std::nullopt, "where the value is printed"),
       text_parameter("what", std::nullopt, "what is compared"),
       text_parameter("table", std::nullopt, "the table whose rows are measured"),
       text_parameter("measure", std::nullopt, "as in mean(psnr)"),
       number("published", kAny, "the printed value"),
       number("tolerance", 0, "largest allowed distance from the printed value"),
       number("at_least", kAny, "smallest allowed value"), number("at_most", kAny, "largest allowed value"),
       text_parameter("note", "", "why a deviation is expected")}};
  return schema;
}

class OutputReader {
 public:
  OutputReader(const Document& document, const Catalogue& catalogue, std::vector<Problem>& problems)
      : document_(document), catalogue_(catalogue), problems_(problems) {}

  /// Which rows a curve or an expectation speaks of.
  struct Conditions {
    Json where = Json::object();
    Json than{};  // null when not given
  };
  using Use = std::function<void(const std::string& path, const Settings& plain, const Conditions& rows)>;

  /// Calls `use` for the entries of [[name]] whose plain keys are all right.
  void each(const std::string& name, const Schema& schema, const Use& use) {
    const auto found = document_.root.find(name);
    if (found == document_.root.end()) return;
    if (!found->is_array()) return complain(name, "this is not a list of tables", "write [[" + name + "]]");
    for (std::size_t i = 0; i < found->size(); ++i) {
      const std::string path = fmt::format("{}[{}]", name, i);
      if (found->at(i).is_object())
        read_entry(path, found->at(i), schema, use);
      else
        complain(name, "this is not a table", "write [[" + name + "]]");
    }
  }

  void complain(const std::string& path, const std::string& why, const std::string& fix) {
    problems_.push_back({document_.locate(path), why, fix});
  }

  /// Columns have no dot in their name; what has one must be the key of some component.
  void check_field(const std::string& path, const std::string& field) {
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos) {
      if (field.empty()) complain(path, "the name of a column is empty", "name a column or a setting");
      return;
    }
    const std::string_view role = role_of(field);
    if (role.empty())
      return complain(path, fmt::format("\"{}\" is not a setting", field),
                      suggest(field.substr(0, dot), section_roles()));
    const auto keys = catalogue_.parameter_keys(role);
    const std::string key = field.substr(dot + 1);
    if (std::ranges::find(keys, key) == keys.end())
      complain(path, fmt::format("no {} has a parameter \"{}\"", role, key), suggest(key, keys));
  }

  /// Some of `cells`, if there are any, must agree with the conditions.
  void check_where(const std::string& path, const Json& where, const std::vector<Cell>& cells) {
    if (!where.is_object())
      return complain(path, "this is not a table of conditions",
                      R"(write it as in { "graph.kind" = "ring" })");
    const std::size_t before = problems_.size();
    for (const auto& [field, value] : where.items()) {
      check_field(path + "." + field, field);
      if (!value.is_string() && !value.is_number() && !value.is_boolean())
        complain(path + "." + field, "a condition compares with one plain value",
                 "give text, a number or true/false");
    }
    const bool sound = problems_.size() == before;
    if (sound && !cells.empty() &&
        std::ranges::none_of(cells, [&](const Cell& cell) { return cell_matches(cell, where); }))
      complain(path, "no cell of the sweep has these settings", "compare with [sweep] and the sections");
  }

 private:
  void read_entry(const std::string& path, Json plain, const Schema& schema, const Use& use) {
    Conditions rows;
    const auto take = [&](const char* key, Json& conditions) {
      if (!plain.contains(key)) return;
      conditions = plain[key];
      plain.erase(key);
    };
    take("where", rows.where);
    if (schema.name == "expect") take("than", rows.than);
    const Locate locate = [&](std::string_view key) {
      return document_.locate(fmt::format("{}.{}", path, key));
    };
    const std::size_t before = problems_.size();
    const Settings settings = validate(schema, plain, locate, problems_);
    for (const auto& [key, value] : settings.values().items()) {
      if (value.is_string()) check_one_line(document_, path + "." + key, value.get<std::string>(), problems_);
    }
    if (problems_.size() == before) use(path, settings, rows);
  }

  const Document& document_;
  const Catalogue& catalogue_;
  std::vector<Problem>& problems_;
};

std::optional<double> number_if_given(const Settings& settings, std::string_view key) {
  return settings.has(key) ? std::optional(settings.real(key)) : std::nullopt;
}

Expectation expectation_from(const Settings& settings, const OutputReader::Conditions& rows) {
  Expectation e;
  e.source = settings.text("source");
  e.what = settings.text("what");
  e.table = settings.text("table");
  e.where = rows.where;
  e.than = rows.than;
  e.published = number_if_given(settings, "published");
  e.tolerance = number_if_given(settings, "tolerance");
  e.at_least = number_if_given(settings, "at_least");
  e.at_most = number_if_given(settings, "at_most");
  e.note = settings.text("note");
  return e;
}

void check_bands(OutputReader& reader, const std::string& path, const Expectation& e) {
  if (!e.published && !e.at_least && !e.at_most)
    reader.complain(path, "nothing is expected", "give published, at_least or at_most");
  if (e.tolerance && !e.published)
    reader.complain(path + ".tolerance", "a tolerance needs a published value",
                    "give published, or at_least and at_most");
  if (e.at_least && e.at_most && *e.at_least > *e.at_most)
    reader.complain(path + ".at_least", "at_least is larger than at_most", "swap them");
}

/// Settings changed on the command line may well leave a curve or an expectation behind; a file on its own
/// may not.
std::vector<Cell> cells_to_match(const Document& document, const std::vector<Cell>& cells) {
  return document.overridden() ? std::vector<Cell>() : cells;
}

}  // namespace

void check_one_line(const Document& document, const std::string& path, const std::string& text,
                    std::vector<Problem>& problems) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    problems.push_back(
        {document.locate(path), "the text has line breaks or control characters", "write it on one line"});
}

bool cell_matches(const Cell& cell, const Json& conditions) {
  for (const auto& [field, value] : conditions.items()) {
    if (!role_of(field).empty() && cell.setting(field) != value) return false;
  }
  return true;
}

std::vector<Curve> read_curves(const Document& document, const Catalogue& catalogue,
                               const std::vector<Cell>& cells, std::vector<Problem>& problems) {
  OutputReader reader(document, catalogue, problems);
  std::vector<Curve> curves;
  reader.each("curve", curve_schema(),
              [&](const std::string& path, const Settings& settings, const OutputReader::Conditions& rows) {
                Curve curve{settings.text("title"),
                            settings.text("table"),
                            settings.text("x"),
                            settings.texts("y"),
                            "",
                            rows.where};
                reader.check_where(path + ".where", curve.where, cells_to_match(document, cells));
                reader.check_field(path + ".x", curve.x);
                if (curve.y.empty())
                  reader.complain(path + ".y", "the list is empty", "name at least one column");
                for (const std::string& column : curve.y) reader.check_field(path + ".y", column);
                if (settings.has("split")) {
                  curve.split = settings.text("split");
                  reader.check_field(path + ".split", curve.split);
                }
                curves.push_back(std::move(curve));
              });
  return curves;
}

std::vector<Expectation> read_expectations(const Document& document, const Catalogue& catalogue,
                                           const std::vector<Cell>& cells, std::vector<Problem>& problems) {
  OutputReader reader(document, catalogue, problems);
  std::vector<Expectation> expectations;
  reader.each("expect", expectation_schema(),
              [&](const std::string& path, const Settings& settings, const OutputReader::Conditions& rows) {
                Expectation e = expectation_from(settings, rows);
                check_bands(reader, path, e);
                try {
                  e.measure = parse_measure(settings.text("measure"));
                } catch (const Error& error) {
                  reader.complain(path + ".measure", error.what(), "");
                }
                for (const std::string& column : columns_of(e.measure))
                  reader.check_field(path + ".measure", column);
                reader.check_where(path + ".where", e.where, cells_to_match(document, cells));
                if (!e.than.is_null())
                  reader.check_where(path + ".than", e.than, cells_to_match(document, cells));
                expectations.push_back(std::move(e));
              });
  return expectations;
}

Json to_json(const Curve& curve) {
  Json json{{"title", curve.title}, {"table", curve.table}, {"x", curve.x}, {"y", curve.y}};
  if (!curve.split.empty()) json["split"] = curve.split;
  if (!curve.where.empty()) json["where"] = curve.where;
  return json;
}

Json to_json(const Expectation& e) {
  Json json{{"source", e.source},
            {"what", e.what},
            {"table", e.table},
            {"measure", to_text(e.measure)},
            {"where", e.where}};
  if (!e.than.is_null()) json["than"] = e.than;
  const auto band = [&](const char* key, const std::optional<double>& value) {
    json[key] = value ? Json(*value) : Json(nullptr);
  };
  band("published", e.published);
  band("tolerance", e.tolerance);
  band("at_least", e.at_least);
  band("at_most", e.at_most);
  json["note"] = e.note;
  return json;
}

}  // namespace earshot
