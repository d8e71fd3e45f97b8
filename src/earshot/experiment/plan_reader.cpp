// parse_plan: the sections and the sweep become cells; every problem is collected before anything is thrown.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/experiment/document.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/experiment/plan_outputs.hpp"
#include "earshot/experiment/sweep.hpp"

namespace earshot {
namespace {

Schema header_schema(const std::string& origin) {
  constexpr auto kLargestSeed = std::numeric_limits<std::int64_t>::max();
  return {"experiment file",
          origin,
          "",
          "",
          {text_parameter("name", std::nullopt, "lower-case letters, digits, - and _"),
           text_parameter("title", std::nullopt, "one line for people"),
           text_parameter("reference", "", "the paper this comes from"),
           integer_parameter("seed", 1, 0, kLargestSeed, "names all randomness of the run"),
           integer_parameter("trials", 1, 1, kMostTrials, "repetitions of every cell")}};
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

class PlanReader {
 public:
  PlanReader(Document& document, const Catalogue& catalogue, std::size_t most_cells,
             std::vector<Problem>& problems)
      : document_(document), catalogue_(catalogue), most_cells_(most_cells), problems_(problems) {}

  Plan read() {
    check_top_level();
    read_header();
    check_sections();
    axes_ = read_axes(document_, problems_);
    read_cells();
    plan_.curves = read_curves(document_, catalogue_, plan_.cells, problems_);
    plan_.expectations = read_expectations(document_, catalogue_, plan_.cells, problems_);
    if (problems_.empty()) resolve();
    return std::move(plan_);
  }

 private:
  void complain(const std::string& path, const std::string& why, const std::string& fix) {
    problems_.push_back({document_.locate(path), why, fix});
  }

  void check_top_level() {
    std::vector<std::string> known{"name", "title", "reference", "seed", "trials"};
    known.insert(known.end(), section_roles().begin(), section_roles().end());
    known.insert(known.end(), {"sweep", "curve", "expect"});
    for (const auto& [key, value] : document_.root.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      const std::string what = value.is_object() ? "section" : "key";
      complain(key, fmt::format("an experiment has no {} \"{}\"", what, key), suggest(key, known));
    }
  }

  void read_header() {
    const Schema schema = header_schema(document_.origin());
    Json given = Json::object();
    for (const Parameter& p : schema.parameters) {
      if (document_.root.contains(p.key)) given[p.key] = document_.root[p.key];
    }
    const std::size_t before = problems_.size();
    const Settings header = validate(schema, given, locate_in(""), problems_);
    if (problems_.size() != before) return;
    plan_.origin = document_.origin();
    plan_.name = header.text("name");
    plan_.title = header.text("title");
    plan_.reference = header.text("reference");
    plan_.seed = static_cast<std::uint64_t>(header.integer("seed"));
    plan_.trials = header.size("trials");
    if (!is_plain_name(plan_.name))
      complain("name", fmt::format("\"{}\" cannot be a name", plan_.name),
               "use up to 100 lower-case letters, digits, - and _");
    check_one_line(document_, "title", plan_.title, problems_);
    check_one_line(document_, "reference", plan_.reference, problems_);
  }

  Locate locate_in(const std::string& section) const {
    return [this, section](std::string_view key) {
      return document_.locate(section.empty() ? std::string(key) : fmt::format("{}.{}", section, key));
    };
  }

  void check_sections() {
    for (const std::string& role : section_roles()) {
      if (!document_.root.contains(role)) continue;
      if (!document_.root[role].is_object()) {
        complain(role, "this is not a section", fmt::format("write [{0}] and kind = ..., or {0}.kind", role));
        document_.root.erase(role);
      }
    }
  }

  void read_cells() {
    const auto count = grid_size(axes_, most_cells_);
    if (!count)
      return complain("sweep", fmt::format("the sweep has more than {} cells", most_cells_),
                      "shorten an axis");
    std::vector<SweptRole> roles;
    for (const std::string& role : section_roles()) roles.push_back(swept_role(role));
    plan_.cells.reserve(*count);
    for (std::size_t i = 0; i < *count; ++i) plan_.cells.push_back(make_cell(i, roles));
  }

  /// A role and the axes that bind keys of it. Its section depends on those axes alone, so cells share what
  /// is made for one position on them: a large sweep validates each distinct section once.
  struct SweptRole {
    std::string role;
    std::vector<std::size_t> axes;
    std::vector<std::shared_ptr<const Choice>> made;
  };

  SweptRole swept_role(const std::string& role) const {
    SweptRole swept{role, {}, {}};
    std::size_t positions = 1;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const auto keys = bound_keys({&axes_[a], 1});
      if (std::ranges::none_of(keys, [&](const std::string& key) { return role_of(key) == role; })) continue;
      swept.axes.push_back(a);
      positions *= axes_[a].points.size();
    }
    swept.made.resize(positions);
    return swept;
  }

  Cell make_cell(std::size_t index, std::vector<SweptRole>& roles) {
    Cell cell;
    cell.index = index;
    const std::vector<std::size_t> position = grid_position(axes_, index);
    for (SweptRole& swept : roles) {
      std::size_t slot = 0;
      for (const std::size_t a : swept.axes) slot = slot * axes_[a].points.size() + position[a];
      auto& choice = swept.made[slot];
      if (!choice) choice = make_choice(swept, position);
      if (choice) cell.choices[swept.role] = choice;
    }
    if (cell.find("protocol") != nullptr && cell.find("mechanism") == nullptr)
      complain_once("protocol", "a protocol needs its privacy mechanism stated",
                    "add [mechanism] with kind = \"none\" to run without privacy");
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      for (const auto& [name, value] : axes_[a].points[position[a]].items())
        cell.settings[name] = cell.setting(name);
    }
    return cell;
  }

  /// Null when neither the file nor these axes have anything to say about the role.
  std::shared_ptr<const Choice> make_choice(const SweptRole& swept,
                                            const std::vector<std::size_t>& position) {
    Json section = document_.root.contains(swept.role) ? document_.root[swept.role] : Json(nullptr);
    for (const std::size_t a : swept.axes) {
      for (const auto& [name, value] : axes_[a].points[position[a]].items()) {
        if (role_of(name) == swept.role) section[name.substr(swept.role.size() + 1)] = value;
      }
    }
    if (section.is_null()) return nullptr;
    return std::make_shared<const Choice>(validate_section(swept.role, std::move(section)));
  }

  Choice validate_section(const std::string& role, Json section) {
    const auto names = catalogue_.names(role);
    const Json kind = section.contains("kind") ? section["kind"] : Json(nullptr);
    section.erase("kind");
    if (!kind.is_string()) {
      complain_once(role + ".kind", fmt::format("section [{}] does not say which {} it means", role, role),
                    "set kind; allowed: " + join(names, ", "));
      return {};
    }
    Choice choice{kind.get<std::string>(), {}};
    const Schema* schema = catalogue_.find(role, choice.kind);
    if (schema == nullptr) {
      complain_once(role + ".kind", fmt::format("there is no {} \"{}\"", role, choice.kind),
                    suggest(choice.kind, names));
      return choice;
    }
    std::vector<Problem> found;
    choice.settings = validate(*schema, section, locate_in(role), found);
    for (Problem& problem : found) add_once(std::move(problem));
    return choice;
  }

  void complain_once(const std::string& path, const std::string& why, const std::string& fix) {
    add_once({document_.locate(path), why, fix});
  }

  void add_once(Problem problem) {
    if (reported_.insert(to_line(problem)).second) problems_.push_back(std::move(problem));
  }

  void resolve() {
    Json& resolved = plan_.resolved;
    resolved = {{"name", plan_.name},
                {"title", plan_.title},
                {"reference", plan_.reference},
                {"seed", plan_.seed},
                {"trials", plan_.trials}};
    for (const std::string& role : section_roles()) {
      Json section = common_settings(role);
      if (!section.empty()) resolved[role] = std::move(section);
    }
    for (const Axis& axis : axes_) {
      Json points = Json::array();
      for (const Json& point : axis.points)
        points.push_back(point.contains(axis.name) ? point[axis.name] : point);
      resolved["sweep"][axis.name] = std::move(points);
    }
    for (const Curve& curve : plan_.curves) resolved["curve"].push_back(to_json(curve));
    for (const Expectation& expectation : plan_.expectations)
      resolved["expect"].push_back(to_json(expectation));
  }

  /// The role's settings that are the same in every cell; the others are told by the sweep.
  Json common_settings(const std::string& role) const {
    Json common;
    const Choice* last = nullptr;
    for (const Cell& cell : plan_.cells) {
      const Choice* choice = cell.find(role);
      if (choice == nullptr) return Json::object();
      if (choice == last) continue;
      last = choice;
      Json here{{"kind", choice->kind}};
      here.update(choice->settings.values());
      if (common.is_null()) {
        common = std::move(here);
        continue;
      }
      Json kept = Json::object();
      for (const auto& [key, value] : common.items()) {
        if (here.contains(key) && here[key] == value) kept[key] = value;
      }
      common = std::move(kept);
    }
    return common;
  }

  Document& document_;
  const Catalogue& catalogue_;
  std::size_t most_cells_;
  std::vector<Problem>& problems_;
  Plan plan_;
  std::vector<Axis> axes_;
  std::set<std::string> reported_;
};

/// A refused value also fails validation as a null; the first message says it better.
void drop_echoes(std::vector<Problem>& problems, std::size_t refusals) {
  std::set<std::string> refused;
  for (std::size_t i = 0; i < refusals; ++i) refused.insert(problems[i].where);
  const auto begin = problems.begin() + static_cast<std::ptrdiff_t>(refusals);
  problems.erase(
      std::remove_if(begin, problems.end(), [&](const Problem& p) { return refused.contains(p.where); }),
      problems.end());
}

}  // namespace

Plan parse_plan(std::string_view toml_text, const std::string& origin, const Catalogue& catalogue,
                const std::vector<Override>& overrides, std::size_t most_cells) {
  if (toml_text.size() > kLongestPlan)
    throw PlanError({{origin, fmt::format("an experiment file has at most {} bytes", kLongestPlan), ""}});
  std::vector<Problem> problems;
  auto document = std::make_shared<Document>(toml_text, origin, problems);
  const std::size_t refusals = problems.size();
  for (const Override& change : overrides) document->apply(change, problems);
  Plan plan = PlanReader(*document, catalogue, most_cells, problems).read();
  drop_echoes(problems, refusals);
  if (!problems.empty()) throw PlanError(std::move(problems));
  plan.locate = [document](std::string_view path) { return document->locate(path); };
  return plan;
}

}  // namespace earshot
