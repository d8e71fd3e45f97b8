#include "earshot/model/ncnn_weights.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot {
namespace {

constexpr std::uint32_t kHalfPrecision = 0x01306B47;
constexpr std::string_view kMagic = "7767517";
// Far above any network: keeps products of hostile numbers from overflowing.
constexpr std::size_t kLargestExtent = std::size_t{1} << 24;
constexpr std::string_view kBlank = " \t\r";

/// Layers without weights; anything else could have some we would misread.
bool has_no_weights(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"Input",   "Pooling", "Split",   "Concat", "Reshape",
                                         "Flatten", "ReLU",    "Dropout", "Softmax"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(kBlank);
    if (start == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(kBlank, start), line.size());
    words.push_back(line.substr(start, end - start));
    line.remove_prefix(end);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::optional<long> integer(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_line(std::size_t line, std::string_view why) {
  fail(Fault::kData, fmt::format("ncnn .param, line {}: {}", line, why));
}

/// The settings `key=value` of one line.
class Options {
 public:
  Options(std::span<const std::string_view> words, std::size_t line) : line_(line) {
    for (const std::string_view word : words) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) refuse_line(line, "a setting has no \"=\"");
      const auto key = integer(word.substr(0, equals));
      const auto value = integer(word.substr(equals + 1));
      if (!key || !value) refuse_line(line, "a setting of a convolution is not a whole number");
      if (!values_.emplace(*key, *value).second)
        refuse_line(line, fmt::format("setting {} comes twice", *key));
    }
  }

  std::size_t size(long key, std::size_t smallest) {
    const auto found = values_.find(key);
    const long value = found == values_.end() ? 0 : found->second;
    values_.erase(key);
    if (value < 0 || static_cast<std::size_t>(value) < smallest ||
        static_cast<std::size_t>(value) > kLargestExtent)
      refuse_line(line_,
                  fmt::format("setting {} is {}, allowed: {} to {}", key, value, smallest, kLargestExtent));
    return static_cast<std::size_t>(value);
  }
  /// For settings that may only say what is said already.
  void expect(long key, std::size_t value) {
    if (values_.contains(key) && size(key, 0) != value)
      refuse_line(line_,
                  fmt::format("setting {} is not {}: such convolutions are not supported", key, value));
  }
  void expect_no_more() const {
    if (!values_.empty())
      refuse_line(line_, fmt::format("setting {} is not supported", values_.begin()->first));
  }

 private:
  std::size_t line_;
  std::map<long, long> values_;
};

/// Reads numbers in order and notices when they run out.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t u32() {
    const auto b = take(4);
    return static_cast<std::uint32_t>(b[0]) | static_cast<std::uint32_t>(b[1]) << 8U |
           static_cast<std::uint32_t>(b[2]) << 16U | static_cast<std::uint32_t>(b[3]) << 24U;
  }
  std::vector<float> halves(std::size_t count) {
    const auto b = take(2 * count);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = half_to_float(static_cast<std::uint16_t>(b[2 * i] | b[2 * i + 1] << 8U));
    for (const std::uint8_t padding : take((4 - 2 * count % 4) % 4)) {
      if (padding != 0) fail(Fault::kData, "ncnn .bin: padding is not zero");
    }
    return checked(std::move(values));
  }
  std::vector<float> floats(std::size_t count) {
    if (count > bytes_.size() / 4) fail_short();
    std::vector<float> values(count);
    for (float& value : values) value = std::bit_cast<float>(u32());
    return checked(std::move(values));
  }
  std::size_t left() const { return bytes_.size(); }

  /// IEEE 754 binary16.
  static float half_to_float(std::uint16_t bits) {
    const int exponent = bits >> 10U & 31;
    const int fraction = bits & 1023;
    const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                         : sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }

 private:
  [[noreturn]] static void fail_short() {
    fail(Fault::kData, "ncnn .bin: ends before the last convolution's numbers");
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > bytes_.size()) fail_short();
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  static std::vector<float> checked(std::vector<float> values) {
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      fail(Fault::kData, "ncnn .bin: a number is not finite");
    return values;
  }

  std::span<const std::uint8_t> bytes_;
};

/// Reads one Convolution line and its numbers.
NcnnConvolution read_convolution(std::span<const std::string_view> words, std::size_t line,
                                 Numbers& numbers) {
  // kind, name, number of inputs and outputs (one each), input, output, settings
  if (words.size() < 6 || words[2] != "1" || words[3] != "1")
    refuse_line(line, "a convolution has one input and one output");
  Options options(words.subspan(6), line);
  NcnnConvolution convolution;
  convolution.name = std::string(words[1]);
  convolution.channels = options.size(0, 1);
  convolution.kernel = options.size(1, 1);
  convolution.stride = options.size(3, 1);
  convolution.padding = options.size(4, 0);
  const std::size_t weights = options.size(6, 1);
  options.expect(11, convolution.kernel);
  options.expect(2, 1);
  options.expect(12, 1);
  options.expect(13, convolution.stride);
  options.expect(14, convolution.padding);
  options.expect(9, 1);
  if (options.size(5, 0) != 1) refuse_line(line, "a convolution without biases is not supported");
  options.expect_no_more();
  if (weights % (convolution.channels * convolution.kernel * convolution.kernel) != 0)
    refuse_line(line, "the number of weights is no multiple of channels x kernel x kernel");
  if (numbers.u32() != kHalfPrecision)
    fail(Fault::kData,
         fmt::format("ncnn .bin: the weights of {} are not marked as half precision", words[1]));
  convolution.weights = numbers.halves(weights);
  convolution.biases = numbers.floats(convolution.channels);
  return convolution;
}

void check_counts(std::span<const std::string_view> lines) {
  if (lines.size() < 2 || words_of(lines[0]) != std::vector<std::string_view>{kMagic})
    fail(Fault::kData, fmt::format("ncnn .param: the first line is not {}", kMagic));
  const auto counts = words_of(lines[1]);
  if (counts.size() != 2 || integer(counts[0]) != static_cast<long>(lines.size() - 2))
    refuse_line(2, fmt::format("expected the number of layers, {}, and of blobs", lines.size() - 2));
}

}  // namespace

std::vector<NcnnConvolution> parse_ncnn(std::string_view param, std::span<const std::uint8_t> bin) {
  const auto lines = lines_of(param);
  check_counts(lines);
  Numbers numbers(bin);
  std::vector<NcnnConvolution> convolutions;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty()) refuse_line(i + 1, "is empty");
    if (words[0] == "Convolution") {
      convolutions.push_back(read_convolution(words, i + 1, numbers));
    } else if (!has_no_weights(words[0])) {
      refuse_line(i + 1,
                  "is a kind of layer whose numbers are not known; allowed: Convolution and layers without");
    }
  }
  if (convolutions.empty()) fail(Fault::kData, "ncnn .param: has no convolution");
  if (numbers.left() != 0)
    fail(Fault::kData,
         fmt::format("ncnn .bin: {} bytes follow the last convolution's numbers", numbers.left()));
  return convolutions;
}

std::vector<NcnnConvolution> read_ncnn(const std::filesystem::path& param, const std::filesystem::path& bin) {
  const std::string text = read_text(param);
  const Bytes bytes = read_bytes(bin);
  return with_context(param.string(), [&] { return parse_ncnn(text, bytes); });
}

namespace {

std::vector<PlacedLayer> convolutions_of(const Architecture& architecture) {
  std::vector<PlacedLayer> places = place(architecture);
  std::erase_if(places,
                [](const PlacedLayer& place) { return !std::holds_alternative<Convolve>(*place.layer); });
  return places;
}

bool same_window(const NcnnConvolution& from, const Convolve& to) {
  return to.kernel_height == from.kernel && to.kernel_width == from.kernel && to.stride == from.stride &&
         to.padding_height == from.padding && to.padding_width == from.padding && to.bias;
}

bool same_inputs(const NcnnConvolution& from, const PlacedLayer& to) {
  return from.weights.size() == from.channels * to.in.channels * from.kernel * from.kernel;
}

}  // namespace

void take_weights(std::span<const NcnnConvolution> convolutions, const Architecture& architecture,
                  std::span<double> parameters) {
  const std::vector<PlacedLayer> places = convolutions_of(architecture);
  if (places.size() != convolutions.size()) {
    fail(Fault::kData, fmt::format("the ncnn file has {} convolutions, {} has {}", convolutions.size(),
                                   architecture.name, places.size()));
  }
  if (parameters.size() != parameter_count(architecture))
    fail(Fault::kInternal, "ncnn weights need room for all parameters of the architecture");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const NcnnConvolution& from = convolutions[i];
    const auto& to = std::get<Convolve>(*places[i].layer);
    const bool same_channels = to.channels == from.channels;
    const bool last = i + 1 == places.size();
    if (!same_window(from, to) || !same_inputs(from, places[i]) || !(same_channels || last)) {
      fail(Fault::kData, fmt::format("convolution {} of the ncnn file ({}) does not fit {} of {}", i + 1,
                                     from.name, places[i].name, architecture.name));
    }
    if (!same_channels) continue;
    const auto out = parameters.subspan(places[i].parameter_offset, places[i].parameter_count);
    std::ranges::copy(from.weights, out.begin());
    std::ranges::copy(from.biases, out.begin() + static_cast<std::ptrdiff_t>(from.weights.size()));
  }
}

}  // namespace earshot
