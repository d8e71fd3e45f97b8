// Estimates of memory against what was really taken.
#include "earshot/pipeline/training_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/test_training.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::listened;
using testing::overheard;
using testing::plan_text;
using testing::problems_of;
using testing::Setting;

class TrainingMemory : public ::testing::Test {
 protected:
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }
  void TearDown() override { set_thread_count(0); }
};

TEST_F(TrainingMemory, EstimatesWhatIsRecorded) {
  struct Case {
    const char* protocol;
    const char* adversary;
    const char* settings = "";
    bool exact = true;
  };
  for (const Case& c : std::vector<Case>{
           {"fedsgd", "kind = \"server\"\n"},
           {"fedavg", "kind = \"server\"\n", "clients = 2\n"},
           {"fedavg", "kind = \"each\"\n", "clusters = 3\ncluster_choice = \"nearest\"\n"},
           {"scaffold", "kind = \"coalition\"\nnodes = [\"node 1\", \"node 3\"]\n"},
           {"fedprox", "kind = \"eavesdropper\"\nwires = [\"server--node 2\"]\n"},
           {"fedprox", "kind = \"coalition\"\nnodes = []\ntapped = [\"node 2\"]\n"},
           {"dgd", "kind = \"first\"\n"},
           {"d_psgd", "kind = \"eavesdropper\"\nwires = [\"3--4\"]\n"},
           {"muffliato", "kind = \"coalition\"\nnodes = [\"0\"]\ntapped = [\"2\"]\n", "gossip_steps = 3\n"},
           {"muffliato_random", "kind = \"eavesdropper\"\n"},
           {"muffliato_random", "kind = \"first\"\n", "", false},
           {"pdmm", "kind = \"first\"\n"},
           {"admm", "kind = \"eavesdropper\"\n"},
           {"server_pdmm", "kind = \"server\"\n"},
           {"skip_ring", "kind = \"each\"\n", "", false},
           {"skip_ring", "kind = \"first\"\n", "", false}}) {
    const Setting setting(listened(c.protocol, c.adversary, c.settings));
    const auto trial = overheard(setting);
    const auto kept = sizeof(double) * static_cast<double>(trial->listeners()->recorder().kept_numbers());
    const double estimate = trial->recording_bytes();
    EXPECT_GE(estimate, kept * 0.99) << c.protocol << " " << c.adversary;
    // 128 bytes around messages of 5,200.
    EXPECT_LE(estimate, kept * (c.exact ? 1.025 : 1.8)) << c.protocol << " " << c.adversary;
  }
}

/// Bytes handed out by the allocator, large blocks included.
double allocated() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

TEST_F(TrainingMemory, EstimatesWhatAProtocolHolds) {
  if (const auto probe = std::make_unique<std::vector<double>>(1 << 20); allocated() < 8 << 20)
    GTEST_SKIP() << "this allocator does not say how much it has handed out";
  set_thread_count(1);
  const auto measure = [](const std::string& protocol, const std::string& settings) {
    std::string text = plan_text({protocol, "kind = \"none\"\n", settings, 1});
    for (const auto& [from, to] : {std::pair("softmax_regression\"", "mlp\"\nhidden = \"512\""),
                                   std::pair("nodes = 5", "nodes = 30")}) {
      text.replace(text.find(from), std::string_view(from).size(), to);
    }
    const Plan plan = parse_plan(text, "test.toml", standard_catalogue());
    const Cell& cell = plan.cells[0];
    const TrainingData data = load_training_section(cell.at("data"), plan.seed, testing::sources());
    const double before = allocated();
    TrainTrial trial(cell, {plan.seed, 0}, data, testing::sources());
    trial.run().advance();
    const double held = allocated() - before;
    const std::size_t parameters = trial.task().parameter_count();
    EXPECT_EQ(parameters, 64U * 512 + 512 + 512 * 10 + 10);
    const double estimate = held_bytes(cell, {trial.nodes(), 30, parameters});
    // Beside it: the model itself, and the memory of one gradient (activations, work space).
    const double vector = sizeof(double) * static_cast<double>(parameters);
    EXPECT_LT(held, 1.05 * estimate + 6 * vector) << protocol << " " << settings << held / vector;
    EXPECT_GT(held, 0.9 * estimate - 3 * vector) << protocol << " " << settings << held / vector;
  };
  for (const ProtocolComponent& component : training_protocols()) measure(component.schema.name, "");
  measure("pdmm", "messages = \"differential\"\n");
  measure("muffliato", "acceleration = \"chebyshev\"\n");
  measure("fedsgd", "messages = \"differential\"\n");
  measure("fedavg", "clusters = 4\n");
}

TEST_F(TrainingMemory, RefusesWhatDoesNotFitIntoMemory) {
  std::string text = plan_text({"scaffold"});
  text.replace(text.find("softmax_regression\""), 19, "mlp\"\nhidden = \"1024\"");
  EXPECT_EQ(problems_of(text), "");
  text.replace(text.find("nodes = 5"), 9, "nodes = 10000000");
  // Ten million control variates of 76,810 numbers are 5,700 GiB.
  EXPECT_THAT(problems_of(text), HasSubstr("model: the run would need about 57"));
  // A thousand million rounds of six messages, of which a window of a hundred is no problem.
  const std::string adversary = "[adversary]\nkind = \"server\"\n";
  text = plan_text({"fedavg", "kind = \"none\"\n", adversary, 1'000'000'000});
  EXPECT_THAT(problems_of(text), HasSubstr("adversary: the run with what the adversary hears would need"));
  EXPECT_EQ(problems_of(text + "from = 1000\nrounds = 100\n"), "");
}

}  // namespace
}  // namespace earshot
