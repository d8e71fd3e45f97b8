#include "earshot/report/markdown.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "earshot/report/facts.hpp"
#include "earshot/report/results.hpp"
#include "earshot/report/table.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

constexpr std::size_t kPointsShown = 30;
constexpr std::size_t kSeriesShown = 8;

/// Text in which no character is markdown or HTML.
std::string escaped(const std::string& text) {
  constexpr std::string_view kMarkup = "\\`*_[]|#";
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (kMarkup.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string row(const std::vector<std::string>& values) {
  std::string line = "|";
  for (const std::string& value : values) line += fmt::format(" {} |", value);
  return line + '\n';
}

/// A fence longer than any run of backticks inside, so that no command can leave its block.
std::string code_block(const std::string& text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}text\n{}\n{}\n", fence, text, fence);
}

std::string duration(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60.0), std::fmod(seconds, 60.0));
}

std::string expectations_table(const std::vector<ExpectationFacts>& expectations) {
  std::string out = row({"what", "published", "measured", "verdict", "note"}) + "|---|---:|---:|---|---|\n";
  for (const ExpectationFacts& e : expectations) {
    const std::string what = subject_text(e);
    out += row({escaped(e.source.empty() ? what : fmt::format("{} ({})", what, e.source)), expected_text(e),
                measured_text(e), verdict_text(e) == "missed" ? "**missed**" : verdict_text(e),
                escaped(e.note)});
  }
  return out;
}

/// Every distinct x, numbers ascending, anything else in order of first appearance; series need not share
/// their points.
std::vector<std::string> abscissae(const CurveFacts& curve) {
  std::vector<Json> xs;
  for (const CurveSeries& series : curve.series)
    for (const CurvePoint& point : series.points)
      if (std::ranges::find(xs, point.x) == xs.end()) xs.push_back(point.x);
  if (std::ranges::all_of(xs, [](const Json& x) { return x.is_number(); }))
    std::ranges::stable_sort(xs, {}, [](const Json& x) { return x.get<double>(); });
  std::vector<std::string> texts;
  for (const Json& x : xs)
    if (std::string text = plain_text(x); std::ranges::find(texts, text) == texts.end())
      texts.push_back(std::move(text));
  return texts;
}

/// A deviation no larger than the rounding of equal values is none.
std::string spread_text(const CurvePoint& point) {
  if (!point.std) return "";
  const bool rounding = point.mean && *point.std < 1e-12 * std::abs(*point.mean);
  return " ± " + number_text(rounding ? 0.0 : *point.std, 2);
}

std::string value_at(const CurveSeries& series, const std::string& x) {
  for (const CurvePoint& point : series.points)
    if (plain_text(point.x) == x) return number_text(point.mean, 3) + spread_text(point);
  return "–";
}

/// Which rows of a table of so many are printed. Of a long curve the 1st, 2nd, 3rd, 5th, 7th, 10th, 20th, ...
/// and the last: most of what a training does, it does at its beginning.
std::vector<std::size_t> rows_shown(std::size_t count) {
  std::vector<std::size_t> rows;
  if (count <= kPointsShown) {
    for (std::size_t i = 0; i < count; ++i) rows.push_back(i);
    return rows;
  }
  for (std::size_t power = 1; power <= count; power *= 10) {
    for (const std::size_t digit : {1, 2, 3, 5, 7})
      if (digit * power < count) rows.push_back(digit * power - 1);
  }
  rows.push_back(count - 1);
  return rows;
}

/// Computed numbers have digits nobody wants to read.
std::string abscissa_text(const std::string& x) {
  constexpr std::size_t kLong = 10;
  double number = 0;
  const auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), number);
  const bool long_number = x.size() > kLong && error == std::errc() && end == x.data() + x.size();
  return long_number ? number_text(number, 6) : escaped(x);
}

std::string curve_table(const CurveFacts& curve) {
  const std::size_t shown = std::min(curve.series.size(), kSeriesShown);
  std::string out = fmt::format("\n## {}\n\n", escaped(curve.title.empty() ? "Curve" : curve.title));
  if (shown == 0) return out + "No points.\n";
  std::vector<std::string> titles = {escaped(curve.x)};
  for (std::size_t s = 0; s < shown; ++s)
    titles.push_back(escaped(curve.series[s].name.empty() ? curve.series[s].y : curve.series[s].name));
  out += row(titles) + "|---:|";
  for (std::size_t s = 0; s < shown; ++s) out += "---:|";
  out += "\n";
  const std::vector<std::string> xs = abscissae(curve);
  const std::vector<std::size_t> rows = rows_shown(xs.size());
  for (const std::size_t i : rows) {
    std::vector<std::string> values = {abscissa_text(xs[i])};
    for (std::size_t s = 0; s < shown; ++s) values.push_back(value_at(curve.series[s], xs[i]));
    out += row(values);
  }
  if (rows.size() < xs.size()) out += fmt::format("\n{} of {} points.\n", rows.size(), xs.size());
  if (curve.series.size() > shown)
    out += fmt::format("\n{} more series in the report.\n", curve.series.size() - shown);
  return out;
}

std::string facts_line(const Results& results, const ReproductionFacts& facts) {
  std::vector<std::string> parts;
  if (!results.seed.empty()) parts.push_back(fmt::format("seed {}", results.seed));
  if (!results.trials.empty())
    parts.push_back(results.trials + (results.trials == "1" ? " trial" : " trials"));
  parts.push_back(duration(facts.seconds));
  if (!results.version.empty()) parts.push_back(fmt::format("earshot {}", results.version));
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : ", ") + escaped(part);
  return line + ".\n";
}

}  // namespace

std::string render_markdown(const Json& document, const ReproductionFacts& facts) {
  const Results results = read_results(document);
  std::vector<CellFacts> cells;
  for (const CellResults& cell : results.cells) cells.push_back(cell_facts(cell));
  const std::string title = !results.title.empty() ? results.title : results.name;
  std::string out = fmt::format("# {}\n\n", escaped(title.empty() ? "Untitled run" : title));
  if (!results.reference.empty()) out += escaped(results.reference) + "\n\n";
  out += code_block(printable(facts.command.empty() ? results.command : facts.command));
  out += fmt::format("\n{}\n{}\n\n", facts_line(results, facts), escaped(headline_text(results, cells)));
  out += results.expectations.empty() ? "No published values are recorded for this experiment.\n"
                                      : expectations_table(results.expectations);
  for (const CurveFacts& curve : results.curves) out += curve_table(curve);
  return out;
}

}  // namespace earshot
