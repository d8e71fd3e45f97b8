#include "earshot/model/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/json_text.hpp"
#include "earshot/model/object_reader.hpp"

namespace earshot {
namespace {

constexpr std::string_view kMagic = "EARSHOT\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPrefix = 32;  // magic, version, header length, parameter count, buffer count
constexpr std::size_t kChecksum = 64;
constexpr std::size_t kLargestHeader = std::size_t{16} << 20;
constexpr std::size_t kMostNumbers = std::size_t{1} << 30;

static_assert(sizeof(double) == 8);

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <class Integer>
void append(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

template <class Integer>
Integer integer_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) value |= static_cast<Integer>(bytes[at + i]) << (8 * i);
  return value;
}

std::vector<double> doubles_at(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::bit_cast<double>(integer_at<std::uint64_t>(bytes, at + 8 * i));
  }
  return out;
}

void require_finite(const std::vector<double>& values, std::string_view what) {
  const auto bad = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
  if (bad == values.end()) return;
  fail(Fault::kData,
       fmt::format("{} {} of {} is not a finite number", what, bad - values.begin(), values.size()));
}

void require_count(std::size_t have, std::size_t need, std::string_view what) {
  if (have != need) fail(Fault::kData, fmt::format("has {} {}, its network {}", have, what, need));
}

/// The second half of each batch norm's buffers are variances.
void require_variances(const Architecture& architecture, const std::vector<double>& buffers) {
  for (const PlacedLayer& layer : place(architecture)) {
    for (std::size_t i = layer.buffer_count / 2; i < layer.buffer_count; ++i) {
      if (buffers[layer.buffer_offset + i] < 0) {
        fail(Fault::kData, fmt::format("layer {} has a negative variance", layer.name));
      }
    }
  }
}

void check(const Checkpoint& checkpoint) {
  require_finite(checkpoint.parameters, "parameter");
  require_finite(checkpoint.buffers, "buffer");
  const auto* architecture = std::get_if<Architecture>(&checkpoint.network);
  if (architecture == nullptr) return;
  require_count(checkpoint.parameters.size(), parameter_count(*architecture), "parameters");
  require_count(checkpoint.buffers.size(), buffer_count(*architecture), "buffers");
  require_variances(*architecture, checkpoint.buffers);
}

Json header_of(const Checkpoint& checkpoint) {
  Json header;
  if (const auto* architecture = std::get_if<Architecture>(&checkpoint.network)) {
    header["architecture"] = to_json(*architecture);
  } else {
    const auto& script = std::get<ScriptReference>(checkpoint.network);
    header["torchscript"] = {{"sha256", script.sha256},
                             {"input", {script.input.channels, script.input.height, script.input.width}},
                             {"outputs", script.outputs},
                             {"loss", name_of(script.loss)},
                             {"reduction", name_of(script.reduction)}};
  }
  header["provenance"] = checkpoint.provenance;
  return header;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

ScriptReference script_from(const Json& json) {
  return with_context("torchscript", [&] {
    ObjectReader reader(json);
    ScriptReference script{reader.word("sha256"), reader.shape("input"), reader.size("outputs"),
                           reader.one_of<LossKind>("loss"), reader.one_of<Reduction>("reduction")};
    reader.finish();
    if (!is_sha256(script.sha256)) fail(Fault::kData, "\"sha256\" must be 64 lower-case hexadecimal digits");
    return script;
  });
}

Checkpoint from_header(std::string_view text) {
  const Json header = parse_json(text, "the header");
  return with_context("header", [&] {
    ObjectReader reader(header);
    Checkpoint checkpoint;
    if (header.contains("torchscript")) {
      checkpoint.network = script_from(reader.at("torchscript"));
    } else {
      checkpoint.network = architecture_from_json(reader.at("architecture"));
    }
    checkpoint.provenance = reader.at("provenance");
    if (!checkpoint.provenance.is_object()) fail(Fault::kData, "\"provenance\" must be an object");
    reader.finish();
    return checkpoint;
  });
}

struct Prefix {
  std::size_t header = 0;
  std::size_t parameters = 0;
  std::size_t buffers = 0;
};

Prefix prefix_of(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kMagic.size() || !std::ranges::equal(bytes.first(kMagic.size()), as_bytes(kMagic))) {
    fail(Fault::kData, "is not an earshot checkpoint");
  }
  if (bytes.size() < kPrefix + kChecksum) fail(Fault::kData, "the checkpoint is cut off");
  const auto version = integer_at<std::uint32_t>(bytes, 8);
  if (version != kVersion) {
    fail(Fault::kData, fmt::format("the checkpoint has format version {}; this program reads version {}",
                                   version, kVersion));
  }
  const Prefix prefix{integer_at<std::uint32_t>(bytes, 12), integer_at<std::uint64_t>(bytes, 16),
                      integer_at<std::uint64_t>(bytes, 24)};
  if (prefix.header > kLargestHeader || prefix.parameters > kMostNumbers || prefix.buffers > kMostNumbers) {
    fail(Fault::kData, "the checkpoint announces more than any network holds");
  }
  const std::size_t total = kPrefix + prefix.header + 8 * (prefix.parameters + prefix.buffers) + kChecksum;
  if (total != bytes.size()) {
    fail(Fault::kData,
         fmt::format("the checkpoint has {} bytes, its sizes add up to {}", bytes.size(), total));
  }
  return prefix;
}

void check_sum(std::span<const std::uint8_t> bytes) {
  const auto content = bytes.first(bytes.size() - kChecksum);
  if (!std::ranges::equal(bytes.last(kChecksum), as_bytes(sha256(content)))) {
    fail(Fault::kData, "the checksum is wrong: the checkpoint was damaged or changed after it was written");
  }
}

}  // namespace

std::string to_bytes(const Checkpoint& checkpoint) {
  check(checkpoint);
  const std::string header = header_of(checkpoint).dump();
  if (header.size() > kLargestHeader) fail(Fault::kConfig, "a checkpoint's header may have 16 MiB at most");
  std::string out(kMagic);
  out.reserve(kPrefix + header.size() + 8 * (checkpoint.parameters.size() + checkpoint.buffers.size()) +
              kChecksum);
  append(out, kVersion);
  append(out, static_cast<std::uint32_t>(header.size()));
  append(out, static_cast<std::uint64_t>(checkpoint.parameters.size()));
  append(out, static_cast<std::uint64_t>(checkpoint.buffers.size()));
  out += header;
  for (const double value : checkpoint.parameters) append(out, std::bit_cast<std::uint64_t>(value));
  for (const double value : checkpoint.buffers) append(out, std::bit_cast<std::uint64_t>(value));
  out += sha256(as_bytes(out));
  return out;
}

Checkpoint parse_checkpoint(std::span<const std::uint8_t> bytes) {
  const Prefix prefix = prefix_of(bytes);
  check_sum(bytes);
  const auto header = bytes.subspan(kPrefix, prefix.header);
  Checkpoint checkpoint = from_header({reinterpret_cast<const char*>(header.data()), header.size()});
  const std::size_t numbers = kPrefix + prefix.header;
  checkpoint.parameters = doubles_at(bytes, numbers, prefix.parameters);
  checkpoint.buffers = doubles_at(bytes, numbers + 8 * prefix.parameters, prefix.buffers);
  check(checkpoint);
  return checkpoint;
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  write_atomically(path, to_bytes(checkpoint));
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const Bytes bytes = read_bytes(path);
  return with_context(path.string(), [&] { return parse_checkpoint(bytes); });
}

bool looks_like_checkpoint(const std::filesystem::path& path) {
  std::string start(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

}  // namespace earshot
