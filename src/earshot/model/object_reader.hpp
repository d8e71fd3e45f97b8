// Reads a JSON object from a file nobody vouches for: every key typed, none unknown.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/shape.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// How an enumeration's values are written, in its order.
template <class Enum>
struct Names;
template <>
struct Names<ActivationKind> {
  static constexpr std::array<std::string_view, 7> kNames{"sigmoid", "tanh", "relu",      "softplus",
                                                          "gelu",    "elu",  "leaky_relu"};
};
template <>
struct Names<PoolKind> {
  static constexpr std::array<std::string_view, 2> kNames{"max", "mean"};
};
template <>
struct Names<ReadOutKind> {
  static constexpr std::array<std::string_view, 3> kNames{"mean", "sum", "max"};
};
template <>
struct Names<Join> {
  static constexpr std::array<std::string_view, 2> kNames{"add", "concatenate"};
};
template <>
struct Names<LossKind> {
  static constexpr std::array<std::string_view, 3> kNames{"softmax_cross_entropy", "binary_cross_entropy",
                                                          "mean_squared"};
};
template <>
struct Names<Reduction> {
  static constexpr std::array<std::string_view, 2> kNames{"mean", "sum"};
};
template <>
struct Names<Initialisation> {
  static constexpr std::array<std::string_view, 3> kNames{"fan_in", "half", "xavier"};
};

template <class Enum>
std::string name_of(Enum value) {
  return std::string(Names<Enum>::kNames.at(static_cast<std::size_t>(value)));
}

/// Where `word` stands among `allowed`; a sentence with the nearest spelling if it does not.
std::size_t position_of(std::string_view word, std::span<const std::string_view> allowed,
                        std::string_view key);

/// Errors are Fault::kData, one sentence each. `json` must outlive the reader.
class ObjectReader {
 public:
  explicit ObjectReader(const Json& json);

  const Json& at(const char* key);
  std::size_t size(const char* key);
  bool boolean(const char* key);
  double real(const char* key);
  std::string word(const char* key);
  const Json& array(const char* key);
  Shape shape(const char* key);
  template <class Enum>
  Enum one_of(const char* key) {
    return static_cast<Enum>(position_of(word(key), Names<Enum>::kNames, key));
  }
  /// Refuses keys nobody asked for.
  void finish() const;

 private:
  const Json& json_;
  std::vector<std::string> seen_;
};

}  // namespace earshot
