// What adversaries record of a training, against computations by hand and against a recording of everything.
#include <algorithm>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/model/native/native_model.hpp"
#include "earshot/pipeline/test_training.hpp"

namespace earshot {
namespace {

using testing::finish;
using ::testing::HasSubstr;
using testing::listened;
using testing::overheard;
using testing::plan_text;
using testing::problems_of;
using testing::Setting;
using testing::Wanted;

using Vector = std::vector<double>;

Vector copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// Round, sender, receiver and content of every message.
using Message = std::tuple<Round, NodeId, std::optional<NodeId>, Vector>;
std::vector<Message> messages_of(const View& view) {
  std::vector<Message> all;
  for (const Overheard& m : view.messages()) all.emplace_back(m.round, m.from, m.to, copy(m.message));
  return all;
}

class Listening : public ::testing::Test {
 protected:
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }
};

TEST_F(Listening, ServerHearsTheGradientsOfFedSgd) {
  const Setting setting(listened("fedsgd", "kind = \"server\"\n", "learning_rate = 0.2\n"));
  const auto trial = overheard(setting);
  ASSERT_EQ(trial->views().size(), 1U);
  const View& view = trial->views()[0];
  EXPECT_EQ(view.adversary().colluding, std::vector<NodeId>{5});
  EXPECT_EQ(view.messages().size(), 3U * 10U);

  const auto network = make_native_model({"", {64}, {Dense{10}}});
  LearningTask task(*network, *setting.data.examples, Precision::kDouble);
  Vector model = view.told().initial_parameters;
  const auto learners = trial->protocol().learners();
  auto message = view.messages().begin();
  for (Round round = 0; round < 3; ++round) {
    for (NodeId client = 0; client < 5; ++client, ++message) {
      EXPECT_EQ(std::tie(message->round, message->from), std::make_tuple(2 * round, NodeId{5}));
      EXPECT_EQ(message->to, client);
      for (std::size_t i = 0; i < model.size(); ++i) EXPECT_NEAR(message->message[i], model[i], 1e-12);
    }
    const Vector sent = copy((message - 1)->message);
    Vector mean(model.size()), gradient(model.size());
    for (NodeId client = 0; client < 5; ++client, ++message) {
      EXPECT_EQ(std::tie(message->round, message->from), std::make_tuple(2 * round + 1, client));
      Vector at = sent;
      const auto& records = learners[client]->records();
      task.gradient(at, {records}, gradient);
      // Up to rounding: the client's batch has its records in another order.
      for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(message->message[i], gradient[i], 1e-13);
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += gradient[i] * static_cast<double>(records.size()) / 54;
      }
    }
    for (std::size_t i = 0; i < model.size(); ++i) model[i] -= 0.2 * mean[i];
  }
}

/// What the coalition is entitled to, out of everything that was said on a network without faults.
std::vector<Message> entitled(const std::vector<Message>& all, const Graph& network,
                              const std::vector<NodeId>& members) {
  std::vector<Message> heard;
  for (const Message& message : all) {
    const auto& [round, from, to, content] = message;
    const auto reaches = [&, from = from, to = to](NodeId member) {
      return member == from || (to ? member == *to : network.has_edge(from, member));
    };
    if (std::ranges::any_of(members, reaches)) heard.push_back(message);
  }
  return heard;
}

TEST_F(Listening, CoalitionHearsItsShareOfWhatAnEavesdropperHears) {
  for (const char* protocol : {"dgd", "d_psgd", "muffliato", "pdmm", "admm", "fedavg", "scaffold"}) {
    const bool star = find_training_protocol(protocol)->needs == NetworkNeed::kNone;
    const std::string names = star ? "[\"node 0\", \"node 1\"]" : "[\"0\", \"1\"]";
    const Setting all(listened(protocol, "kind = \"eavesdropper\"\n"));
    const Setting some(listened(protocol, "kind = \"coalition\"\nnodes = " + names + "\n"));
    const auto whole = overheard(all);
    const auto part = overheard(some);
    const auto expected = entitled(messages_of(whole->views()[0]), whole->listeners()->network(), {0, 1});
    EXPECT_EQ(messages_of(part->views()[0]), expected) << protocol;
    EXPECT_FALSE(expected.empty());
    EXPECT_LT(expected.size(), whole->views()[0].messages().size()) << protocol;
    // Nothing else is in memory: as many numbers as distinct messages have.
    std::size_t numbers = 0;
    const double* last = nullptr;
    for (const Overheard& m : part->views()[0].messages()) {
      if (m.message.data() != last) numbers += m.message.size();
      last = m.message.data();
    }
    EXPECT_EQ(part->listeners()->recorder().kept_numbers(), numbers) << protocol;
  }
}

TEST_F(Listening, MembersOfAFaultyNetworkHearOnlyWhatArrives) {
  const std::string faults = "[faults]\nkind = \"random\"\nloss = 0.5\n";
  const Setting all(listened("dgd", "kind = \"eavesdropper\"\n" + faults, "", 6));
  const Setting one(listened("dgd", "kind = \"first\"\n" + faults, "", 6));
  const auto whole = overheard(all);
  const auto part = overheard(one);
  const auto possible = entitled(messages_of(whole->views()[0]), whole->listeners()->network(), {0});
  const auto heard = messages_of(part->views()[0]);
  EXPECT_TRUE(std::ranges::includes(possible, heard));
  // Twelve messages of two neighbours, half of them lost; all kept or none with probability 2^-11, and this
  // seed gives neither.
  EXPECT_LT(heard.size(), possible.size());
  EXPECT_GT(heard.size(), 6U) << "its own six messages, and some";
}

TEST_F(Listening, RecordsTheRoundsAskedForAndNothingElse) {
  for (const char* protocol : {"fedavg", "muffliato", "skip_ring", "muffliato_random", "server_pdmm"}) {
    const Setting all(listened(protocol, "kind = \"each\"\n", "", 5));
    const Setting some(listened(protocol, "kind = \"each\"\nfrom = 2\nrounds = 3\n", "", 5));
    const auto whole = overheard(all);
    const auto part = overheard(some);
    const Round exchanges = part->protocol().exchanges();
    for (std::size_t i = 0; i < whole->views().size(); ++i) {
      std::vector<Message> expected;
      for (const Message& message : messages_of(whole->views()[i])) {
        const Round round = std::get<0>(message) / exchanges;
        if (round >= 1 && round < 4) expected.push_back(message);
      }
      EXPECT_EQ(messages_of(part->views()[i]), expected) << protocol;
    }
    const Json rows = part->tables().at("views").at("rows");
    ASSERT_EQ(rows.size(), 3 * part->views().size()) << protocol;
    EXPECT_EQ(rows.at(0).at(1), 2);
    EXPECT_EQ(rows.at(2).at(1), 4);
  }
}

TEST_F(Listening, CountsWhatWasHeardByRound) {
  const Setting setting(listened("fedavg", "kind = \"server\"\n", "clients = 2\n"));
  const auto trial = overheard(setting);
  const Json table = trial->tables().at("views");
  ASSERT_EQ(table.at("rows").size(), 3U);
  for (const Json& row : table.at("rows")) {
    EXPECT_EQ(row.at(0), "server");
    EXPECT_EQ(row.at(2), 4) << "two requests, two replies";
    EXPECT_EQ(row.at(3), 3) << "two clients and the server";
    EXPECT_EQ(row.at(4), 4 * 650) << "64 x 10 weights and 10 biases";
    EXPECT_THAT(row.at(5).get<std::string>(), HasSubstr("server"));
  }
}

TEST_F(Listening, ChangesNothingAboutTheTraining) {
  for (const ProtocolComponent& component : training_protocols()) {
    const std::string& name = component.schema.name;
    const Setting alone({name}), watched(listened(name, "kind = \"each\"\n"));
    const auto a = overheard(alone);
    const auto b = overheard(watched);
    EXPECT_TRUE(a->views().empty());
    EXPECT_EQ(a->listeners(), nullptr);
    EXPECT_EQ(b->views().empty(), name == "central") << name;
    StateWriter first, second;
    a->run().save(first);
    b->run().save(second);
    EXPECT_TRUE(first.sealed() == second.sealed()) << name;
    Json with = b->tables();
    with.erase("views");
    Json without = a->tables();
    // Which statement is about the listener is the only thing the section may change.
    for (Json* tables : {&with, &without}) tables->erase("statements");
    EXPECT_EQ(with, without) << name;
  }
}

Vector input_of(const Examples& examples, std::size_t record) {
  ExampleMemory memory;
  const auto problem = examples.gather({&record, 1}, examples.targets().outputs(), 0, memory);
  return copy(problem.inputs);
}

/// The digits with one record turned upside down.
TrainingData changed(const TrainingData& data, std::size_t record) {
  TrainingData copy{};
  copy.parts = data.parts;
  copy.description = data.description;
  Vector inputs;
  for (std::size_t i = 0; i < data.examples->size(); ++i) {
    Vector one = input_of(*data.examples, i);
    if (i == record) std::ranges::reverse(one);
    inputs.insert(inputs.end(), one.begin(), one.end());
  }
  copy.examples = record_examples(data.examples->input(), std::move(inputs), data.examples->targets());
  return copy;
}

TEST_F(Listening, HearsNothingOfNodesTooFarAway) {
  const Setting setting(listened("dgd", "kind = \"first\"\n", "learning_rate = 0.1\n"));
  const auto heard = [&](const TrainingData& data, Round round) {
    TrainTrial trial(setting.plan.cells[0], TrialAddress{setting.plan.seed, 0}, data, testing::sources());
    finish(trial);
    std::vector<Message> messages;
    for (const Message& message : messages_of(trial.views()[0])) {
      if (std::get<0>(message) == round) messages.push_back(message);
    }
    return messages;
  };
  const auto records = [&](NodeId node) {
    return setting.trial()->protocol().learners()[node]->records().front();
  };
  // A ring of five: node 0 hears 1 and 4; what 2 holds reaches it through 1, a round later.
  const TrainingData far = changed(setting.data, records(2)), near = changed(setting.data, records(1));
  EXPECT_EQ(heard(far, 0), heard(setting.data, 0));
  EXPECT_NE(heard(far, 1), heard(setting.data, 1));
  EXPECT_NE(heard(near, 0), heard(setting.data, 0));
}

TEST_F(Listening, MarksTheStatementsAboutTheListener) {
  const auto chosen = [](const Wanted& wanted) {
    const Setting setting(wanted);
    const auto trial = overheard(setting);
    std::vector<std::string> names;
    for (const TrainingStatement& statement : trial->statements()) {
      if (statement.chosen) names.push_back(statement.adversary);
    }
    return names;
  };
  const auto names = [](std::vector<std::string> list) { return list; };
  EXPECT_EQ(chosen(listened("fedavg", "kind = \"server\"\n")), names({"the server"}));
  EXPECT_EQ(chosen(listened("fedavg", "kind = \"first\"\n")), names({"another client"}));
  EXPECT_EQ(chosen(listened("fedavg", "kind = \"first\"\nsize = 2\n")),
            names({"the server and any set of other clients together"}));
  EXPECT_EQ(chosen(listened("fedavg", "kind = \"eavesdropper\"\n")),
            names({"an eavesdropper on every wire"}));
  EXPECT_EQ(chosen(listened("d_psgd", "kind = \"first\"\n")), names({"a single neighbour"}));
  EXPECT_EQ(chosen(listened("d_psgd", "kind = \"first\"\nsize = 3\n")),
            names({"any set of colluding nodes"}));
  const auto both = chosen(listened("pdmm", "kind = \"coalition\"\nnodes = [\"1\"]\ntapped = [\"3\"]\n"));
  EXPECT_EQ(both.size(), 1U) << "whoever hears everything";
}

TEST_F(Listening, StatesThePromiseAgainstTheChosenListener) {
  const auto statements = [](const std::string& adversary) {
    Wanted wanted = listened("dgd", adversary);
    wanted.mechanism = "kind = \"gaussian\"\nsigma = 2.0\n";
    const Setting setting(wanted);
    return overheard(setting)->statements();
  };
  const auto one = statements("kind = \"coalition\"\nnodes = [\"1\"]\n");
  const auto two = statements("kind = \"coalition\"\nnodes = [\"1\", \"2\"]\n");
  const auto all = statements("kind = \"eavesdropper\"\n");
  for (const auto* list : {&one, &two, &all}) EXPECT_TRUE(list->back().chosen);
  EXPECT_THAT(one.back().adversary, HasSubstr("1: knows the weights"));
  // A ring looks the same to every node, so one listener is the worst one.
  EXPECT_NEAR(*one.back().epsilon, *one[one.size() - 2].epsilon, 1e-9);
  // Who hears more learns more; who hears everything has nothing but the local statement against it.
  EXPECT_LT(*one.back().epsilon, *two.back().epsilon);
  EXPECT_LT(*two.back().epsilon, *all.back().epsilon);
  EXPECT_NEAR(*all.back().epsilon, *all.front().epsilon, 1e-6);
  const auto everybody = statements("kind = \"first\"\nsize = 5\n");
  EXPECT_EQ(everybody.size(), one.size() - 1) << "nobody is left to be promised anything";
}

TEST_F(Listening, IsRefusedWhereItMakesNoSense) {
  const auto problems = [](const Wanted& wanted) { return problems_of(plan_text(wanted)); };
  EXPECT_THAT(problems(listened("central", "kind = \"first\"\n")), HasSubstr("has no use for [adversary]"));
  EXPECT_THAT(problems(listened("d_psgd", "kind = \"server\"\n")),
              HasSubstr("needs a protocol with a server"));
  EXPECT_THAT(problems(listened("d_psgd", "kind = \"coalition\"\nnodes = [\"7\"]\n")),
              HasSubstr("no node \"7\""));
  EXPECT_THAT(problems(listened("fedavg", "kind = \"first\"\nfrom = 4\n")),
              HasSubstr("adversary.from: recording starts with round 4, the training ends after 3"));
  EXPECT_THAT(problems(listened("d_psgd", "kind = \"eavesdropper\"\nwires = [\"0--2\"]\n")),
              HasSubstr("no edge 0--2"));
  EXPECT_EQ(problems(listened("skip_ring", "kind = \"eavesdropper\"\nwires = [\"node 0--node 2\"]\n")), "");
}

}  // namespace
}  // namespace earshot
