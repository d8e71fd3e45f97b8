#include "earshot/data/formats/plain_text.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLongestQuote = 64;
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

/// The number that the whole text is, if it is one.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (code != std::errc() || end != last) return std::nullopt;
  return value;
}

/// std::from_chars takes no plus sign, files have it.
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return plus ? text.substr(1) : text;
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string in_quotes(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  return Json(text.substr(0, kLongestQuote)).dump(-1, ' ', false, Json::error_handler_t::replace) +
         (cut ? "..." : "");
}

std::string_view check_text(std::string_view text, const std::string& origin) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos)
    fail(Fault::kData, fmt::format("{}:{}: holds a zero byte: not a text file (UTF-8 is expected)", origin,
                                   1 + lines_in(text.substr(0, at))));
  return text;
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::optional<double> parse_finite(std::string_view text) {
  const auto value = parse_whole<double>(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> parse_integer(std::string_view text) {
  const auto value = parse_whole<std::int64_t>(without_plus(text));
  if (!value || *value > kLargestExact || *value < -kLargestExact) return std::nullopt;
  return static_cast<double>(*value);
}

std::optional<double> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  if (!is_digits(text.substr(0, 4)) || !is_digits(text.substr(5, 2)) || !is_digits(text.substr(8)))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*parse_whole<int>(text.substr(0, 4))),
                                         std::chrono::month(*parse_whole<unsigned>(text.substr(5, 2))),
                                         std::chrono::day(*parse_whole<unsigned>(text.substr(8)))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

}  // namespace earshot
