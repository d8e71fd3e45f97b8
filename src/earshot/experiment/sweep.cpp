#include "earshot/experiment/sweep.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/experiment/component_catalogue.hpp"

namespace earshot {

namespace {

class AxisReader {
 public:
  AxisReader(Document& document, std::vector<Problem>& problems) : document_(document), problems_(problems) {}

  std::vector<Axis> read() {
    const auto sweep = document_.root.find("sweep");
    if (sweep == document_.root.end()) return {};
    if (!sweep->is_object()) {
      complain("sweep", "the sweep is not a section", "write [sweep] and one axis per line");
      return {};
    }
    for (const auto& [name, values] : sweep->items()) read_axis(name, values);
    return std::move(axes_);
  }

 private:
  void complain(const std::string& path, const std::string& why, const std::string& fix) {
    problems_.push_back({document_.locate(path), why, fix});
  }

  void read_axis(const std::string& name, const Json& values) {
    const std::string path = "sweep." + name;
    if (document_.refused(path)) return;
    if (values.is_object()) {
      complain(path, "an axis is a list, not a table",
               fmt::format("quote a dotted key, as in \"{}.nodes\" = [10, 20]", name));
    } else if (!values.is_array() || values.empty()) {
      complain(path, "an axis needs a list of at least one value", "as in \"graph.nodes\" = [10, 20]");
    } else if (std::ranges::all_of(values, [](const Json& v) { return v.is_object(); })) {
      read_tables(name, values);
    } else if (std::ranges::any_of(values, [](const Json& v) { return v.is_object(); })) {
      complain(path, "an axis mixes tables with plain values", "use one or the other");
    } else {
      read_values(name, values);
    }
  }

  void read_values(const std::string& name, const Json& values) {
    if (!check_key("sweep." + name, name)) return;
    Axis axis{name, {}};
    for (const Json& value : values) axis.points.push_back({{name, value}});
    finish(std::move(axis));
  }

  void read_tables(const std::string& name, const Json& tables) {
    Axis axis{name, {}};
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string path = fmt::format("sweep.{}[{}]", name, i);
      if (tables[i].empty()) complain(path, "this point of the axis sets nothing", "name at least one key");
      bool valid = true;
      for (const auto& [key, value] : tables[i].items()) valid = check_key(path + "." + key, key) && valid;
      if (valid) axis.points.push_back(tables[i]);
    }
    if (axis.points.size() == tables.size()) finish(std::move(axis));
  }

  bool check_key(const std::string& path, const std::string& key) {
    if (!role_of(key).empty()) return true;
    complain(path, fmt::format("\"{}\" is not the key of a section, so it cannot be swept", key),
             "write it as in \"graph.nodes\"; " + suggest(key.substr(0, key.find('.')), section_roles()));
    return false;
  }

  void finish(Axis axis) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < axis.points.size(); ++i) {
      if (seen.insert(axis.points[i].dump()).second) continue;
      complain("sweep." + axis.name, fmt::format("point {} of the axis repeats an earlier one", i + 1),
               "remove it");
    }
    for (const std::string& key : bound_keys({&axis, 1})) {
      for (const Axis& other : axes_) {
        const auto taken = bound_keys({&other, 1});
        if (std::ranges::find(taken, key) != taken.end())
          complain("sweep." + axis.name, fmt::format("axis \"{}\" sets \"{}\" already", other.name, key),
                   "let one axis set it");
      }
      document_.place_like(key, "sweep." + axis.name);
      const std::string role(role_of(key));
      if (!document_.root.contains(role)) document_.place_like(role, "sweep." + axis.name);
    }
    axes_.push_back(std::move(axis));
  }

  Document& document_;
  std::vector<Problem>& problems_;
  std::vector<Axis> axes_;
};

}  // namespace

std::vector<Axis> read_axes(Document& document, std::vector<Problem>& problems) {
  return AxisReader(document, problems).read();
}

std::optional<std::size_t> grid_size(const std::vector<Axis>& axes, std::size_t most) {
  std::size_t size = 1;
  for (const Axis& axis : axes) {
    if (axis.points.size() > most / size) return std::nullopt;
    size *= axis.points.size();
  }
  return size;
}

std::vector<std::size_t> grid_position(const std::vector<Axis>& axes, std::size_t index) {
  std::vector<std::size_t> position(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    position[a] = index % axes[a].points.size();
    index /= axes[a].points.size();
  }
  return position;
}

std::vector<std::string> bound_keys(std::span<const Axis> axes) {
  std::vector<std::string> keys;
  for (const Axis& axis : axes) {
    for (const Json& point : axis.points) {
      for (const auto& [key, value] : point.items()) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      }
    }
  }
  return keys;
}

}  // namespace earshot
