// Named networks on both engines, checkpoints and TorchScript files: what is the same network trains the
// same.
#include "earshot/pipeline/chosen_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "earshot/core/files.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/pipeline/model_fit.hpp"
#include "earshot/pipeline/plan_files.hpp"
#include "earshot/pipeline/test_training.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using testing::finish;
using ::testing::HasSubstr;
using testing::sealed;
using testing::shown;

/// forward: linear(tanh(linear(x, w1, b1)), w2, b2) for two inputs, five hidden units and two outputs.
constexpr const char* kScript = EARSHOT_SOURCE_DIR "/tests/corpus/torch_script/good-perceptron";
constexpr const char* kSameNetwork = "kind = \"mlp\"\nhidden = \"5\"\nactivation = \"tanh\"\n";

/// Federated training on points in the plane.
std::string plan_of(const std::string& model, const std::string& protocol = "",
                    const std::string& mechanism = "kind = \"none\"\n") {
  return fmt::format(
      "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"two_gaussians\"\nrecords = 40\ntest_records = 20\n"
      "[partition]\nkind = \"iid\"\nnodes = 4\n[model]\n{}[mechanism]\n{}"
      "[protocol]\nkind = \"fedavg\"\nrounds = 4\nbatch = 5\nlearning_rate = 0.3\n{}",
      model, mechanism, protocol);
}

struct Training {
  explicit Training(const std::string& text, std::filesystem::path folder = ".")
      : sources{data_directory(), std::move(folder)},
        plan(parse_plan(text, "test.toml", standard_catalogue())),
        data(load_training_section(plan.cells[0].at("data"), plan.seed, sources)) {}
  std::unique_ptr<TrainTrial> trial(std::size_t index = 0) const {
    return std::make_unique<TrainTrial>(plan.cells[0], TrialAddress{plan.seed, index}, data, sources);
  }
  std::vector<double> start(std::size_t index = 0) const { return trial(index)->run().state(); }
  std::vector<double> end() const {
    const auto run = trial();
    finish(*run);
    return run->run().state();
  }
  GraphSources sources;
  Plan plan;
  TrainingData data;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class ChosenModelTest : public ::testing::Test {
 protected:
  ChosenModelTest()
      : folder_(std::filesystem::temp_directory_path() / ("earshot-chosen-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ChosenModelTest() override {
    std::filesystem::remove_all(folder_);
    set_thread_count(0);
  }

  Training training(const std::string& model, const std::string& protocol = "",
                    const std::string& mechanism = "kind = \"none\"\n") const {
    return Training(plan_of(model, protocol, mechanism), folder_);
  }
  /// A checkpoint of the network a section names, with these parameters.
  void save(const std::string& name, const std::string& model, std::vector<double> state) const {
    const Training like = training(model);
    const ChosenModel chosen =
        choose_model(like.plan.cells[0].at("model"), like.data.examples.get(), like.sources);
    const auto border = state.begin() + static_cast<std::ptrdiff_t>(chosen.model->parameter_count());
    std::vector<double> buffers(border, state.end());
    state.erase(border, state.end());
    save_checkpoint(folder_ / name, {chosen.network, Json::object(), std::move(state), std::move(buffers)});
  }
  std::string problems(const std::string& text) const {
    std::string all;
    const Plan plan = parse_plan(text, "test.toml", standard_catalogue());
    for (const Problem& problem : preflight(plan, {data_directory(), folder_}))
      all += to_line(problem) + "\n";
    return all;
  }

  std::filesystem::path folder_;
};

/// With the engine that was built along, if there is one.
class TorchTraining : public ChosenModelTest {
 protected:
  void SetUp() override {
#ifdef EARSHOT_PLUGIN_FOLDER
    setenv("EARSHOT_PLUGINS", EARSHOT_PLUGIN_FOLDER, /*overwrite=*/0);
#else
    GTEST_SKIP() << "built without libtorch";
#endif
  }
  static std::string script() {
    return fmt::format("kind = \"file\"\npath = \"{}\"\n", kScript);
  }
  /// The script's network by name, on the torch engine, starting from the script's parameters.
  std::string same_network() const {
    save("script.ckpt", kSameNetwork, training(script()).start());
    return std::string(kSameNetwork) + "engine = \"torch\"\nstart = \"script.ckpt\"\n";
  }
};

TEST_F(TorchTraining, BothEnginesTrainAlike) {
  for (const std::string model : {"kind = \"mlp\"\nhidden = \"6,4\"\n", "kind = \"logistic_regression\"\n",
                                  "kind = \"tabular_resnet\"\nwidth = 4\n"}) {
    for (const auto& [precision, tolerance] : {std::pair{"float64", 1e-10}, std::pair{"float32", 1e-5}}) {
      SCOPED_TRACE(model + precision);
      const std::string protocol = fmt::format("precision = \"{}\"\n", precision);
      const Training native = training(model, protocol);
      const Training torch = training(model + "engine = \"torch\"\n", protocol);
      EXPECT_EQ(native.start(), torch.start());
      EXPECT_EQ(torch.trial()->task().model().describe().at("engine"), "torch");
      EXPECT_LT(distance(native.end(), torch.end()), tolerance);
      EXPECT_GT(distance(native.start(), native.end()), 0.05);
    }
  }
}

TEST_F(TorchTraining, AScriptTrainsLikeTheSameNetworkByName) {
  const std::string named = same_network();
  const std::string noisy = "kind = \"dp_sgd\"\nnoise_multiplier = 1.0\nclip = 0.2\n";
  for (const std::string& mechanism : {std::string("kind = \"none\"\n"), noisy}) {
    const Training file = training(script(), "", mechanism);
    const Training same = training(named, "", mechanism);
    EXPECT_EQ(file.start(), same.start());
    EXPECT_LT(distance(file.end(), same.end()), 1e-10) << mechanism;
    EXPECT_GT(distance(file.start(), file.end()), 0.05) << mechanism;
  }
}

/// Each record's gradient is clipped on its own, in either engine and in the file.
TEST_F(TorchTraining, ClipsTheSameRecords) {
  const std::string noisy = "kind = \"dp_sgd\"\nnoise_multiplier = 1.0\nclip = 0.2\n";
  const auto clipped = [&](const std::string& model) {
    const Training run = training(model, "", noisy);
    const auto trial = run.trial();
    finish(*trial);
    std::size_t sum = 0;
    for (const Learner* learner : trial->protocol().learners()) sum += learner->clipping().clipped;
    return sum;
  };
  const auto assumed = [&](const std::string& model) {
    const Training run = training(model, "", noisy);
    const auto trial = run.trial();
    finish(*trial);
    return trial->statements().front().assumptions;
  };
  EXPECT_THAT(assumed(script()), ::testing::Contains(HasSubstr("keeps nothing of a record")));
  EXPECT_THAT(assumed(same_network()), ::testing::Not(::testing::Contains(HasSubstr("TorchScript"))));
  const std::size_t expected = clipped(same_network());
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(clipped(script()), expected);
}

TEST_F(TorchTraining, GoesOnFromEveryRoundToTheBitOnAnyThreads) {
  const std::string plain = "kind = \"mlp\"\nhidden = \"6\"\nengine = \"torch\"\n";
  const std::string norm = "kind = \"tabular_resnet\"\nwidth = 3\nengine = \"torch\"\n";
  for (const std::string& model : {plain, norm, script()}) {
    const Training run = training(model);
    set_thread_count(1);
    const std::string expected = shown(*run.trial());
    set_thread_count(2);
    for (std::size_t stop = 0; stop <= 4; ++stop) {
      const auto first = run.trial();
      for (std::size_t i = 0; i < stop; ++i) first->run().advance();
      const std::string stored = sealed(*first);
      const auto second = run.trial();
      StateReader in(stored, "memory");
      second->load(in);
      in.finish();
      EXPECT_TRUE(shown(*second) == expected) << "stopped after round " << stop << "\n" << model;
    }
  }
}

/// The checkpoint of a training names the file it was of, and training goes on from it.
TEST_F(TorchTraining, GoesOnFromACheckpointOfAScript) {
  const Training file = training(script());
  const auto trial = file.trial();
  finish(*trial);
  save_checkpoint(folder_ / "trained.ckpt", {trial->network(), Json::object(), trial->run().state(), {}});
  const std::string more = script() + "start = \"trained.ckpt\"\n";
  EXPECT_EQ(training(more).start(), trial->run().state());
  EXPECT_THAT(problems(plan_of("kind = \"file\"\npath = \"trained.ckpt\"\n")),
              HasSubstr("does not hold the file itself; name that file"));
  EXPECT_THAT(problems(plan_of(script() + "loss = \"mean_squared\"\nstart = \"trained.ckpt\"\n")),
              HasSubstr("another network"));
}

TEST_F(TorchTraining, RefusesScriptsThatDoNotFit) {
  EXPECT_EQ(problems(plan_of(script())), "");
  EXPECT_THAT(problems(plan_of(script() + "engine = \"native\"\n")), HasSubstr("runs on the torch engine"));
  EXPECT_THAT(problems(plan_of(script() + "outputs = 3\n")), HasSubstr("expected 1 x 3"));
  EXPECT_THAT(problems(plan_of(script() + "input = \"3\"\n")), HasSubstr("a record of the data 2"));
  EXPECT_THAT(problems(plan_of(script() + "start = \"imagenet\"\n")), HasSubstr("squeezenet11 only"));
  EXPECT_THAT(problems(plan_of(script(), "clusters = 2\n")), HasSubstr("all clusters would be alike"));
}

TEST_F(TorchTraining, RefusesScriptsForOtherData) {
  EARSHOT_NEEDS_DATASET("digits");
  const auto on = [&](const std::string& data, const std::string& model) {
    std::string text = plan_of(model);
    const std::string points = "kind = \"two_gaussians\"\nrecords = 40\ntest_records = 20\n";
    return problems(text.replace(text.find(points), points.size(), "kind = \"" + data + "\"\n"));
  };
  EXPECT_THAT(on("digits", script()), HasSubstr("a network for records of 1x8x8"));
  EARSHOT_NEEDS_DATASET("cora");
  EXPECT_THAT(on("cora", script()), HasSubstr("takes records"));
  EXPECT_THAT(on("cora", "kind = \"mlp\"\n"), HasSubstr("gcn or gat"));
  EXPECT_THAT(on("cora", "kind = \"gcn\"\nlevel = \"graph\"\n"), HasSubstr("set model.level to \"node\""));
  EXPECT_THAT(on("digits", "kind = \"gcn\"\n"), HasSubstr("data that are graphs"));
}

TEST_F(ChosenModelTest, StartsFromWhatACheckpointHolds) {
  const std::string network = "kind = \"tabular_resnet\"\nwidth = 3\n";
  std::vector<double> state = training(network).start();
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = 0.5 + 0.001 * static_cast<double>(i);
  save("some.ckpt", network, state);
  const Training by_file = training("kind = \"file\"\npath = \"some.ckpt\"\n");
  const Training by_start = training(network + "start = \"some.ckpt\"\n");
  EXPECT_EQ(by_file.start(), state) << "parameters, then running statistics";
  EXPECT_EQ(by_file.start(1), state) << "in every trial";
  EXPECT_EQ(by_start.start(), state);
  EXPECT_EQ(by_file.end(), by_start.end());
  EXPECT_NE(by_file.end(), training(network).end());
}

TEST_F(ChosenModelTest, RefusesCheckpointsThatDoNotFit) {
  save("five.ckpt", kSameNetwork, training(kSameNetwork).start());
  const std::string file = "kind = \"file\"\npath = \"five.ckpt\"\n";
  EXPECT_EQ(problems(plan_of(file)), "");
  EXPECT_THAT(problems(plan_of(file + "loss = \"mean_squared\"\n")), HasSubstr("leave it out"));
  EXPECT_THAT(problems(plan_of(file + "outputs = 2\n")), HasSubstr("leave it out"));
  EXPECT_THAT(problems(plan_of("kind = \"mlp\"\nhidden = \"4\"\nstart = \"five.ckpt\"\n")),
              HasSubstr("another network"));
  EXPECT_THAT(problems(plan_of("kind = \"mlp\"\nstart = \"absent.ckpt\"\n")), HasSubstr("absent.ckpt"));
  EXPECT_THAT(problems(plan_of("kind = \"file\"\npath = \"absent.pt\"\n")), HasSubstr("no such file"));
  const Choice section{"file", Settings(Json{{"path", "five.ckpt"}})};
  const auto wide = record_examples({3}, std::vector<double>(6), {2, {0, 1}});
  const auto classes = record_examples({2}, std::vector<double>(4), {3, {0, 1}});
  const auto numbers = record_examples({2}, std::vector<double>(4), {0, {0.5, 1}});
  const auto refusal = [&](const Examples& examples) -> std::string {
    try {
      choose_model(section, &examples, {data_directory(), folder_});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kConfig);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(*wide), HasSubstr("takes records of 2 numbers, the data have 3"));
  EXPECT_THAT(refusal(*classes), HasSubstr("has 2 outputs, the data need 3"));
  EXPECT_THAT(refusal(*numbers), HasSubstr("mean_squared"));
}

TEST_F(ChosenModelTest, RefusesLossesThatCannotLearnTheTargets) {
  EXPECT_EQ(problems(plan_of("kind = \"mlp\"\noutputs = 1\nloss = \"binary_cross_entropy\"\n")), "");
  EXPECT_THAT(problems(plan_of("kind = \"mlp\"\noutputs = 1\nloss = \"mean_squared\"\n")),
              HasSubstr("binary_cross_entropy"));
  EXPECT_THAT(problems(plan_of("kind = \"mlp\"\noutputs = 1\n")), HasSubstr("at least two outputs"));
  EXPECT_THAT(problems(plan_of("kind = \"mlp\"\noutputs = 3\n")), HasSubstr("the data need 2"));
  const auto numbers = record_examples({2}, std::vector<double>(4), {0, {0.5, 1}});
  EXPECT_THAT(
      [&] {
        choose_model({"mlp", Settings()}, numbers.get(), {});
      },
      ::testing::ThrowsMessage<Error>(HasSubstr("mean_squared")));
}

TEST_F(ChosenModelTest, SeesBeforeTheFirstStepThatRecordsCannotBeClipped) {
  const std::string noisy = "kind = \"dp_sgd\"\nnoise_multiplier = 1.0\n";
  const std::string network = "kind = \"tabular_resnet\"\nwidth = 3\n";
  EXPECT_THAT(problems(plan_of(network, "", noisy)), HasSubstr("model.norm=frozen"));
  EXPECT_EQ(problems(plan_of(network + "norm = \"frozen\"\n", "", noisy)), "");
}

TEST_F(ChosenModelTest, TakesImageNetWeightsForAStart) {
  EARSHOT_NEEDS_DATASET("squeezenet");
  const auto pictures = record_examples({3, 32, 32}, std::vector<double>(2 * 3072), {5, {0, 4}});
  const GraphSources sources{data_directory(), folder_};
  const ChosenModel chosen =
      choose_model({"squeezenet11", Settings(Json{{"start", "imagenet"}})}, pictures.get(), sources);
  Stream stream({1, Purpose::kModelInit}), again({1, Purpose::kModelInit});
  const std::vector<double> start = start_parameters(chosen, stream);
  const std::vector<double> fresh =
      start_parameters(choose_model({"squeezenet11", Settings()}, pictures.get(), sources), again);
  const std::vector<float>& first = chosen.pretrained.at(0).weights;
  EXPECT_TRUE(std::equal(first.begin(), first.end(), start.begin())) << "the first convolution is ImageNet's";
  EXPECT_EQ(start.back(), fresh.back()) << "the head for five classes is fresh";
}

/// The same plan on another file is another experiment.
TEST_F(ChosenModelTest, ADigestKnowsWhatIsInTheFiles) {
  const std::string file = "kind = \"file\"\npath = \"some.ckpt\"\n";
  std::vector<double> state = training(kSameNetwork).start();
  const auto digest = [&] {
    Plan plan = parse_plan(plan_of(file), "test.toml", standard_catalogue());
    plan.files = file_digests(plan, {data_directory(), folder_});
    EXPECT_EQ(plan.files.size(), 1U);
    return plan_digest(plan);
  };
  save("some.ckpt", kSameNetwork, state);
  const std::string before = digest();
  EXPECT_EQ(digest(), before);
  state[0] += 1;
  save("some.ckpt", kSameNetwork, state);
  EXPECT_NE(digest(), before);
}

TEST(PlanFiles, NamesGraphsWeightsAndTables) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("earshot-files-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const char* name : {"edges", "matrix", "table.csv", "table.toml"})
    write_atomically(folder / name, name);
  const Plan plan = parse_plan(
      "name = \"t\"\ntitle = \"t\"\n[graph]\nkind = \"file\"\npath = \"edges\"\n[weights]\nkind = \"file\"\n"
      "path = \"matrix\"\n[data]\nkind = \"csv\"\npath = \"table.csv\"\nschema = \"table.toml\"\n"
      "[model]\nkind = \"mlp\"\nstart = \"absent\"\n[protocol]\nkind = \"d_psgd\"\nrounds = 1\n"
      "[mechanism]\nkind = \"none\"\n",
      "test.toml", standard_catalogue());
  const Json digests = file_digests(plan, {{}, folder});
  std::filesystem::remove_all(folder);
  ASSERT_EQ(digests.size(), 4U) << digests.dump();
  const std::string edges = "edges";
  EXPECT_EQ(digests.at("edges"), sha256({reinterpret_cast<const std::uint8_t*>(edges.data()), edges.size()}));
}

TEST(NetworkSections, AreNotForExperimentsThatAttack) {
  EXPECT_THAT(
      testing::problems_of(
          "name = \"t\"\ntitle = \"t\"\n[data]\nkind = \"digits\"\n[graph]\nkind = \"ring\"\nnodes = 4\n"
          "[weights]\nkind = \"metropolis\"\n[model]\nkind = \"softmax_regression\"\nengine = \"torch\"\n"
          "[protocol]\nkind = \"dgd\"\nrounds = 2\nlearning_rate = 0.1\n[mechanism]\nkind = \"none\"\n"
          "[adversary]\nkind = \"each\"\n[attack]\nkind = \"dgd_reconstruction\"\n"),
      HasSubstr("setting of training without an attack"));
}

}  // namespace
}  // namespace earshot
