#include "earshot/pipeline/public_records.hpp"

#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

/// The range of pixels from 0 to 1 in the units of the model, over all channels.
Box pixel_range(const Normalisation& pixels) {
  Box box{0, 0, 0};
  for (std::size_t c = 0; c < pixels.mean.size(); ++c) {
    box.low = std::min(box.low, -pixels.mean[c] / pixels.deviation[c]);
    box.high = std::max(box.high, (1 - pixels.mean[c]) / pixels.deviation[c]);
  }
  return box;
}

}  // namespace

std::size_t class_of(std::span<const double> row) {
  if (row.size() == 1) return row[0] > 0.5 ? 1 : 0;
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

PublicRecords::PublicRecords(const TrainingData& data, std::size_t outputs)
    : width_(data.examples->input().size()), outputs_(outputs), mean_(width_, 0.0) {
  const auto& test = data.parts.test;
  const std::span<const std::size_t> chosen = std::span(test).first(std::min(kMostPublic, test.size()));
  if (const Normalisation* pixels = data.examples->pixels()) range_ = pixel_range(*pixels);
  if (chosen.empty()) return;
  ExampleMemory memory;
  const Problems<double> problem = data.examples->gather(chosen, outputs, 0, memory);
  inputs_.assign(problem.inputs.begin(), problem.inputs.end());
  targets_.assign(problem.targets.begin(), problem.targets.end());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    labels_.push_back(class_of(std::span(targets_).subspan(i * outputs, outputs)));
  measure();
}

void PublicRecords::measure() {
  if (!range_) {
    const auto [low, high] = std::ranges::minmax(inputs_);
    if (low < high) range_ = Box{0, low, high};
  }
  const double count = static_cast<double>(labels_.size());
  const double width = static_cast<double>(width_);
  KnownMoments moments{0, 0, 1};
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    double sum = 0;
    double squares = 0;
    for (std::size_t k = 0; k < width_; ++k) {
      const double x = inputs_[i * width_ + k];
      mean_[k] += x / count;
      sum += x;
      squares += x * x;
    }
    moments.mean += sum / width / count;
    moments.deviation += std::sqrt(std::max(0.0, squares / width - sum / width * (sum / width))) / count;
  }
  moments_ = moments;
}

std::size_t PublicRecords::draw(std::optional<std::size_t> label, Stream& stream) const {
  const auto wanted = [&](std::size_t i) { return label && labels_[i] == *label; };
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (wanted(i)) same.push_back(i);
  }
  return same.empty() ? stream.below(labels_.size()) : same[stream.below(same.size())];
}

std::vector<double> PublicRecords::similar(std::span<const double> targets, std::size_t count,
                                           Stream& stream) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    const bool told = targets.size() == count * outputs_;
    const std::size_t chosen =
        draw(told ? std::optional(class_of(targets.subspan(i * outputs_, outputs_))) : std::nullopt, stream);
    const auto record = std::span(inputs_).subspan(chosen * width_, width_);
    out.insert(out.end(), record.begin(), record.end());
  }
  return out;
}

}  // namespace earshot
