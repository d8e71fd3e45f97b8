#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/experiment/component_catalogue.hpp"
#include "earshot/experiment/test_catalogue.hpp"

namespace earshot {
namespace {

using testing::ElementsAre;

TEST(Catalogue, FindsByRoleAndName) {
  const Catalogue catalogue = test_catalogue();
  ASSERT_NE(catalogue.find("graph", "ring"), nullptr);
  EXPECT_EQ(catalogue.find("graph", "ring")->summary, "a cycle");
  EXPECT_EQ(catalogue.find("weights", "ring"), nullptr);
  EXPECT_EQ(catalogue.find("graph", "rin"), nullptr);
  EXPECT_THAT(catalogue.names("graph"), ElementsAre("ring", "erdos_renyi"));
  EXPECT_THAT(catalogue.names("attack"), ElementsAre());
  EXPECT_THAT(catalogue.parameter_keys("graph"), ElementsAre("kind", "nodes", "p", "connected"));
}

TEST(Catalogue, ListsByRoleWhateverTheOrderOfAdding) {
  Catalogue catalogue;
  catalogue.add({"metric", "m", "", "", {}});
  catalogue.add({"graph", "b", "", "", {}});
  catalogue.add({"graph", "a", "", "", {}});
  std::vector<std::string> names;
  for (const Schema* schema : catalogue.all()) names.push_back(schema->name);
  EXPECT_THAT(names, ElementsAre("b", "a", "m"));
}

TEST(Catalogue, RefusesUnknownRolesAndDoubles) {
  Catalogue catalogue = test_catalogue();
  EXPECT_THROW(catalogue.add({"grap", "ring", "", "", {}}), Error);
  EXPECT_THROW(catalogue.add({"graph", "ring", "", "", {}}), Error);
}

}  // namespace
}  // namespace earshot
