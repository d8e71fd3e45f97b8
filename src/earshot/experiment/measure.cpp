#include "earshot/experiment/measure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

struct Form {
  std::string name;
  MeasureKind kind;
  std::size_t columns;
  bool threshold;
  const char* usage;
};

constexpr std::string_view kMinus = " - ";

const std::array<Form, 10>& forms() {
  static const std::array<Form, 10> all{{
      {"mean", MeasureKind::kMean, 1, false, "mean(column)"},
      {"std", MeasureKind::kStd, 1, false, "std(column)"},
      {"median", MeasureKind::kMedian, 1, false, "median(column)"},
      {"min", MeasureKind::kMin, 1, false, "min(column)"},
      {"max", MeasureKind::kMax, 1, false, "max(column)"},
      {"z", MeasureKind::kZ, 1, false, "z(column)"},
      {"count", MeasureKind::kCount, 0, false, "count()"},
      {"spearman", MeasureKind::kSpearman, 2, false, "spearman(column, column)"},
      {"share_above", MeasureKind::kShareAbove, 1, true, "share_above(column, number)"},
      {"share_mean_above", MeasureKind::kShareMeanAbove, 2, true,
       "share_mean_above(column, grouping column, number)"},
  }};
  return all;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool is_name(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  if (trim(text).empty()) return arguments;
  for (;;) {
    const std::size_t comma = text.find(',');
    arguments.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return arguments;
    text.remove_prefix(comma + 1);
  }
}

/// The term in its canonical spelling.
std::string parse_term(std::string_view text, const Form& form) {
  const std::size_t minus = text.find(kMinus);
  const std::string_view first = trim(text.substr(0, minus));
  const std::string_view second =
      minus == std::string_view::npos ? first : trim(text.substr(minus + kMinus.size()));
  for (const std::string_view name : {first, second}) {
    if (is_name(name)) continue;
    fail(Fault::kConfig, fmt::format("\"{}\" is not a column name; write {}, a column being a name or a "
                                     "difference such as accuracy - random",
                                     name, form.usage));
  }
  if (minus == std::string_view::npos) return std::string(first);
  return fmt::format("{}{}{}", first, kMinus, second);
}

const Form& form_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Form& form : forms()) {
    if (form.name == name) return form;
    names.push_back(form.name);
  }
  fail(Fault::kConfig, fmt::format("there is no measure \"{}\"; {}", name, suggest(name, names)));
}

double parse_threshold(std::string_view text, const Form& form) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    fail(Fault::kConfig, fmt::format("\"{}\" is not a number; write {}", text, form.usage));
  return value;
}

}  // namespace

Measure parse_measure(std::string_view text) {
  const std::string_view whole = trim(text);
  const std::size_t open = whole.find('(');
  if (open == std::string_view::npos || whole.back() != ')')
    fail(Fault::kConfig, fmt::format("\"{}\" is not a measure; write it as in mean(psnr)", text));
  const Form& form = form_named(trim(whole.substr(0, open)));
  const auto arguments = split_arguments(whole.substr(open + 1, whole.size() - open - 2));
  if (arguments.size() != form.columns + (form.threshold ? 1 : 0))
    fail(Fault::kConfig,
         fmt::format("\"{}\" has {} arguments; write {}", text, arguments.size(), form.usage));
  Measure measure;
  measure.kind = form.kind;
  for (std::size_t i = 0; i < form.columns; ++i) measure.terms.push_back(parse_term(arguments[i], form));
  if (form.threshold) measure.threshold = parse_threshold(arguments.back(), form);
  return measure;
}

std::vector<std::string> columns_of(std::string_view term) {
  const std::size_t minus = term.find(kMinus);
  if (minus == std::string_view::npos) return {std::string(term)};
  return {std::string(term.substr(0, minus)), std::string(term.substr(minus + kMinus.size()))};
}

std::vector<std::string> columns_of(const Measure& measure) {
  std::vector<std::string> all;
  for (const std::string& term : measure.terms)
    for (const std::string& column : columns_of(term)) all.push_back(column);
  return all;
}

std::string to_text(const Measure& measure) {
  const auto form = std::ranges::find(forms(), measure.kind, &Form::kind);
  std::vector<std::string> arguments = measure.terms;
  if (form->threshold) arguments.push_back(fmt::format("{}", measure.threshold));
  return fmt::format("{}({})", form->name, join(arguments, ", "));
}

}  // namespace earshot
