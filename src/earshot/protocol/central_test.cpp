#include "earshot/protocol/central.hpp"

#include <gtest/gtest.h>

#include "earshot/protocol/test_setting.hpp"
#include "earshot/training/split.hpp"
#include "earshot/training/trainer.hpp"

namespace earshot {
namespace {

/// Another implementation of the same training: the trainer of one model.
TEST(Central, EqualsTheTrainer) {
  const testing::SmallTask small(4, 5);
  const Settings settings = testing::settings_of(
      central_component(), {{"rounds", 6}, {"batch", 8}, {"learning_rate", 0.3}, {"momentum", 0.5}});
  const auto protocol = central_component().make(settings, small.parts());
  const std::vector<double> state = testing::train(*protocol, small.start.size(), 6);

  std::vector<double> expected = small.start;
  TrainerOptions options;
  options.epochs = 6;
  options.batch = 8;
  options.optimiser = SgdOptions{0.3, 0.5};
  train(*small.model, expected, *small.examples, {all_of(20), {}, {}}, options);
  EXPECT_EQ(state, expected);
  EXPECT_EQ(central_component().steps(settings, 4, 20), 18U);
}

TEST(Central, GoesOnFromACheckpointToTheBit) {
  const testing::SmallTask small(4, 5);
  const Settings settings = testing::settings_of(
      central_component(), {{"rounds", 6}, {"batch", 8}, {"momentum", 0.9}, {"whole_passes", false}});
  const auto whole = central_component().make(settings, small.parts());
  const std::vector<double> expected = testing::train(*whole, small.start.size(), 7);

  const auto first = central_component().make(settings, small.parts());
  testing::train(*first, small.start.size(), 4);
  StateWriter out;
  first->save(out);
  const std::string sealed = out.sealed();
  const auto second = central_component().make(settings, small.parts());
  StateReader in(sealed, "memory");
  second->load(in);
  in.finish();
  EXPECT_EQ(testing::train(*second, small.start.size(), 3), expected);
}

}  // namespace
}  // namespace earshot
