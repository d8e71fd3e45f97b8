#include "earshot/collect/estimation/categorical.hpp"

#include "earshot/collect/estimation/distribution.hpp"

namespace earshot {

Categorical::Categorical(std::span<const double> probabilities) : slots_(probabilities.size()) {
  check_distribution(probabilities, probabilities.size(), "the distribution to draw from");
  const auto size = static_cast<double>(probabilities.size());
  std::vector<std::size_t> poor;
  std::vector<std::size_t> rich;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i] = {probabilities[i] * size, i};
    (slots_[i].keep < 1 ? poor : rich).push_back(i);
  }
  while (!poor.empty() && !rich.empty()) {
    const std::size_t low = poor.back();
    const std::size_t high = rich.back();
    poor.pop_back();
    slots_[low].other = high;
    slots_[high].keep -= 1 - slots_[low].keep;
    if (slots_[high].keep < 1) {
      rich.pop_back();
      poor.push_back(high);
    }
  }
  // What is left of either kind is full up to rounding; an impossible outcome is never left, unless rounding
  // ate the last rich one.
  for (const std::size_t i : rich) slots_[i].keep = 1;
  for (const std::size_t i : poor) slots_[i].keep = probabilities[i] > 0 ? 1 : 0;
  std::size_t possible = 0;
  while (probabilities[possible] == 0) ++possible;
  for (const std::size_t i : poor) slots_[i].other = possible;
}

std::size_t Categorical::draw(Stream& stream) const {
  const std::size_t i = stream.below(slots_.size());
  return stream.uniform() < slots_[i].keep ? i : slots_[i].other;
}

void Categorical::count(std::size_t draws, Stream& stream, std::span<double> counts) const {
  for (std::size_t k = 0; k < draws; ++k) ++counts[draw(stream)];
}

}  // namespace earshot
