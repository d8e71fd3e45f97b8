#include "earshot/core/state.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are written little-endian");

constexpr std::size_t kDigest = 64;  // hex digits of SHA-256
constexpr std::size_t kTag = 9;      // kind and size

std::string digest(std::string_view bytes) {
  return sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

template <class Value>
Value value_of(std::string_view bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

void StateWriter::tag(char kind, std::uint64_t size) {
  bytes_.push_back(kind);
  bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
}

void StateWriter::number(std::uint64_t value) {
  tag('n', sizeof value);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void StateWriter::real(double value) {
  reals({&value, 1});
}

void StateWriter::reals(std::span<const double> values) {
  tag('r', values.size_bytes());
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void StateWriter::text(std::string_view value) {
  tag('t', value.size());
  bytes_.append(value);
}

std::string StateWriter::sealed() const {
  return bytes_ + digest(bytes_);
}

StateReader::StateReader(std::string_view sealed, std::string origin) : origin_(std::move(origin)) {
  if (sealed.size() < kDigest) damaged();
  bytes_ = sealed.substr(0, sealed.size() - kDigest);
  if (digest(bytes_) != sealed.substr(bytes_.size())) damaged();
}

void StateReader::damaged() const {
  fail(Fault::kData, fmt::format("{} is damaged or of another version; remove it to start afresh", origin_));
}

std::string_view StateReader::take(char kind) {
  if (bytes_.size() - position_ < kTag || bytes_[position_] != kind) damaged();
  const auto size = value_of<std::uint64_t>(bytes_.substr(position_ + 1, sizeof(std::uint64_t)));
  position_ += kTag;
  if (size > bytes_.size() - position_) damaged();
  const std::string_view value = bytes_.substr(position_, size);
  position_ += size;
  return value;
}

std::uint64_t StateReader::number() {
  const std::string_view value = take('n');
  if (value.size() != sizeof(std::uint64_t)) damaged();
  return value_of<std::uint64_t>(value);
}

double StateReader::real() {
  double value = 0;
  reals({&value, 1});
  return value;
}

std::vector<double> StateReader::reals() {
  const std::string_view value = take('r');
  if (value.size() % sizeof(double) != 0) damaged();
  std::vector<double> out(value.size() / sizeof(double));
  if (!out.empty()) std::memcpy(out.data(), value.data(), value.size());
  return out;
}

void StateReader::reals(std::span<double> out) {
  const std::string_view value = take('r');
  if (value.size() != out.size_bytes()) damaged();
  if (!out.empty()) std::memcpy(out.data(), value.data(), value.size());
}

std::string StateReader::text() {
  return std::string(take('t'));
}

void StateReader::finish() const {
  if (position_ != bytes_.size()) damaged();
}

}  // namespace earshot
