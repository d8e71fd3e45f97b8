// What changes while something runs, as a flat record that can be stored and taken up again exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

/// Values in the order they are written; each is tagged with its kind, so that a reader that has lost its
/// place notices.
class StateWriter {
 public:
  void number(std::uint64_t value);
  void real(double value);
  /// Every bit is kept, NaN payloads included.
  void reals(std::span<const double> values);
  void text(std::string_view value);

  /// Everything written so far, followed by its SHA-256.
  std::string sealed() const;

 private:
  void tag(char kind, std::uint64_t size);
  std::string bytes_;
};

/// Reads what a StateWriter sealed, in the same order. Damage, a wrong kind, a wrong size and an early end
/// fail with Fault::kData and the name of the source.
class StateReader {
 public:
  StateReader(std::string_view sealed, std::string origin);

  std::uint64_t number();
  double real();
  std::vector<double> reals();
  /// Exactly as many as fit.
  void reals(std::span<double> out);
  std::string text();
  /// Fails unless everything was read.
  void finish() const;

 private:
  std::string_view take(char kind);
  [[noreturn]] void damaged() const;

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::string origin_;
};

}  // namespace earshot
