#include "topology_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace earshot::cli {
namespace {

constexpr std::size_t kMostAttackerLines = 60;
constexpr std::size_t kMostRelations = 5;

std::string name_of(const Json& id) {
  return id.is_string() ? id.get<std::string>() : id.dump();
}

std::string names(const Json& ids, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string next = (i == 0 ? "" : ", ") + name_of(ids[i]);
    if (text.size() + next.size() > width) return text + fmt::format(", … ({} in all)", ids.size());
    text += next;
  }
  return text.empty() ? "nobody" : text;
}

std::string facts(const Json& d) {
  const auto text = [](const Json& value) { return value.is_null() ? std::string("none") : value.dump(); };
  std::string out =
      fmt::format("{}: {} nodes, {} edges, diameter {}, largest degree {}\n", d["graph"].get<std::string>(),
                  d["nodes"].dump(), d["edges"].dump(), text(d["diameter"]), d["max_degree"].dump());
  out += fmt::format("weights {}: spectral gap {:.4g}, {}, consensus to 0.1 % after {} rounds\n",
                     d["weights"].get<std::string>(), d["spectral_gap"].get<double>(),
                     d["weights_check"]["doubly_stochastic"].get<bool>()
                         ? "doubly stochastic"
                         : "NOT doubly stochastic: the limit is not the mean",
                     text(d["mixing_time"]));
  return out;
}

std::string attacker_line(const Json& entry, std::size_t nodes, const TerminalStyle& style) {
  std::size_t last = 0;
  for (const Json& round : entry["first_round"]) last = std::max(last, round.get<std::size_t>());
  const std::size_t found = entry["reconstructible"].size();
  const std::string share = fmt::format("{:>4}/{}", found, nodes);
  const bool most = 2 * found > nodes;
  const std::string shown =
      style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", most ? "31" : "32", share) : share;
  const std::size_t room = style.width > 62 ? style.width - 52 : 20;
  return fmt::format("{:<16} {:>9} {:>11} {:>9}   {}\n", names(entry["attackers"], 14), shown,
                     fmt::format("{}/{}", entry["recoverable"].size(), nodes), last,
                     names(entry["reconstructible"], room));
}

std::string curve(const Json& points) {
  std::string out = "\nShare reconstructible by rounds overheard (mean, largest):\n";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool dense = i < 12 || i + 1 == points.size() || (i + 1) % 10 == 0;
    if (!dense || shown > 30) continue;
    ++shown;
    const double mean = points[i]["mean_share"].get<double>();
    const auto bar = static_cast<std::size_t>(std::lround(40 * mean));
    out += fmt::format("  T = {:>4}  {:5.1f} %  {:5.1f} %  {}\n", points[i]["rounds"].dump(), 100 * mean,
                       100 * points[i]["max_share"].get<double>(), std::string(bar, '#'));
  }
  return out;
}

/// "x[3] + x[4]": what is known of values that stay hidden.
std::string relation_text(const Json& relation) {
  std::string form;
  for (std::size_t i = 0; i < relation["nodes"].size(); ++i) {
    std::string c = relation["coefficients"].empty() ? "c" : relation["coefficients"][i].get<std::string>();
    const bool negative = c.starts_with('-');
    if (negative) c.erase(0, 1);
    form += i == 0 ? (negative ? "-" : "") : (negative ? " - " : " + ");
    form += (c == "1" ? "" : c + "·") + "x[" + name_of(relation["nodes"][i]) + "]";
  }
  return form;
}

std::string relations(const Json& exposure) {
  std::string out;
  std::size_t count = 0;
  for (const Json& entry : exposure) {
    for (const Json& relation : entry["relations"]) {
      if (++count > kMostRelations) continue;
      out += fmt::format("  {} know {}\n", names(entry["attackers"], 40), relation_text(relation));
    }
  }
  if (count > kMostRelations) out += fmt::format("  … {} in all, see --json\n", count);
  return out.empty() ? out : "\nHidden nodes, known combinations:\n" + out;
}

}  // namespace

std::string topology_text(const Json& d, const TerminalStyle& style) {
  std::string out = facts(d);
  const Json& exposure = d["exposure"];
  if (exposure.empty()) return out;
  const auto nodes = d["nodes"].get<std::size_t>();
  out +=
      fmt::format("\nWho can reconstruct whom from {} rounds (the attackers and their neighbours count):\n",
                  d["rounds"].dump());
  out += fmt::format("{:<16} {:>9} {:>11} {:>9}   {}\n", "attackers", "exactly", "in float64", "by round",
                     "whom");
  for (std::size_t i = 0; i < exposure.size() && i < kMostAttackerLines; ++i)
    out += attacker_line(exposure[i], nodes, style);
  if (exposure.size() > kMostAttackerLines)
    out += fmt::format("… {} attackers in all, see --json\n", exposure.size());
  if (!d["exposure_by_round"].empty()) out += curve(d["exposure_by_round"]);
  return out + relations(exposure);
}

}  // namespace earshot::cli
