#include "earshot/training/synthetic_data.hpp"

#include <utility>

#include <fmt/format.h>

namespace earshot {
namespace {

/// Which of the streams that choose data; the first ones are for splits.
constexpr std::uint64_t kStream = 16;

}  // namespace

const Schema& two_gaussians_schema() {
  static const Schema schema{
      "data",
      "two_gaussians",
      "two normal classes in the plane, drawn anew for every seed",
      "Yu 2026, section 4.3",
      {integer_parameter("records", 60, 2, 10'000'000, "training records, of both classes in turn"),
       integer_parameter("test_records", 1000, 0, 10'000'000,
                         "further records to test on; 0: the training records, to see the loss that is "
                         "being minimised"),
       above_minimum(real_parameter("deviation", 1, 0, 1e6, "standard deviation of each class")),
       real_parameter("separation", 1, 0, 1e6, "each coordinate of the means, up to sign")}};
  return schema;
}

TrainingData draw_two_gaussians(const Settings& settings, std::uint64_t seed) {
  const std::size_t train = settings.size("records");
  const std::size_t test = settings.size("test_records");
  Stream stream({seed, Purpose::kDataSelection, 0, kStream, 0});
  std::vector<double> inputs, labels;
  TrainingData data;
  for (std::size_t i = 0; i < train + test; ++i) {
    const double label = static_cast<double>(i % 2);
    for (int k = 0; k < 2; ++k) {
      inputs.push_back((2 * label - 1) * settings.real("separation") +
                       settings.real("deviation") * stream.normal());
    }
    labels.push_back(label);
    (i < train ? data.parts.train : data.parts.test).push_back(i);
  }
  if (test == 0) data.parts.test = data.parts.train;
  data.description["split"] = test == 0 ? "tested on the training records"
                                        : fmt::format("all drawn from the same law, seed {}", seed);
  data.examples = record_examples({2}, std::move(inputs), {2, std::move(labels)});
  return data;
}

}  // namespace earshot
