#include "earshot/data/tables/table_summary.hpp"

#include <gmock/gmock.h>

namespace earshot {
namespace {

TEST(TableSummary, HasTheFiguresOfTheTable) {
  TabularDataset dataset;
  dataset.name = "sample";
  dataset.features = {{"size", "colour"}, 4, {1, 0, 3, 1, 3, 1, 5.5, 1}};
  dataset.categories = {{}, {"red", "green"}};
  dataset.target_name = "class";
  dataset.target = {0, 1, 1, 1};
  dataset.classes = {"no", "yes"};
  dataset.test_begins = 3;
  dataset.clients = {"a", "b"};
  dataset.client_name = "who";
  const Json summary = summarise(dataset);
  EXPECT_EQ(summary["rows"], 4);
  EXPECT_EQ(summary["train_rows"], 3);
  EXPECT_EQ(summary["test_rows"], 1);
  EXPECT_EQ(summary["clients"]["count"], 2);
  EXPECT_EQ(summary["columns"][0]["kind"], "real");
  EXPECT_EQ(summary["columns"][0]["highest"], 5.5);
  EXPECT_EQ(summary["columns"][0]["mean"], 3.125);
  EXPECT_EQ(summary["columns"][1]["categories"][1]["rows"], 3);
  EXPECT_EQ(summary["target"]["classes"][1]["share"], 0.75);
  dataset.classes.clear();
  EXPECT_EQ(summarise(dataset)["target"]["mean"], 0.75);
}

}  // namespace
}  // namespace earshot
