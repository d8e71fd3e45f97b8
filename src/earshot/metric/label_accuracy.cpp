#include "earshot/metric/label_accuracy.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

double label_accuracy(std::span<const std::size_t> truth, std::span<const std::size_t> guess,
                      std::span<const std::optional<std::size_t>> guess_of) {
  if (truth.empty() || guess_of.size() != truth.size())
    fail(Fault::kInternal, fmt::format("{} matches for {} labels", guess_of.size(), truth.size()));
  std::size_t right = 0;
  for (std::size_t record = 0; record < truth.size(); ++record) {
    if (!guess_of[record]) continue;
    if (*guess_of[record] >= guess.size())
      fail(Fault::kInternal, fmt::format("guess {} of {} labels", *guess_of[record], guess.size()));
    right += guess[*guess_of[record]] == truth[record] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

double label_overlap(std::span<const std::size_t> truth, std::span<const std::size_t> guess) {
  if (truth.empty()) fail(Fault::kInternal, "label accuracy of no labels");
  std::vector<std::size_t> a(truth.begin(), truth.end());
  std::vector<std::size_t> b(guess.begin(), guess.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::size_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(truth.size());
}

}  // namespace earshot
