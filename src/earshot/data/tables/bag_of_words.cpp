#include "earshot/data/tables/bag_of_words.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

// No sample has so many words; a wild guess of an attack must not fill the memory.
constexpr double kMostOccurrences = 1e6;

}  // namespace

BagOfWords::BagOfWords(std::vector<std::string> vocabulary) : vocabulary_(std::move(vocabulary)) {
  if (vocabulary_.empty()) fail(Fault::kConfig, "a bag of words needs a vocabulary");
  for (std::size_t i = 0; i < vocabulary_.size(); ++i) {
    if (!positions_.emplace(vocabulary_[i], i).second)
      fail(Fault::kConfig, fmt::format("the vocabulary lists {} twice", in_quotes(vocabulary_[i])));
  }
}

std::vector<double> BagOfWords::encode(std::span<const std::string> words) const {
  std::vector<double> counts(vocabulary_.size(), 0.0);
  for (const std::string& word : words) {
    const auto found = positions_.find(word);
    if (found == positions_.end())
      fail(Fault::kData, fmt::format("the word {} is not in the vocabulary", in_quotes(word)));
    counts[found->second] += 1;
  }
  return counts;
}

std::vector<std::string> BagOfWords::decode(std::span<const double> counts) const {
  if (counts.size() != vocabulary_.size())
    fail(Fault::kConfig,
         fmt::format("{} counts for a vocabulary of {} words", counts.size(), vocabulary_.size()));
  std::vector<std::string> words;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double count = std::round(counts[i]);
    if (!(count <= kMostOccurrences))
      fail(Fault::kNumeric,
           fmt::format("the count {} of {} is not usable", counts[i], in_quotes(vocabulary_[i])));
    for (double occurrence = 0; occurrence < count; ++occurrence) words.push_back(vocabulary_[i]);
  }
  return words;
}

}  // namespace earshot
