#include "earshot/data/formats/npy.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/little_endian.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 32;
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

struct Header {
  std::optional<std::string> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

/// Reads the dictionary numpy writes: a fixed set of keys, each once, in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      read_item();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (rest_ != "\n") refuse();
    if (!header_.type || !header_.fortran_order || !header_.shape)
      fail(Fault::kData, "npy header: descr, fortran_order and shape must all be there");
    return std::move(header_);
  }

 private:
  [[noreturn]] void refuse() const {
    fail(Fault::kData, fmt::format("npy header: not the dictionary numpy writes, near {}", in_quotes(rest_)));
  }

  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse();
  }

  std::string quoted() {
    expect('\'');
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) refuse();
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse();
  }

  std::size_t number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  /// A Python tuple: of one number only with a comma behind it.
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!accept(')')) {
      if (numbers.size() == kMostDimensions)
        fail(Fault::kData, fmt::format("npy header: more than {} dimensions", kMostDimensions));
      numbers.push_back(number());
      if (!accept(',')) {
        if (numbers.size() == 1) refuse();
        expect(')');
        break;
      }
    }
    return numbers;
  }

  template <class Value>
  void set(std::optional<Value>& field, Value value, const std::string& key) {
    if (field) fail(Fault::kData, fmt::format("npy header: {} comes twice", in_quotes(key)));
    field = std::move(value);
  }

  void read_item() {
    const std::string key = quoted();
    expect(':');
    if (key == "descr") return set(header_.type, quoted(), key);
    if (key == "fortran_order") return set(header_.fortran_order, boolean(), key);
    if (key == "shape") return set(header_.shape, tuple(), key);
    fail(Fault::kData, fmt::format("npy header: unknown key {}", in_quotes(key)));
  }

  std::string_view rest_;
  Header header_;
};

struct Type {
  std::string_view name;
  NpyKind kind;
  std::size_t width;
};

constexpr std::array kTypes{Type{"|u1", NpyKind::kUnsigned, 1}, Type{"|i1", NpyKind::kSigned, 1},
                            Type{"<u2", NpyKind::kUnsigned, 2}, Type{"<i2", NpyKind::kSigned, 2},
                            Type{"<u4", NpyKind::kUnsigned, 4}, Type{"<i4", NpyKind::kSigned, 4},
                            Type{"<u8", NpyKind::kUnsigned, 8}, Type{"<i8", NpyKind::kSigned, 8},
                            Type{"<f4", NpyKind::kFloat, 4},    Type{"<f8", NpyKind::kFloat, 8}};

Type find_type(const std::string& name) {
  for (const Type& type : kTypes) {
    if (type.name == name) return type;
  }
  fail(Fault::kData,
       fmt::format("npy: numbers of type {} are not supported, allowed: u1 i1 <u2 <i2 <u4 <i4 <u8 "
                   "<i8 <f4 <f8",
                   in_quotes(name)));
}

/// Where the header's text starts and how long it is.
std::pair<std::size_t, std::size_t> header_extent(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || bytes.size() < 12)
    fail(Fault::kData, "npy: the file is cut off or does not start with the magic of .npy files");
  const int major = bytes[6];
  if ((major != 1 && major != 2) || bytes[7] != 0)
    fail(Fault::kData, fmt::format("npy: format version {}.{}, allowed: 1.0 and 2.0", major, bytes[7]));
  const std::size_t start = major == 1 ? 10 : 12;
  const std::size_t length =
      major == 1 ? little_endian<std::uint16_t>(bytes, 8) : little_endian<std::uint32_t>(bytes, 8);
  if (length > bytes.size() - start) fail(Fault::kData, "npy: the file ends inside its header");
  return {start, length};
}

/// Dividing instead of multiplying keeps a hostile header from overflowing the product.
void check_size(const std::vector<std::size_t>& shape, std::size_t width, std::size_t bytes) {
  std::size_t left = bytes / width;
  bool fits = bytes % width == 0;
  for (const std::size_t dimension : shape) {
    if (dimension == 0) fail(Fault::kData, "npy: a dimension is 0");
    fits = fits && left % dimension == 0;
    left /= dimension;
  }
  if (!fits || left != 1) {
    fail(Fault::kData,
         fmt::format("npy: the header announces ({}) numbers of {} bytes, but {} bytes follow it",
                     fmt::join(shape, ", "), width, bytes));
  }
}

template <class Unsigned>
double unsigned_number(std::span<const std::uint8_t> data, std::size_t offset) {
  const auto value = little_endian<Unsigned>(data, offset);
  if (static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(kLargestExact))
    fail(Fault::kData, fmt::format("npy: {} is too large to be held exactly", value));
  return static_cast<double>(value);
}

template <class Unsigned>
double signed_number(std::span<const std::uint8_t> data, std::size_t offset) {
  const std::int64_t value = static_cast<std::make_signed_t<Unsigned>>(little_endian<Unsigned>(data, offset));
  if (value > kLargestExact || value < -kLargestExact)
    fail(Fault::kData, fmt::format("npy: {} is too large to be held exactly", value));
  return static_cast<double>(value);
}

template <class Float, class Unsigned>
double float_number(std::span<const std::uint8_t> data, std::size_t offset) {
  const double value = std::bit_cast<Float>(little_endian<Unsigned>(data, offset));
  if (!std::isfinite(value))
    fail(Fault::kData, fmt::format("npy: number {} is not finite", offset / sizeof(Float)));
  return value;
}

using ReadNumber = double (*)(std::span<const std::uint8_t>, std::size_t);

ReadNumber reader_of(const NpyArray& array) {
  if (array.kind == NpyKind::kFloat)
    return array.width == 4 ? float_number<float, std::uint32_t> : float_number<double, std::uint64_t>;
  const bool is_signed = array.kind == NpyKind::kSigned;
  switch (array.width) {
    case 1:
      return is_signed ? signed_number<std::uint8_t> : unsigned_number<std::uint8_t>;
    case 2:
      return is_signed ? signed_number<std::uint16_t> : unsigned_number<std::uint16_t>;
    case 4:
      return is_signed ? signed_number<std::uint32_t> : unsigned_number<std::uint32_t>;
    default:
      return is_signed ? signed_number<std::uint64_t> : unsigned_number<std::uint64_t>;
  }
}

}  // namespace

NpyArray parse_npy(std::span<const std::uint8_t> bytes) {
  const auto [start, length] = header_extent(bytes);
  Header header = HeaderParser({reinterpret_cast<const char*>(bytes.data()) + start, length}).parse();
  const Type type = find_type(*header.type);
  if (*header.fortran_order)
    fail(Fault::kData, "npy: Fortran order is not supported, save the array in C order");
  const auto data = bytes.subspan(start + length);
  check_size(*header.shape, type.width, data.size());
  return {type.kind, type.width, std::move(*header.shape), Bytes(data.begin(), data.end())};
}

std::vector<double> npy_numbers(const NpyArray& array) {
  const ReadNumber read = reader_of(array);
  std::vector<double> numbers;
  numbers.reserve(array.data.size() / array.width);
  for (std::size_t offset = 0; offset < array.data.size(); offset += array.width)
    numbers.push_back(read(array.data, offset));
  return numbers;
}

Bytes npy_bytes(NpyArray array) {
  if (array.kind != NpyKind::kUnsigned || array.width != 1)
    fail(Fault::kData, "npy: an array of bytes (u1) was expected");
  return std::move(array.data);
}

}  // namespace earshot
