#include "earshot/data/images/femnist.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/formats/png.hpp"
#include "earshot/data/formats/tar.hpp"

namespace earshot {
namespace {

constexpr std::size_t kClasses = 10;
// Client ids are indices: nobody's archive has more clients than that many files.
constexpr std::uint32_t kMostClients = 1'000'000;

struct Place {
  std::uint32_t client = 0;
  std::uint8_t digit = 0;
};

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  const bool padded = text.size() > 1 && text.front() == '0';
  if (code != std::errc() || end != last || padded) return std::nullopt;
  return value;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    parts.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::optional<Place> place_of(std::string_view path) {
  constexpr std::string_view kClient = "client_";
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.size() != 5 || !parts[1].starts_with(kClient) || parts[2] != "train" ||
      !parts[4].ends_with(".png"))
    return std::nullopt;
  const auto client = whole_number(parts[1].substr(kClient.size()));
  const auto digit = whole_number(parts[3]);
  if (!client || *client >= kMostClients || !digit || *digit >= kClasses) return std::nullopt;
  return Place{*client, static_cast<std::uint8_t>(*digit)};
}

void append_file(ImageDataset& dataset, const TarFile& file) {
  const std::optional<Place> place = place_of(file.path);
  if (!place) {
    fail(Fault::kData,
         fmt::format("{}: expected FOLDER/client_K/train/DIGIT/NAME.png", in_quotes(file.path)));
  }
  with_context(file.path, [&] {
    const Image image = decode_png(file.content);
    if (image.shape.channels != 1) fail(Fault::kData, "expected a grey image");
    append(dataset, image, place->digit);
  });
  dataset.clients.push_back(place->client);
}

/// How many clients there are; fails when a number is left out.
std::size_t count_clients(const std::vector<std::uint32_t>& clients) {
  std::vector<bool> seen(*std::ranges::max_element(clients) + std::size_t{1}, false);
  for (const std::uint32_t client : clients) seen[client] = true;
  const auto gap = std::ranges::find(seen, false);
  if (gap != seen.end())
    fail(Fault::kData, fmt::format("client_{} has no images, but a later client has", gap - seen.begin()));
  return seen.size();
}

}  // namespace

ImageDataset parse_femnist(std::span<const std::uint8_t> tar) {
  ImageDataset dataset;
  dataset.classes = kClasses;
  for (const TarFile& file : parse_tar(tar)) append_file(dataset, file);
  if (dataset.size() == 0) fail(Fault::kData, "the archive holds no images");
  dataset.client_count = count_clients(dataset.clients);
  return dataset;
}

}  // namespace earshot
