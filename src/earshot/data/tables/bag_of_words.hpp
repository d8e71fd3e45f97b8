// Bags of words: how often each word of a fixed vocabulary occurs.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace earshot {

class BagOfWords {
 public:
  /// Refuses an empty vocabulary and a word listed twice.
  explicit BagOfWords(std::vector<std::string> vocabulary);

  const std::vector<std::string>& vocabulary() const { return vocabulary_; }

  /// One count per word of the vocabulary; a word outside it is refused.
  std::vector<double> encode(std::span<const std::string> words) const;
  /// Every word as often as its rounded count says, in the vocabulary's order: a bag keeps no other. Counts
  /// below one half, as an attack may guess them, are no occurrence.
  std::vector<std::string> decode(std::span<const double> counts) const;

 private:
  std::vector<std::string> vocabulary_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

}  // namespace earshot
